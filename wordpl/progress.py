"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere. Always on stderr."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_SECONDS_BETWEEN_LINES = 10.0
_WIDE = 100
# Columns that the slash of the count, the rate, the time left and the spaces between all take.
_RATE_AND_TIME = 1 + 11 + 7 + 4
_LEAST_TEXT = 8


class Progress(Protocol):
    """A callback for each step of long work: what was worked on, pieces just done, pieces done so far, all pieces."""

    def __call__(self, what: object, new: int, done: int, total: int, /) -> None: ...


@contextmanager
def show_progress(unit: str = "trials") -> Iterator[Progress]:
    """Give the block a callback that shows its rate and the time left on stderr; `unit` names the pieces.

    Nothing is shown if the level of the logger `wordpl` is ERROR or above, as `--quiet` sets it.
    """
    if logging.getLogger("wordpl").getEffectiveLevel() >= logging.ERROR:
        yield _nothing
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield _Lines(unit)


def _nothing(what: object, new: int, done: int, total: int) -> None:
    """Show no progress."""


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console

    class Rate(rich_progress.ProgressColumn):
        def render(self, task: rich_progress.Task) -> str:
            return _rate(task.speed) if task.speed else ""

    console = Console(stderr=True)
    bar_width = 40 if console.width >= _WIDE else 16

    class What(rich_progress.ProgressColumn):
        """Takes what the other columns leave, and gives way to them."""

        def render(self, task: rich_progress.Task) -> str:
            count = len(f"{task.total or 0:.0f}")
            room = console.width - bar_width - 2 * count - _RATE_AND_TIME
            return _shortened(str(task.fields["what"]), room)

    columns = (
        rich_progress.BarColumn(bar_width),
        rich_progress.MofNCompleteColumn(),
        Rate(),
        rich_progress.TimeRemainingColumn(),
        What(),
    )
    with rich_progress.Progress(*columns, console=console, transient=True) as shown:
        bar = shown.add_task("", total=None, what="")

        def update(what: object, new: int, done: int, total: int) -> None:
            shown.update(bar, completed=done, total=total, what=str(what))

        yield update


def _rate(per_second: float) -> str:
    """Pieces a second, or a minute where that would be less than one."""
    return f"{per_second:,.0f}/s" if per_second >= 1.0 else f"{60.0 * per_second:.1f}/min"


def _shortened(text: str, room: int) -> str:
    """The text without its end if it is longer than `room`; nothing if there is hardly any room."""
    if len(text) <= room:
        return text
    return f"{text[: room - 1]}…" if room >= _LEAST_TEXT else ""


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
        line = f"{done}/{total} {self._unit}, {_rate(rate)}, {(total - done) / rate:.0f} s left"
        print(line, file=sys.stderr, flush=True)
