"""Progress of long work: a bar on a terminal; elsewhere a plain line now and then, on stderr."""

import logging
import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from typing import Any, TypeAlias

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
    last = time.monotonic()
    finished = deque[tuple[float, int]](maxlen=1000)  # when pieces were finished, and how many were by then

    def update(what: object, new: int, done: int, total: int) -> None:
        nonlocal last
        now, rate, left = time.monotonic(), "", ""
        if new:
            finished.append((now, done))
        if finished and (seconds := finished[-1][0] - finished[0][0]):
            speed = (finished[-1][1] - finished[0][1]) / seconds
            rate = f"{speed:,.0f}/s" if speed >= 1.0 else f"{60.0 * speed:.1f}/min"
            left = f"{timedelta(seconds=math.ceil((total - done) / speed))} left" if total and speed else ""
        numbers = ", ".join(filter(None, (f"{done}{f'/{total}' if total else ''} {unit}", rate, left)))
        name = visible(cut(str(what)))
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=total or None, description=f"{numbers}  {name}")
        elif now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            print(f"{name}: {numbers}", file=sys.stderr, flush=True)

    with _bar() if sys.stderr.isatty() else nullcontext() as bar:
        yield update


def _bar() -> Any:
    """A bar on a terminal, with a text beside it."""
    from rich import progress  # a tenth of the start of a run
    from rich.console import Console
    from rich.table import Column

    columns = (
        progress.BarColumn(table_column=Column(no_wrap=True)),
        progress.TextColumn("{task.description}", markup=False),
    )
    bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=None)
    return bar
