"""Plans: a strategy told in data, so that a file without wordpl can play it (`wordpl export`).

A plan has a table of moves by clue path, and rounds that say how every other move is computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wordpl.errors import WordplError

SCORES = ("clue_entropy", "information_gain", "renyi", "expected_top")
"""Criteria by which a round can choose among guesses, as in `score_guesses`."""


@dataclass(frozen=True)
class Round:
    """How a move that is not in the table is found."""

    by: str
    """One of `SCORES`; `likeliest` asks the most probable answer, `word` always the same word."""
    epsilon: float | None = None
    """Of the clue; None for the rest of the plan's budget, or a share of it."""
    order: float = 1.0
    """Of `renyi`."""
    share: tuple[tuple[float, float], ...] = ()
    """(entropy of the posterior in bits, part of the rest), straight lines between, as in `Policy`."""
    least: float = 0.0
    """Answers below this part of the most probable one play no part in the choice."""
    answers_only: bool = False
    """Whether only words that can be the answer are candidates."""
    word: str = ""

    @classmethod
    def of_order(cls, order: float, **more: Any) -> Round:
        """A round by Arimoto's information of that order; at infinity that is the expected top posterior."""
        return cls("expected_top", **more) if math.isinf(order) else cls("renyi", order=order, **more)

    def __post_init__(self) -> None:
        if self.by not in (*SCORES, "likeliest", "word"):
            raise WordplError(f"a round by {self.by!r} cannot be exported; {', '.join(SCORES)} can")


@dataclass(frozen=True)
class Plan:
    """What is asked after which clues; when there is nothing left to ask, the most probable answer is proposed."""

    rounds: tuple[Round, ...] = ()
    """One for each clue."""
    moves: Mapping[tuple[int, ...], tuple[str, float | None]] = field(default_factory=dict)
    """Clue codes so far -> guess and epsilon (None for the rest of the budget). Goes before `rounds`."""
    budget: float | None = None
    """Of a game, where a round or a move spends the rest of it."""
    certainty: float = math.inf
    """The most probable answer is proposed as soon as its probability exceeds this."""
    endless: bool = False
    """Whether the last round is repeated until `certainty`."""

    @property
    def worst(self) -> float:
        """The most that a game can spend; infinite if there is no bound."""
        if self.budget is not None:
            return self.budget
        if self.endless:
            return math.inf
        deepest = max([len(self.rounds), *(len(path) + 1 for path in self.moves)])
        most = [r.epsilon or 0.0 for r in self.rounds] + [0.0] * (deepest - len(self.rounds))
        for path, (_, epsilon) in self.moves.items():
            most[len(path)] = max(most[len(path)], epsilon or 0.0)
        return sum(most)
