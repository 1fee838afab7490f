"""From outcomes to a rank: for each percentile, the smallest budget at which a strategy was shown to win so often.

The win rate F(B) within a budget B is the mean of q 1[budget <= B], q being the referee's own posterior probability
of the proposed word. Wins have the same mean and far more variance. Whether F(B) reaches a percentile is decided
by betting (`wordpl.simulation.confidence_sequences`): the wealth only grows with B, so one test serves all budgets of a
player that plays its games alike, and it may be looked at after every trial. docs/ranking.md says what this costs, how
often it errs, and what holds for other players.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import open_fraction, whole_number
from wordpl.base.errors import WordplError
from wordpl.contest.judge.evidence import COLUMNS, ERROR, REASONS, TESTS, Flag, log_wealths
from wordpl.play.referee import Game, Verdict
from wordpl.play.setting import Turn
from wordpl.simulation import confidence_sequences
from wordpl.simulation.known_budgets import RECORDS
from wordpl.simulation.paired_statistics import Reach, Sample, within
from wordpl.simulation.statistics import PERCENTILES, percentile

Floats = NDArray[np.float64]

CONTEST_TRIALS = 1001
"""What the contest plays, and takes its sampled percentile of."""
MARGIN = 0.05
"""By how much a record must be improved to win, in a new ledger."""
_CLOSE = 0.005
_OF_GAME = ("trial", "answer", "proposed", "verdict", "reason", "seconds", "slowest")
"""What a row has as the game has it."""


@dataclass(frozen=True)
class StopRule:
    """When a run ends. It is part of the entry, so nobody can end or extend a run at will."""

    first: int = 1001
    """The first look; the sampled percentile needs this many trials."""
    step: int = 500
    """Looks are at `first`, `first + step` and so on, and at `max_trials`."""
    max_trials: int = 16001
    """The last look."""
    error: float = 0.05
    """Probability of a wrong decision at one percentile, on both sides and at all looks together.

    That of a board is shared by all attempts of one content.
    """

    def __post_init__(self) -> None:
        whole_number("first", self.first)
        whole_number("step", self.step)
        whole_number("max_trials", self.max_trials, minimum=self.first)
        open_fraction("error", self.error)

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of trials after which the run may end."""
        return (*range(self.first, self.max_trials, self.step), self.max_trials)


@dataclass(frozen=True)
class RankStanding:
    """How a submission stands at one percentile."""

    percentile: float
    budget: float
    """The smallest budget that was shown to reach the percentile; infinite if there is none."""
    win_rate: float
    """Mean chance within that budget; if there is none, within the sampled percentile, or over all."""
    low: float
    high: float
    """The ends of an interval for that win rate, valid at whatever time the run ended, for a budget fixed before."""
    wins: int
    """Number of games won within that budget."""
    sampled: float
    """The contest's figure: the percentile of the first 1,001 scores."""
    decided: bool
    """Whether each budget was shown to reach the percentile or to miss it, but for at most 0.5% between these."""

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high


@dataclass(frozen=True)
class Records:
    """What entries have to beat: the `budgets` known at each percentile, by the `margin`, a share below 1."""

    budgets: dict[float, float] = field(default_factory=lambda: dict(RECORDS))
    margin: float = MARGIN

    def __post_init__(self) -> None:
        if set(self.budgets) != set(PERCENTILES) or not all(0.0 < b < math.inf for b in self.budgets.values()):
            percents = ", ".join(f"{100 * q:g}" for q in PERCENTILES)
            raise WordplError(f"a record is a number above 0; one is needed at each percentile: {percents}")
        if not 0.0 <= self.margin < 1.0:
            raise WordplError(f"margin {self.margin:g} is not allowed; a number from 0 up to 1 is expected")

    def improvement(self, standing: RankStanding) -> float:
        """Improvement of `standing` over the record in percent; negative if worse."""
        return 100.0 * (1.0 - standing.budget / self.budgets[standing.percentile])

    def clears(self, standing: RankStanding) -> bool:
        """Whether the budget of `standing` beats the record by the margin."""
        # As exact as the decimals of the record: 14.82 is 5% below 15.6.
        return standing.budget <= self.budgets[standing.percentile] * (1.0 - self.margin) * (1.0 + 1e-12)


def standings(outcomes: EntryTrials, rule: StopRule) -> list[RankStanding]:
    """Return how `outcomes` stand at each percentile by the stop rule `rule`. Raises `WordplError` for no outcome."""
    if not len(outcomes):
        raise WordplError("no scores: at least one trial is needed")
    standings = []
    for q in PERCENTILES:
        budget, settled = _decision(outcomes, q, rule.error)
        sampled = percentile(outcomes.scores[:CONTEST_TRIALS], q)
        most = sampled if math.isinf(budget) else budget
        chances, wins = within(outcomes, most), int((outcomes.won & (outcomes.costs <= most)).sum())
        interval = confidence_sequences.anytime_interval(chances, rule.error)
        standings.append(RankStanding(q, budget, float(chances.mean()), *interval, wins, sampled, settled))
    return standings


def decided(outcomes: EntryTrials, rule: StopRule) -> bool:
    """Return whether these outcomes decide all three percentiles."""
    return all(_decision(outcomes, q, rule.error)[1] for q in PERCENTILES)


def flag(outcomes: EntryTrials) -> Flag:
    """Return whether `outcomes` tell of a player who knows more than its clues. An honest one is flagged with a
    probability of at most `evidence.ERROR`."""
    if len(outcomes.evidence) != len(outcomes):
        raise WordplError("outcomes without evidence cannot be flagged")
    logs = log_wealths(outcomes.won, outcomes.chances, outcomes.evidence)
    total, reason = confidence_sequences.mixed(logs), ""
    reached = np.flatnonzero(total >= -math.log(ERROR))
    trials = int(reached[0]) + 1 if reached.size else len(outcomes)
    if reached.size:
        test = int(logs[trials - 1].argmax())
        reason = f"{REASONS[TESTS[test]]} (e-value {_exp(logs[trials - 1, test]):.3g} after {trials} trials)"
    largest = {test: _exp(column.max(initial=0.0)) for test, column in zip(TESTS, logs.T, strict=True)}
    return Flag(_exp(total.max(initial=0.0)), largest, bool(reached.size), trials, reason)


def _exp(log: float) -> float:
    return math.exp(min(float(log), 700.0))  # without overflow


@dataclass(frozen=True)
class CurvePoint:
    """The win rate within a budget."""

    budget: float
    win_rate: float
    """Mean chance within that budget."""
    interval: tuple[float, float]
    """Of that win rate, valid at whatever time the run ended."""


def win_rate_curve(
    outcomes: EntryTrials, error: float, through: Sequence[float] = (), points: int = 40
) -> list[CurvePoint]:
    """Return the win rate within each of some budgets, in their order: at most `points` evenly spread over the trials.

    Finite budgets in `through` have a point, too. Each interval holds with probability 1 - `error` by itself. Without
    outcomes there are no points. Raises `WordplError` for an error that is not between 0 and 1.
    """
    finite = np.sort(outcomes.costs[np.isfinite(outcomes.costs)])
    places = np.linspace(0, len(finite) - 1, min(points, len(finite))).round().astype(int)
    budgets = {*map(float, finite[places]), *filter(math.isfinite, through)} if len(finite) else set()
    curve = []
    for budget in sorted(budgets):
        chances = within(outcomes, budget)
        interval = confidence_sequences.anytime_interval(chances, error)
        curve.append(CurvePoint(budget, float(chances.mean()), interval))
    return curve


def _decision(outcomes: EntryTrials, q: float, error: float) -> tuple[float, bool]:
    """The smallest budget that was shown to reach a percentile, and whether all 0.5% below were shown to miss it."""
    reach, enough = Reach(outcomes, q), -math.log(error / 2.0)
    spent = slice(1, None)  # budgets that some game has spent
    budgets = np.append(reach.budgets[spent], math.inf)
    reached, not_missed = reach.reached[spent] >= enough, reach.missed[spent] < enough
    clearing, missing = (float(budgets[np.append(sure, True).argmax()]) for sure in (reached, not_missed))
    return clearing, clearing == missing or clearing <= missing * (1.0 + _CLOSE) < math.inf


@dataclass(frozen=True)
class Row:
    """A finished trial."""

    trial: int
    answer: str
    proposed: str | None
    verdict: Verdict
    reason: str
    budget: float
    chance: float
    """The referee's posterior probability of the proposed word; 0 if there was none."""
    evidence: tuple[float, ...]
    """[COLUMNS]: what `evidence.figures` gives beside it."""
    log: list[tuple[str, float, int]]
    """Guess, epsilon and clue code of each ask."""
    errors: str
    """The end of what the contestant wrote to stderr."""
    seconds: float
    slowest: float

    @classmethod
    def of(cls, game: Game, chance: float, evidence: tuple[float, ...], errors: str = "") -> Row:
        """The row of a game that was just played."""
        same = {name: getattr(game, name) for name in (*_OF_GAME, "budget")}
        log = [(turn.guess, turn.epsilon, turn.clue) for turn in game.history]
        return cls(**same, chance=chance, evidence=evidence, log=log, errors=errors)

    @property
    def game(self) -> Game:
        """The game of this row."""
        return Game(**{name: getattr(self, name) for name in _OF_GAME}, history=tuple(Turn(*ask) for ask in self.log))


@dataclass(frozen=True, eq=False)
class EntryTrials(Sample):
    """The outcomes of the trials of a run, in order from trial 0, without gaps."""

    evidence: Floats = field(default_factory=lambda: np.zeros((0, COLUMNS)))
    """What `evidence.figures` gives beside the chances: [n, COLUMNS], or [0, COLUMNS] where nobody asks for a flag."""

    def __post_init__(self) -> None:
        n = len(self)
        shapes = (self.costs.shape, self.chances.shape, self.won.shape) == ((n,), (n,), (n,))
        if not shapes or self.evidence.shape not in ((n, COLUMNS), (0, COLUMNS)) or np.isnan(self.evidence).any():
            raise WordplError(f"each trial needs a budget, a chance, a win or none, and {COLUMNS} numbers of evidence")
        if not (self.costs >= 0.0).all() or not ((self.chances >= 0.0) & (self.chances <= 1.0)).all():
            raise WordplError("a budget is negative or a chance is not between 0 and 1")


def outcomes_of(rows: Iterable[Row]) -> EntryTrials:
    """The outcomes of rows in order from trial 0; what follows a gap is left out."""
    whole = [row for _, row in takewhile(lambda pair: pair[0] == pair[1].trial, enumerate(rows))]
    return EntryTrials(
        np.array([row.budget for row in whole], dtype=np.float64),
        np.array([row.chance for row in whole], dtype=np.float64),
        np.array([row.verdict == Verdict.WIN for row in whole], dtype=np.bool_),
        np.array([row.evidence for row in whole], dtype=np.float64).reshape(len(whole), COLUMNS),
    )


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
