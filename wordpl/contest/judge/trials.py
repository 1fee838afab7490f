"""Trials of a run: the row of one, as the referee makes it and a ledger keeps it, and the outcomes of many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from wordpl.base.errors import WordplError
from wordpl.contest.judge.evidence import COLUMNS, Figures
from wordpl.play.referee import Game, Verdict
from wordpl.play.setting import Turn

Floats = NDArray[np.float64]


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
    """What `evidence.figures` gives beside it."""
    log: list[tuple[str, float, int]]
    """Guess, epsilon and clue code of each ask."""
    errors: str
    """The end of what the contestant wrote to stderr."""
    seconds: float
    slowest: float

    @classmethod
    def of(cls, game: Game, figures: Figures, errors: str = "") -> Row:
        """The row of a game that was just played."""
        names = ("trial", "answer", "proposed", "verdict", "reason", "budget", "seconds", "slowest")
        log = [(turn.guess, turn.epsilon, turn.clue) for turn in game.history]
        return cls(**{name: getattr(game, name) for name in names}, **vars(figures), log=log, errors=errors)

    @property
    def game(self) -> Game:
        """The game of this row."""
        names = ("trial", "answer", "proposed", "verdict", "reason", "seconds", "slowest")
        return Game(**{name: getattr(self, name) for name in names}, history=tuple(Turn(*ask) for ask in self.log))


@dataclass(frozen=True, eq=False)
class EntryTrials:
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
        shapes = (self.budgets.shape, self.chances.shape, self.won.shape) == ((n,), (n,), (n,))
        if not shapes or self.evidence.shape not in ((n, COLUMNS), (0, COLUMNS)) or np.isnan(self.evidence).any():
            raise WordplError(f"budgets, chances, wins and rows of {COLUMNS} numbers must be as many as the trials")
        if not (self.budgets >= 0.0).all() or not ((self.chances >= 0.0) & (self.chances <= 1.0)).all():
            raise WordplError("a budget is negative or a chance is not between 0 and 1")

    def __len__(self) -> int:
        return len(self.budgets)

    def first(self, trials: int) -> EntryTrials:
        """The first `trials` of them."""
        return EntryTrials(*(column[:trials] for column in vars(self).values()))


def outcomes_of(rows: Iterable[Row]) -> EntryTrials:
    """The outcomes of rows in order from trial 0; what follows a gap is left out."""
    whole = [row for _, row in takewhile(lambda pair: pair[0] == pair[1].trial, enumerate(rows))]
    return EntryTrials(
        np.array([row.budget for row in whole], dtype=np.float64),
        np.array([row.chance for row in whole], dtype=np.float64),
        np.array([row.verdict == Verdict.WIN for row in whole], dtype=np.bool_),
        np.array([row.evidence for row in whole], dtype=np.float64).reshape(len(whole), COLUMNS),
    )
