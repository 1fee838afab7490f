"""Progress of a sweep: a bar on a terminal, a plain line now and then elsewhere. Always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from wordpl.sweep import Progress
    from wordpl.trials import Task

_SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress() -> Iterator[Progress]:
    """A callback for `wordpl.sweep` that shows rate and time left while the block runs."""
    if sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield _Lines()


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console

    class Rate(rich_progress.ProgressColumn):
        def render(self, task: rich_progress.Task) -> str:
            return f"{task.speed:,.0f}/s" if task.speed else ""

    columns = (
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        Rate(),
        rich_progress.TimeRemainingColumn(),
        rich_progress.TextColumn("{task.fields[strategy]}", markup=False),
    )
    with rich_progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        bar = shown.add_task("trials", total=None, strategy="")

        def update(task: Task, trials: int, done: int, total: int) -> None:
            shown.update(bar, completed=done, total=total, strategy=repr(task.strategy))

        yield update


class _Lines:
    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()
        self._played = 0

    def __call__(self, task: Task, trials: int, done: int, total: int) -> None:
        self._played += trials
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        rate = self._played / (now - self._begun)
        typer.echo(f"{done}/{total} trials, {rate:.0f}/s, {(total - done) / rate:.0f} s left", err=True)
