"""From outcomes to a rank: per percentile the smallest budget at which a strategy surely wins often enough.

The win rate F(B) within a budget B is the mean of q 1[budget <= B], q being the referee's own posterior probability
of the proposed word. Wins have the same mean and far more variance. Whether F(B) reaches a percentile is decided
by betting (`wordpl.simulation.confidence_sequences`): the wealth only grows with B, so one test serves all budgets at
once, and it may be looked at after every trial. docs/ranking.md says what this costs and how often it errs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.contest import cells, evidence
from wordpl.contest.cells import MalformedError
from wordpl.contest.evidence import COLUMNS, ERROR, Flag
from wordpl.displays import counted, line_of
from wordpl.errors import WordplError
from wordpl.simulation import confidence_sequences
from wordpl.simulation.statistics import PERCENTILES, percentile

Floats = NDArray[np.float64]

CONTEST_TRIALS = 1001
"""What the contest plays, and takes its sampled percentile of."""
RECORDS = {0.05: 15.6, 0.50: 36.9, 0.95: 75.0}
"""The contest's leaderboard, https://github.com/TedTed/wordpl: G3, D95(12.3) and D95(25). New ledgers begin with it."""
MARGIN = 0.05
"""By how much a record must be improved to win, in a new ledger."""
_CLOSE = 0.005


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of the trials of a run, in order from trial 0, without gaps."""

    budgets: Floats
    """Epsilon spent, whether won or not: [n]."""
    chances: Floats
    """The referee's posterior probability of the proposed word, 0 if none was proposed: [n]."""
    won: NDArray[np.bool_]
    """[n]."""
    evidence: Floats = field(default_factory=lambda: np.zeros((0, COLUMNS)))
    """The other numbers in `Figures`: [n, COLUMNS], or [0, COLUMNS] where nobody asks for a flag."""

    def __post_init__(self) -> None:
        n = len(self.budgets)
        if not self.chances.shape == self.won.shape == self.budgets.shape == (n,):
            raise WordplError("budgets, chances and wins must be as many as there are trials")
        if self.evidence.shape not in ((n, COLUMNS), (0, COLUMNS)):
            raise WordplError(f"the evidence has shape {self.evidence.shape}; ({n}, {COLUMNS}) is expected")
        if np.isnan(self.evidence).any():
            raise WordplError("the evidence holds a NaN")
        if not (self.budgets >= 0.0).all() or not ((self.chances >= 0.0) & (self.chances <= 1.0)).all():
            raise WordplError("a budget is negative or a chance is not between 0 and 1")

    def __len__(self) -> int:
        return len(self.budgets)

    def first(self, trials: int) -> Outcomes:
        """Return the outcomes of the first `trials` trials."""
        return Outcomes(self.budgets[:trials], self.chances[:trials], self.won[:trials], self.evidence[:trials])

    @property
    def scores(self) -> Floats:
        """Budget of each won trial, infinity of each lost one: [n]."""
        return np.where(self.won, self.budgets, math.inf)

    def __repr__(self) -> str:
        return line_of(self, f"of {counted(len(self), 'trial')}, {int(self.won.sum())} won")


@dataclass(frozen=True)
class StopRule:
    """When a run ends. It is part of the entry, so nobody can end or extend a run at will."""

    first: int = 1001
    """The first look; the sampled percentile needs this many trials."""
    step: int = 500
    """Looks are at `first`, `first + step` and so on, and at `max_trials`."""
    max_trials: int = 16001
    error: float = 0.05
    """Probability of a wrong decision at one percentile, on both sides and at all looks together."""

    def __post_init__(self) -> None:
        if not (1 <= self.first <= self.max_trials and self.step >= 1):
            raise WordplError(
                f"first {self.first}, step {self.step} and max_trials {self.max_trials} are not allowed;"
                " 1 <= first <= max_trials and step >= 1 are expected"
            )
        if not 0.0 < self.error < 1.0:
            raise WordplError(f"error {self.error} is not allowed; a number between 0 and 1 is expected")

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of trials after which the run may end."""
        return (*range(self.first, self.max_trials, self.step), self.max_trials)

    def stops_at(self, outcomes: Outcomes) -> int | None:
        """Return the number of trials at which a run with these outcomes ends, or None if it must go on.

        It depends on the outcomes alone. Trials after the end do not change it.
        """
        for look in self.looks:
            if look > len(outcomes):
                return None
            if decided(outcomes.first(look), self):
                return look
        return self.max_trials


@dataclass(frozen=True)
class Standing:
    """How a submission stands at one percentile."""

    percentile: float
    budget: float
    """The smallest budget whose win rate surely reaches the percentile; infinite if there is none."""
    win_rate: float
    """Mean chance within that budget; if there is none, within the sampled percentile, or over all."""
    interval: tuple[float, float]
    """Of that win rate, valid at whatever time the run ended."""
    wins: int
    """Number of games won within that budget."""
    trials: int
    sampled: float
    """The contest's figure: the percentile of the first 1,001 scores."""
    decided: bool
    """Whether each budget surely reaches the percentile or surely does not, but for 0.5% of budget between."""


@dataclass(frozen=True)
class Records:
    """What there is to beat: the smallest budget known at each percentile, and by how much it must be improved."""

    budgets: Mapping[float, float] = field(default_factory=lambda: dict(RECORDS))
    margin: float = MARGIN

    def __post_init__(self) -> None:
        if set(self.budgets) != set(PERCENTILES) or not all(0.0 < b < math.inf for b in self.budgets.values()):
            raise WordplError(f"a record is a number above 0; one is needed at each percentile: {_PERCENTS}")
        if not 0.0 <= self.margin < 1.0:
            raise WordplError(f"margin {self.margin:g} is not allowed; a number from 0 up to 1 is expected")

    def improvement(self, standing: Standing) -> float:
        """Improvement over the record in percent; negative if worse."""
        return 100.0 * (1.0 - standing.budget / self.budgets[standing.percentile])

    def clears(self, standing: Standing) -> bool:
        """Whether the budget beats the record by the margin."""
        # As exact as the decimals of the record: 14.82 is 5% below 15.6.
        return standing.budget <= self.budgets[standing.percentile] * (1.0 - self.margin) * (1.0 + 1e-12)

    @property
    def facts(self) -> dict[str, Any]:
        """What the chain of a ledger says of them."""
        return {"records": {_percent(q): self.budgets[q] for q in PERCENTILES}, "margin": self.margin}

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Records:
        """The records that an event of a chain tells. Raises `MalformedError` if it tells none."""
        told, label = facts.get("records"), "records of the contest"
        if not isinstance(told, dict) or set(told) != set(map(_percent, PERCENTILES)):
            raise MalformedError(f"{label} are not one for each percentile")
        budgets = {q: cells.real(told[_percent(q)], label) for q in PERCENTILES}
        try:
            return cls(budgets, cells.real(facts.get("margin"), "margin of the contest"))
        except WordplError as error:
            raise MalformedError(f"{label}: {error}") from None


def _percent(q: float) -> str:
    return f"{100 * q:g}"


_PERCENTS = ", ".join(map(_percent, PERCENTILES))


def standings(outcomes: Outcomes, rule: StopRule) -> list[Standing]:
    """Return the standing at each of the contest's percentiles. Raises `WordplError` if there are no outcomes."""
    if not len(outcomes):
        raise WordplError("no scores: at least one trial is needed")
    return [_standing(outcomes, rule, q) for q in PERCENTILES]


def decided(outcomes: Outcomes, rule: StopRule) -> bool:
    """Return whether these outcomes decide all three percentiles."""
    return all(_Decision(outcomes, q, rule.error).made for q in PERCENTILES)


def flag(outcomes: Outcomes, error: float = ERROR) -> Flag:
    """Return whether a player who knows only its clues could have made these moves; see `wordpl.contest.evidence`.

    An honest run is flagged with probability at most `error`, whenever one looks.
    """
    if len(outcomes.evidence) != len(outcomes):
        raise WordplError("outcomes without evidence cannot be flagged")
    return evidence.flag(outcomes.won, outcomes.chances, outcomes.evidence, error)


@dataclass(frozen=True)
class CurvePoint:
    """The win rate within a budget."""

    budget: float
    win_rate: float
    """Mean chance within that budget."""
    interval: tuple[float, float]
    """Of that win rate, valid at whatever time the run ended."""


def win_rate_curve(
    outcomes: Outcomes, error: float, through: Sequence[float] = (), points: int = 40
) -> list[CurvePoint]:
    """Return the win rate within each of some budgets, in their order: at most `points` evenly spread over the trials.

    Finite budgets in `through` have a point, too. Each interval holds with probability 1 - `error` by itself. Without
    outcomes there are no points. Raises `WordplError` for an error that is not between 0 and 1.
    """
    spent = np.sort(outcomes.budgets[np.isfinite(outcomes.budgets)])
    at = np.linspace(0, len(spent) - 1, min(points, len(spent))).round().astype(int)
    budgets = {*map(float, spent[at]), *filter(math.isfinite, through)} if len(spent) else set()
    found = []
    for budget in sorted(budgets):
        chances = np.where(outcomes.budgets <= budget, outcomes.chances, 0.0)
        interval = confidence_sequences.anytime_interval(chances, error)
        found.append(CurvePoint(budget, float(chances.mean()), interval))
    return found


class _Decision:
    """Which budgets surely reach a percentile, and which surely do not."""

    def __init__(self, outcomes: Outcomes, q: float, error: float) -> None:
        enough = -math.log(error / 2.0)
        order = np.argsort(outcomes.budgets, kind="stable")
        budgets, chances = outcomes.budgets[order], outcomes.chances[order]
        last = np.append(budgets[1:] != budgets[:-1], True)
        budgets = np.append(budgets[last], math.inf)
        reached = confidence_sequences.partial_log_wealths(chances, 0.0, q)[last] >= enough
        missed = confidence_sequences.partial_log_wealths(1.0 - chances, 1.0, 1.0 - q)[last] >= enough
        self.clearing = float(budgets[np.append(reached, True).argmax()])
        """The smallest budget that surely reaches it."""
        self.open = float(budgets[np.append(~missed, True).argmax()])
        """All budgets below this one surely do not reach it."""

    @property
    def made(self) -> bool:
        return self.clearing == self.open or self.clearing <= self.open * (1.0 + _CLOSE) < math.inf


def _standing(outcomes: Outcomes, rule: StopRule, q: float) -> Standing:
    decision = _Decision(outcomes, q, rule.error)
    sampled = percentile(outcomes.scores[:CONTEST_TRIALS], q)
    shown = next((budget for budget in (decision.clearing, sampled) if math.isfinite(budget)), math.inf)
    within = outcomes.budgets <= shown
    chances = np.where(within, outcomes.chances, 0.0)
    return Standing(
        q,
        decision.clearing,
        float(chances.mean()),
        confidence_sequences.anytime_interval(chances, rule.error),
        int((within & outcomes.won).sum()),
        len(outcomes),
        sampled,
        decision.made,
    )
