"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere. Always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_SECONDS_BETWEEN_LINES = 10.0


class Progress(Protocol):
    """A callback for each step of long work: what was worked on, pieces just done, pieces done so far, all pieces."""

    def __call__(self, what: object, new: int, done: int, total: int, /) -> None: ...


@contextmanager
def show_progress(unit: str = "trials") -> Iterator[Progress]:
    """Give the block a callback that shows its rate and the time left on stderr; `unit` names the pieces."""
    if sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield _Lines(unit)


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
        rich_progress.TextColumn("{task.fields[what]}", markup=False),
    )
    with rich_progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        bar = shown.add_task("", total=None, what="")

        def update(what: object, new: int, done: int, total: int) -> None:
            shown.update(bar, completed=done, total=total, what=str(what))

        yield update


class _Lines:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._begun = self._last = time.monotonic()
        self._done = 0

    def __call__(self, what: object, new: int, done: int, total: int) -> None:
        self._done += new
        now = time.monotonic()
        if not self._done:  # what goes before the first piece is not part of the rate
            self._begun = self._last = now
            return
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        rate = self._done / (now - self._begun)
        line = f"{done}/{total} {self._unit}, {rate:.0f}/s, {(total - done) / rate:.0f} s left"
        print(line, file=sys.stderr, flush=True)
