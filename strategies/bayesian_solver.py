"""BayesianSolver: a player of Wordle, Fibble and noisy Wordle that knows the noise and the number of guesses left.

Source: our own work. `docs/fibble.md` explains how it values a number of possible answers, and measures how much each
of its parts is worth.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl import Ask, History, HistoryStrategy, Move, Posterior, Setting, WordplError, checks, tied_guesses
from wordpl.scoring import chances_in_three, counts_answers, expected_wins

from .common import one_of, proposal

# Below this share of the answers that later clues can tell apart, the game will be won: soonest by information.
_PLENTY = 0.05
_TIE = 1e-12


@dataclass(frozen=True, repr=False)
class BayesianSolver(HistoryStrategy):
    """Makes a win as probable as possible within the guesses that are left. For games of Wordle and Fibble.

    It computes the exact posterior. The last guess is the most probable answer. Near the end it looks ahead: with two
    guesses left it compares all guesses, and with three a few candidates; all are valued exactly.

    - `look_ahead`: Number of guesses left from which on it looks ahead to the end, 1 to 3.
    - `candidates`: Number of guesses that it compares with three left, 1 to 1,000: the best by `middle`.
    - `middle`: Rule for earlier guesses. "information" takes the guess that tells most about the answer, and counts a
      possible win as information. "wins" uses a formula for how many answers the remaining clues can tell apart; as
      long as many guesses are left, it takes information, too.

    Three is not the default. In Fibble with three and four lies it wins no more games than two, as far as we can
    measure, and takes three to five times as long (`python -m experiments.fibble parts`).

    "wins" and three guesses ahead need a channel under which all possible answers stay equally likely: Fibble, or no
    noise. Under other channels the player takes information until two guesses are left.
    """

    look_ahead: int = 2
    candidates: int = 4
    middle: str = "wins"

    def __post_init__(self) -> None:
        ahead = checks.whole_number("look_ahead", self.look_ahead, maximum=3)
        candidates = checks.whole_number("candidates", self.candidates, maximum=1000)
        checks.set_fields(self, look_ahead=ahead, candidates=candidates)
        one_of("middle", self.middle, ("wins", "information"))

    def check(self, setting: Setting) -> None:
        if not setting.format.is_wordle:
            raise WordplError(
                'BayesianSolver plays games with a limited number of guesses: add --game wordle:8, or format="wordle:8"'
            )

    def decide(self, setting: Setting, history: History) -> Move:
        first = setting.format.first_guess
        if first is not None and not history:
            return Ask(first, setting.row_epsilon)
        belief, left = setting.belief(history), (setting.format.guesses or 0) - len(history)
        if left == 1 or len(belief.possible) <= 2:
            return proposal(belief)
        counted = counts_answers(belief, setting.row_epsilon)
        if not counted:
            last = left == 2 <= self.look_ahead
            criterion = "expected_top" if last else "information_gain"
            ties = tied_guesses(belief, setting.row_epsilon, criterion, within=_TIE)
            return Ask(setting.words.guesses[_first(belief, ties)], setting.row_epsilon)
        scores = self._counted(setting, belief, left)
        guess = _first(belief, np.flatnonzero(scores >= scores.max() - _TIE))
        if left == 3 <= self.look_ahead:
            order = np.argsort(-scores, kind="stable")
            tried = [guess, *order[order != guess][: self.candidates - 1].tolist()]
            chances = chances_in_three(belief, setting.row_epsilon, tried)
            guess = tried[int(np.argmax(chances >= chances.max() - _TIE))]
        return Ask(setting.words.guesses[guess], setting.row_epsilon)

    def _counted(self, setting: Setting, belief: Posterior, left: int) -> NDArray[np.float64]:
        """Scores of all guesses by how many answers they leave possible."""
        # Not `setting.words.n_clues`, for some noise is in each clue.
        told = setting.channel(setting.row_epsilon, setting.words.length).capacity
        if left == 2 <= self.look_ahead:
            values = np.minimum(np.arange(len(setting.words.answers) + 1.0), 1.0)
        elif self.middle == "wins":
            values = wins_to_come(len(setting.words.answers), len(belief.possible), told * (left - 2))
        else:
            values = information_left(len(setting.words.answers), len(belief.possible))
        return expected_wins(belief, setting.row_epsilon, values)


def wins_to_come(answers: int, possible: int, bits: float) -> NDArray[np.float64]:
    """Return how many of s possible answers clues of so many bits are expected to win: [answers + 1], by s.

    Clues of b bits tell at most 2**b positions apart, and the last guess wins one answer in each that there is. Of
    2**b boxes, s answers put at random fill 2**b (1 - exp(-s / 2**b)) on average, as s is large. Where the boxes are
    many more than the `possible` answers now, nearly all are won anyway, and the result is `information_left`.
    """
    sizes = np.arange(answers + 1.0)
    if bits == 0.0:
        return np.asarray(np.minimum(sizes, 1.0))
    boxes = 2.0 ** min(bits, 1000.0)
    if possible < _PLENTY * boxes:
        return information_left(answers, possible)
    return np.asarray(np.minimum(sizes, -boxes * np.expm1(-sizes / boxes)))


def information_left(answers: int, possible: int) -> NDArray[np.float64]:
    """Return s times the share of log `possible` that is known with s answers left: [answers + 1], by s."""
    sizes = np.arange(answers + 1.0)
    logs = np.log(np.maximum(sizes, 1.0))
    return np.asarray(sizes * (1.0 - logs / math.log(max(possible, 2))))


def _first(belief: Posterior, best: NDArray[np.int64]) -> int:
    """Return the first of the best guesses that can be the answer, for it may win at once; if none can, the first."""
    possible = best[np.isin(best, belief.words.answers_as_guesses[belief.possible])]
    return int((possible if len(possible) else best)[0])
