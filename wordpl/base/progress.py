"""Progress of long work: a bar on a terminal; elsewhere a plain line now and then, on stderr."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from typing import TypeAlias

from wordpl.base.displays import cut
from wordpl.base.sanitizing import visible

_SECONDS_BETWEEN_LINES = 10.0

Progress: TypeAlias = Callable[[object, int, int, int], None]
"""A callback for each step of long work: what was worked on, pieces just done, pieces done so far, all pieces.

There are 0 in all while nobody knows how many there will be; then nothing is said about the time left.
"""


@contextmanager
def show_progress(unit: str = "trials") -> Iterator[Progress]:
    """Give the block a callback that shows what is done, its rate and the time left; `unit` names the pieces.

    A terminal shows a bar. Elsewhere stderr gets a line every 10 s at most.
    Nothing is shown if the level of the logger `wordpl` is ERROR or above, as `--quiet` sets it.
    """
    if logging.getLogger("wordpl").getEffectiveLevel() >= logging.ERROR:
        yield lambda what, new, done, total: None
        return
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.table import Column

    columns = rich_progress.BarColumn, rich_progress.MofNCompleteColumn, rich_progress.TimeRemainingColumn
    fixed = [column(table_column=Column(no_wrap=True)) for column in columns]
    rest = rich_progress.TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
    console, period = Console(stderr=True), 600.0  # s; a piece may take minutes
    bars = rich_progress.Progress(
        *fixed, rest, console=console, transient=True, get_time=time.monotonic, speed_estimate_period=period
    )
    bar = bars.add_task("", total=None)
    task = bars.tasks[0]
    is_terminal, last = sys.stderr.isatty(), time.monotonic()

    def update(what: object, new: int, done: int, total: int) -> None:
        nonlocal last
        bars.update(bar, completed=done, total=total or None)
        speed, rate = task.speed, ""
        if speed:
            rate = f"{speed:,.0f}/s" if speed >= 1.0 else f"{60.0 * speed:.1f}/min"
        if is_terminal:
            bars.update(bar, description=f"{rate}  {what}" if rate else str(what))
        elif time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            left = f"{timedelta(seconds=task.time_remaining or 0)} left" if total and rate else ""
            state = f"{visible(cut(str(what)))}: {done}{f'/{total}' if total else ''} {unit}"
            print(", ".join(filter(None, (state, rate, left))), file=sys.stderr, flush=True)

    with bars if is_terminal else nullcontext():
        yield update
