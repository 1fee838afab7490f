"""The adversary: it has no fixed answer, and after every guess it keeps as many answers possible as it can.

Clues are exact and not random: each is the clue that most of the answers left would give. A tie goes to the clue with
the fewest correct marks, then to the one with the fewest present marks, as in Absurdle
(https://qntm.org/absurdle), then to the smallest clue code. So all correct is given only when one answer is left.
"""

import math

import numpy as np

from wordpl.model.clues import Clue, check_rule, clue_row
from wordpl.model.words import WordList, as_words, fold_word
from wordpl.play.moves import Ask
from wordpl.play.setting import History, Turn


class Adversary:
    """One game against the adversary, which is an opponent for `OpenGame`.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`. Raises `WordplError` for an unknown
    rule.
    """

    def __init__(self, words: WordList | str, rule: str = "counted") -> None:
        words = as_words(words)
        self.words, self.rule = words, check_rule(rule)
        self.history: History = ()
        self._left = np.arange(len(words.answers))

    @property
    def left(self) -> tuple[str, ...]:
        """The answers that fit every clue given; never empty."""
        return tuple(self.words.answers[i] for i in self._left)

    def clue(self, guess: str) -> Clue:
        """Return the clue to `guess`, and rule out all answers that it does not fit.

        Raises `WordplError` for a word of another length.
        """
        codes = clue_row(guess, self.words, self.rule)[self._left]
        counts = np.bincount(codes)
        largest = np.flatnonzero(counts == counts.max()).tolist()
        marks = {code: Clue(code, self.words.length).marks for code in largest}
        code = min(largest, key=lambda code: (marks[code].count(2), marks[code].count(1), code))
        self._left = self._left[codes == code]
        self.history += (Turn(fold_word(guess), math.inf, code),)
        return Clue(code, self.words.length)

    def reply(self, ask: Ask) -> Turn:
        """The clue to `ask`, a legal one; see `wordpl.play.referee.Opponent`."""
        self.clue(ask.guess)
        return self.history[-1]

    def is_answer(self, word: str) -> bool:
        """Return whether `word` is the only answer left."""
        return self.left == (word,)
