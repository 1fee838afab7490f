"""The mean number of guesses of an ordinary game, for a player who follows the advice of `solve`.

The advice is the guess with the most information; ties go to possible answers, then to the alphabet. It is close to the
optimum, which takes a search (`wordpl.wordle.trees`).
"""

import math

import numpy as np

from wordpl.model.clues import Clue, clue_matrix, clue_row
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, letters_of
from wordpl.wordle.ranking import Indices, ranking
from wordpl.wordle.rules import HardMode, legal_after


class Steps:
    """Guesses to the end, in one list under one rule, in hard mode or not.

    A position is `left`, the answers that are possible, as rising positions in `words.answers`, and `allowed`, the
    guesses that may be made, as rising positions in `words.guesses`.
    """

    def __init__(self, words: WordList, rule: str, hard: HardMode) -> None:
        self.words, self.rule, self.hard = words, rule, hard
        self._clues = clue_matrix(words, rule)
        self._letters = letters_of(words.guesses)
        self._known: dict[tuple[bytes, bytes], float] = {}

    def expected(self, guess: str, left: Indices, allowed: Indices) -> float:
        """Expected number of guesses until the answer is guessed, beginning with any word as the next guess."""
        total = float(len(left))
        codes = clue_row(guess, self.words, self.rule)[left]
        for code in np.unique(codes).tolist():
            if code != self.words.n_clues - 1:
                part = left[codes == code]
                total += len(part) * self._value(part, self._legal(guess, code, allowed))
        return total / len(left)

    def line(self, answer: int, left: Indices, allowed: Indices, rows: int | None = None) -> list[str]:
        """The advised guesses from a position to the end, if `answer`, a position in `words.answers`, is the answer.

        `rows` is how many guesses the game has left; None if there is no end to them.
        """
        guesses: list[str] = []
        while len(guesses) != rows and self.words.answers[answer] not in guesses[-1:]:
            guess = self.best(left, allowed, None if rows is None else rows - len(guesses))
            guesses.append(guess)
            codes = clue_row(guess, self.words, self.rule)
            left, allowed = left[codes[left] == codes[answer]], self._legal(guess, int(codes[answer]), allowed)
        return guesses

    def best(self, left: Indices, allowed: Indices, rows: int | None = None) -> str:
        """The guess that is advised; in the last two of `rows` by the chance to win."""
        if len(left) == 1 or rows == 1:
            return self.words.answers[int(left[0])]
        prior = np.zeros(len(self.words.answers))
        prior[left] = 1.0
        belief = Posterior(self.words, self.rule, prior=prior)
        criterion = "expected_top" if rows == 2 else "information_gain"
        return self.words.guesses[int(ranking(belief, math.inf, criterion, allowed, 1)[0])]

    def _value(self, left: Indices, allowed: Indices) -> float:
        """Expected number of guesses from a position, as advised."""
        n = len(left)
        if n <= 2 or self._one_of_them_tells_all(left):
            return 2 - 1 / n
        key = left.tobytes(), allowed.tobytes() if self.hard else b""
        if key not in self._known:
            self._known[key] = self.expected(self.best(left, allowed), left, allowed)
        return self._known[key]

    def _one_of_them_tells_all(self, left: Indices) -> bool:
        """Return whether one of these answers has a different clue for each of them; then it is the best guess."""
        codes = np.sort(self._clues[np.ix_(self.words.answers_as_guesses[left], left)])
        return bool((codes[:, 1:] != codes[:, :-1]).all(axis=1).any())

    def _legal(self, guess: str, code: int, allowed: Indices) -> Indices:
        if not self.hard:
            return allowed
        return allowed[legal_after(self._letters[allowed], guess, Clue(code, len(guess)).marks, self.rule, self.hard)]
