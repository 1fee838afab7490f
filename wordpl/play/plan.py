"""Plans: a strategy written as data, so that a file without wordpl can play it (`wordpl contest export`).

A plan has a table of moves for some sequences of clues, and rounds that say how every other move is computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wordpl.base.errors import WordplError

SCORES = ("clue_entropy", "information_gain", "renyi", "expected_top")
"""Criteria by which a round can choose among guesses, as in `score_guesses`."""


@dataclass(frozen=True)
class Round:
    """The rule that computes a move that is not in the table."""

    by: str
    """One of `SCORES`, `likeliest` (asks the most probable answer) or `word` (always asks the word `word`)."""
    epsilon: float | None = None
    """Epsilon of the clue. None spends the rest of the budget, or the part that `budget_fractions` gives."""
    order: float = 1.0
    """Order of `renyi`."""
    budget_fractions: tuple[tuple[float, float], ...] = ()
    """Pairs of an entropy in bits and a fraction of the remaining budget, as in `Policy`."""
    relative_cutoff: float = 0.0
    """Answers less probable than this times the most probable one are left out of the choice."""
    answers_only: bool = False
    """True if only words that can be the answer are candidates."""
    word: str = ""
    """The guess of a round by `word`."""

    @classmethod
    def of_order(cls, order: float, **more: Any) -> Round:
        """Return a round that chooses by Rényi information of this `order`, 0.1 to inf; `more` are other fields."""
        return cls("expected_top", **more) if math.isinf(order) else cls("renyi", order=order, **more)

    def __post_init__(self) -> None:
        if self.by not in (*SCORES, "likeliest", "word"):
            raise WordplError(f"a round by {self.by!r} cannot be exported; {', '.join(SCORES)} can")


@dataclass(frozen=True)
class Plan:
    """Which guess and epsilon a strategy asks after which clues. At the end it proposes the most probable answer."""

    rounds: tuple[Round, ...] = ()
    """One for each clue."""
    moves: Mapping[tuple[int, ...], tuple[str, float | None]] = field(default_factory=dict)
    """Maps the clue codes so far to a guess and an epsilon (None for the rest of the budget). It overrides `rounds`."""
    budget: float | None = None
    """Budget of a game; required if a round or a move spends the rest of it."""
    certainty: float = math.inf
    """As soon as the probability of the most probable answer exceeds this number, it is proposed."""
    endless: bool = False
    """True if the last round is repeated until `certainty` is exceeded."""

    @property
    def worst(self) -> float:
        """The most that a game can spend; infinite if there is no bound."""
        if self.budget is not None:
            return self.budget
        if self.endless:
            return math.inf
        largest = dict(enumerate(one.epsilon or 0.0 for one in self.rounds))
        for path, (_, epsilon) in self.moves.items():
            largest[len(path)] = max(largest.get(len(path), 0.0), epsilon or 0.0)
        return math.fsum(largest.values())
