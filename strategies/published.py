"""G3 and D95: the strategies that hold the contest's records of 2025.

Source: the WORDPL contest repository (https://github.com/TedTed/wordpl, strategies g3 and d95), by marcpare.
Their tables of second guesses are taken over as they were published. The method is theirs, the code is ours.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import (
    Answer,
    Ask,
    Clue,
    History,
    HistoryStrategy,
    Move,
    Posterior,
    Setting,
    WordplError,
    best_guess,
    checks,
    clue_row,
    load_words,
)

from .common import proposal

LIKELIEST = 46
"""The number of answers that D95 looks at when it chooses its third guess: a fiftieth of the contest's 2,315."""


@cache
def _second_guesses(table: str) -> dict[str, str]:
    """The second guess after each clue."""
    return dict(json.loads((Path(__file__).parent / "policies/published.json").read_text())[table])


class _Published(HistoryStrategy):
    def check(self, setting: Setting) -> None:
        contest = load_words("original")
        if (setting.words.answers, setting.rule) != (contest.answers, "letterwise"):
            raise WordplError(f"{type(self).__name__} has a table for the contest's words and rule only")


@dataclass(frozen=True, repr=False)
class G3(_Published):
    """Asks TRACE, then the word of its table, then proposes the most probable answer.

    - `epsilon1`: Budget of the first clue, above 0.
    - `epsilon2`: Budget of the second clue, above 0.
    """

    epsilon1: float
    epsilon2: float

    def __post_init__(self) -> None:
        for name in ("epsilon1", "epsilon2"):
            checks.set_fields(self, **{name: checks.finite_positive(name, getattr(self, name))})

    def last_ask(self, setting: Setting, history: History) -> bool:
        return len(history) == 1

    def decide(self, setting: Setting, history: History) -> Move:
        if not history:
            return Ask("trace", self.epsilon1)
        if len(history) == 1:
            return Ask(_second_guesses("G3")[str(Clue(history[0].clue))], self.epsilon2)
        return proposal(setting.belief(history))


@dataclass(frozen=True, repr=False)
class D95(_Published):
    """Asks SALET, the word of its table, and the best guess for the likeliest answers; then proposes the likeliest.

    - `epsilon`: Budget of each of the three clues, above 0. Below 20 it has another table than from 20 on.
    """

    epsilon: float

    def __post_init__(self) -> None:
        checks.set_fields(self, epsilon=checks.finite_positive("epsilon", self.epsilon))

    def last_ask(self, setting: Setting, history: History) -> bool:
        return len(history) == 2

    def decide(self, setting: Setting, history: History) -> Move:
        if not history:
            return Ask("salet", self.epsilon)
        if len(history) == 1:
            table = "D95_below_20" if self.epsilon < 20 else "D95"
            return Ask(_second_guesses(table)[str(Clue(history[0].clue))], self.epsilon)
        if len(history) == 3:
            return Answer(setting.words.answers[int(self._weights(setting, history).argmax())])
        return Ask(best_guess(self.likeliest(setting, history), self.epsilon, "expected_top"), self.epsilon)

    def likeliest(self, setting: Setting, history: History) -> Posterior:
        """Return the posterior over the `LIKELIEST` answers alone."""
        weights = self._weights(setting, history)
        prior = np.zeros(len(weights))
        chosen = _argsort()(weights)[-LIKELIEST:]
        prior[chosen] = weights[chosen]
        return Posterior(setting.words, prior=prior)

    def _weights(self, setting: Setting, history: History) -> NDArray[np.float64]:
        """The likelihood of each answer: [answers].

        Many answers are equally likely. Which of them the published program takes depends on how it rounds and sorts
        (by numba's `argsort`), so the same products are made, and sorted in the same way.
        """
        keep = 1.0 - 2.0 / (2.0 + math.exp(self.epsilon / 5.0))
        flip = 1.0 / (2.0 + math.exp(self.epsilon / 5.0))
        likelihood = np.array([keep ** (5 - wrong) * flip**wrong for wrong in range(6)])
        weights = np.ones(len(setting.words.answers))
        for turn in history:
            weights *= likelihood[_wrong_marks(turn.clue)[clue_row(turn.guess, setting.words)]]
        return weights


@cache
def _wrong_marks(code: int) -> NDArray[np.intp]:
    """The number of marks in which each clue code differs from `code`: [243]."""
    marks = np.array([Clue(other).marks for other in range(243)])
    return np.asarray((marks != marks[code]).sum(axis=1))


@cache
def _argsort() -> Any:
    import numba  # it takes half a second to import

    return numba.njit(lambda values: np.argsort(values))
