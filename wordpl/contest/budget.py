"""Bounds on a whole run. `Limits` bound one game and one start; a run has thousands of games."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from time import monotonic

from wordpl.contest.limits import MIB
from wordpl.errors import WordplError


@dataclass(frozen=True)
class RunBudget:
    """Bounds on all contestants of a run together.

    The longest run takes `seconds`, and then what its last trials take: a start and a game, so with the default
    limits a day and 660 seconds for each job, whatever the contestant does.
    """

    restarts: int = 1000
    """Starts after a contestant was ended or has ended, the first start of each job not counted."""
    start_seconds: float = 6 * 3600.0
    """Wall clock of all starts. On a cluster, of the first starts of its workers only that of the first one counts."""
    log_bytes: int = 256 * MIB
    """Of the moves, reasons and errors that are kept of all trials."""
    seconds: float = 24 * 3600.0
    """Wall clock of the run, from its first trial."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise WordplError(f"run budget {name} = {value} is not allowed; a number above 0 is expected")


class Tally:
    """What a run has used so far. Its jobs share one tally."""

    def __init__(self, budget: RunBudget) -> None:
        self._budget = budget
        self.seconds = budget.seconds
        self._lock = threading.Lock()
        self._begun = monotonic()
        self._restarts, self._start_seconds, self._log_bytes = 0, 0.0, 0

    def add(self, *, restarts: int = 0, start_seconds: float = 0.0, log_bytes: int = 0) -> None:
        with self._lock:
            self._restarts += restarts
            self._start_seconds += start_seconds
            self._log_bytes += log_bytes

    def overrun(self) -> str:
        """Return which bound on the contestant was exceeded, on one line; "" for none."""
        budget = self._budget
        with self._lock:
            if self._restarts > budget.restarts:
                return f"started again more than {budget.restarts} times in one run"
            if self._start_seconds > budget.start_seconds:
                return f"took more than {budget.start_seconds:g} s for all its starts"
            if self._log_bytes > budget.log_bytes:
                return f"made a log of more than {budget.log_bytes} bytes"
        return ""

    @property
    def out_of_time(self) -> bool:
        """Whether the run has lasted as long as it may. A slow machine may be the reason."""
        return monotonic() - self._begun > self._budget.seconds
