"""The host that has no answer: after every guess it keeps as many answers possible as it can.

Noiseless, and without chance: the clue is that of the largest part of the answers that are left, the
smallest clue code on a tie. Since all correct is the largest code, it is given only when one answer is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordpl.errors import WordplError
from wordpl.model.clues import Clue, check_rule, clue_row
from wordpl.model.words import WordList
from wordpl.play.moves import Ask, read_move
from wordpl.play.strategy import History, Player, Turn

MOST_TURNS = 1000
"""A player who has not found the word by then never will."""


@dataclass(frozen=True, slots=True)
class Duel:
    """How a game against the adversary ended."""

    won: bool
    answer: str
    """The word proposed if it was right, else one that fits all clues as well."""
    turns: int
    """As an ordinary game counts them."""


class Adversary:
    """One game against the host that changes its answer to stay alive."""

    def __init__(self, words: WordList, rule: str = "counted") -> None:
        self.words, self.rule = words, check_rule(rule)
        self.history: History = ()
        self._left = np.arange(len(words.answers))

    @property
    def left(self) -> tuple[str, ...]:
        """The answers that fit every clue given; never empty."""
        return tuple(self.words.answers[i] for i in self._left)

    def clue(self, guess: str) -> Clue:
        """The clue to any word of the right length, which settles what the answer can still be."""
        codes = clue_row(guess, self.words, self.rule)[self._left]
        code = int(np.bincount(codes).argmax())  # the first, so the smallest, of equals
        self._left = self._left[codes == code]
        self.history += (Turn(guess.lower(), math.inf, code),)
        return Clue(code, self.words.length)

    def play(self, player: Player) -> Duel:
        """Host a game of `player` to its end, as `Referee.play` does: a clue for each ask, until it proposes.

        Clues are exact whatever epsilon is asked. A proposal is right only if no other answer is left.
        Raises `InvalidMoveError` for a move that the rules do not allow, and `WordplError` for a player who
        asks for ever.
        """
        move = read_move(player.first_move(), self.words, noiseless=True)
        while isinstance(move, Ask):
            if len(self.history) == MOST_TURNS:
                raise WordplError(f"the player has proposed nothing in {MOST_TURNS} guesses")
            given = self.clue(move.guess)
            move = read_move(player.next_move(move.guess, math.inf, str(given)), self.words, noiseless=True)
        return self._judge(move.word)

    def _judge(self, proposed: str) -> Duel:
        others = [word for word in self.left if word != proposed]
        asked_last = bool(self.history) and self.history[-1].guess == proposed
        return Duel(not others, others[0] if others else proposed, len(self.history) + (0 if asked_last else 1))
