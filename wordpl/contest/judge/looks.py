"""The judge of a run: takes the rows of its trials as they come, and says when the run is over."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from wordpl.contest.judge.ranking import StopRule, decided
from wordpl.contest.judge.trials import Row, outcomes_of


class EntryJudge:
    """Asks a stop rule at its looks in order, so that a run ends at the same one in whatever order its trials come."""

    def __init__(self, rule: StopRule, rows: Iterable[Row] = ()) -> None:
        """`rows` are those that were played before, as when a run is resumed."""
        self._rule, self._looks = rule, deque(rule.looks)
        self._rows: dict[int, Row] = {}
        self.outcomes = outcomes_of([])
        """Those of the last look."""
        self.over = self.take(rows)
        """Whether the trials that were taken decide the run."""

    def take(self, rows: Iterable[Row]) -> bool:
        """Take finished trials, in any order; returns whether the run is over with the trials of the last look."""
        for row in rows:
            # What the stop rule needs of it. Logs may take megabytes.
            self._rows.setdefault(row.trial, replace(row, log=[], errors="", reason=""))
        while self._looks and not self.missing(self._looks[0]):
            look = self._looks.popleft()
            self.outcomes = outcomes_of(self._rows[trial] for trial in range(look))
            if not self._looks or decided(self.outcomes, self._rule):
                self._looks.clear()
        self.over = not self._looks
        return self.over

    def missing(self, trials: int | None = None) -> list[int]:
        """The numbers of the trials that were not taken, below `trials`; by default below the last look."""
        return [n for n in range(self._rule.max_trials if trials is None else trials) if n not in self._rows]

    @property
    def progress(self) -> tuple[int, int]:
        """How many trials there are of those until the next look, and how many that are."""
        look = len(self.outcomes) if self.over else self._looks[0]
        return look - len(self.missing(look)), look
