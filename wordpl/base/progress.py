"""Progress of long work: a bar on a terminal; elsewhere a plain line now and then, on stderr."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from wordpl.base.displays import cut
from wordpl.base.sanitizing import visible

_SECONDS_BETWEEN_LINES = 10.0


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
        yield _lines(unit)


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.table import Column

    columns = rich_progress.BarColumn, rich_progress.MofNCompleteColumn, rich_progress.TimeRemainingColumn
    fixed = [column(table_column=Column(no_wrap=True)) for column in columns]
    rest = rich_progress.TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
    with rich_progress.Progress(*fixed, rest, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=None)

        def update(what: object, new: int, done: int, total: int) -> None:
            speed = bars.tasks[0].speed
            text = f"{_rate(speed)}  {what}" if speed else str(what)
            bars.update(bar, completed=done, total=total or None, description=text)

        yield update


def _rate(per_second: float) -> str:
    """Pieces a second, or a minute where that would be less than one."""
    return f"{per_second:,.0f}/s" if per_second >= 1.0 else f"{60.0 * per_second:.1f}/min"


def _lines(unit: str) -> Progress:
    started, last, count = 0.0, time.monotonic(), 0

    def update(what: object, new: int, done: int, total: int) -> None:
        nonlocal started, last, count
        moment = time.monotonic()
        if new and not started:
            started = moment  # at the first result: what comes before it is not part of the rate
        else:
            count += new
        if moment - last < _SECONDS_BETWEEN_LINES:
            return
        last = moment
        line = f"{visible(cut(str(what)))}: {done}{f'/{total}' if total else ''} {unit}"
        if count:
            rate = count / max(moment - started, 1e-9)
            line += f", {_rate(rate)}" + (f", {timedelta(seconds=round((total - done) / rate))} left" if total else "")
        print(line, file=sys.stderr, flush=True)

    return update
