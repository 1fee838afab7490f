"""Progress of long work: a bar on a terminal; elsewhere a plain line now and then, on stderr."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from wordpl.base.displays import cut, printable

_SECONDS_BETWEEN_LINES = 10.0
_FEW = 3
"""Results, beside the first, before which nothing is said about the time left."""
_WIDE = 100


class Progress(Protocol):
    """A callback for each step of long work: what was worked on, pieces just done, pieces done so far, all pieces.

    There are 0 in all while nobody knows how many there will be; then nothing is said about the time left.
    """

    def __call__(self, what: object, new: int, done: int, total: int, /) -> None: ...


@contextmanager
def show_progress(unit: str = "trials") -> Iterator[Progress]:
    """Give the block a callback that shows what is done, its rate and the time left; `unit` names the pieces.

    A terminal shows a bar. Elsewhere stderr gets a line every 10 s at most.
    Nothing is shown if the level of the logger `wordpl` is ERROR or above, as `--quiet` sets it.
    """
    if logging.getLogger("wordpl").getEffectiveLevel() >= logging.ERROR:
        yield lambda what, new, done, total: None
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield _Lines(unit)


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.table import Column
    from rich.text import Text

    class Rate(rich_progress.ProgressColumn):
        def render(self, task: rich_progress.Task) -> str:
            return _rate(task.speed) if task.speed else ""

    class What(rich_progress.ProgressColumn):
        def render(self, task: rich_progress.Task) -> Text:
            return Text(task.fields["what"], no_wrap=True, overflow="ellipsis")

    console = Console(stderr=True)
    fixed = Column(no_wrap=True)
    columns = (
        rich_progress.BarColumn(40 if console.width >= _WIDE else 16, table_column=fixed),
        rich_progress.MofNCompleteColumn(table_column=fixed),
        Rate(fixed),
        rich_progress.TimeRemainingColumn(table_column=fixed),
        What(),  # takes what the others leave
    )
    with rich_progress.Progress(*columns, console=console, transient=True) as bars:
        bar = bars.add_task("", total=None, what="")

        def update(what: object, new: int, done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total or None, what=str(what))

        yield update


def _rate(per_second: float) -> str:
    """Pieces a second, or a minute where that would be less than one."""
    return f"{per_second:,.0f}/s" if per_second >= 1.0 else f"{60.0 * per_second:.1f}/min"


class _Lines:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._start = self._last = time.monotonic()
        self._count = self._results = 0

    def __call__(self, what: object, new: int, done: int, total: int) -> None:
        moment = time.monotonic()
        if new:
            self._results += 1
            if self._results == 1:  # the start, which comes before it, is not part of the rate
                self._start = moment
            else:
                self._count += new
        if moment - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = moment
        line = f"{printable(cut(str(what)))}: {done}{f'/{total}' if total else ''} {self._unit}"
        if self._results > _FEW:
            rate = self._count / max(moment - self._start, 1e-9)
            line += f", {_rate(rate)}" + (f", {timedelta(seconds=round((total - done) / rate))} left" if total else "")
        print(line, file=sys.stderr, flush=True)
