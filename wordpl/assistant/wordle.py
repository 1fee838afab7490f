"""A game of ordinary Wordle for a person: a number of turns, and hard mode if wanted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from datetime import date

from wordpl.errors import WordplError
from wordpl.model.clues import Clue, clue
from wordpl.model.words import WordList
from wordpl.play.seeds import Seeds, stream
from wordpl.play.setting import History, Turn

TURNS = 6
FIBBLE_TURNS = 9
"""Turns of a game on fibble.xyz."""

_PLACES = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
_TIMES = ("", "", " twice", " three times", " four times", " five times", " six times", " seven times", " eight times")


class Wordle:
    """One game. `host` gives the clue to a guess, as `Adversary.clue` does; `Wordle.drawn` makes a game with an answer.

    The game is won when a clue is all correct, and lost after `max_turns` other guesses (None is no limit).
    """

    def __init__(
        self,
        words: WordList,
        host: Callable[[str], Clue],
        rule: str = "counted",
        hard: bool = False,
        max_turns: int | None = TURNS,
    ) -> None:
        self.words, self.rule, self.hard, self.max_turns = words, rule, hard, max_turns
        self.turns: History = ()
        self.answer: str | None = None
        """The answer, if it was drawn."""
        self._host = host

    @classmethod
    def drawn(cls, words: WordList, seed: int, trial: int = 0, rule: str = "counted", hard: bool = False) -> Wordle:
        """A game of six turns with the answer of a trial under a root seed, as the referee draws it."""
        answer = words.answers[Seeds(seed).answer(trial, len(words.answers))]
        game = cls(words, lambda guess: clue(guess, answer, rule), rule, hard)
        game.answer = answer
        return game

    @classmethod
    def of_the_day(cls, words: WordList, day: date, rule: str = "counted", hard: bool = False) -> Wordle:
        """A game of six turns with the answer of a day: the same for everybody who plays the same list and rule.

        The root seed is a hash of the words and the rule, the trial is the number of the day (`date.toordinal`). So the
        answer can be worked out by anybody who has this package.
        """
        seed = stream(int(words.digest, 16), f"word of the day, {rule}")
        return cls.drawn(words, seed, day.toordinal(), rule, hard)

    @property
    def won(self) -> bool:
        """Whether the last clue was all correct."""
        return bool(self.turns) and self.turns[-1].clue == self.words.n_clues - 1

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.won or len(self.turns) == self.max_turns

    def guess(self, word: str) -> Clue:
        """The clue to a guess, which takes a turn. Raises `WordplError`, and takes none, if it is not allowed."""
        if self.over:
            raise WordplError("the game is over")
        if word not in self.words.guess_index:
            raise WordplError(f"{word!r} is not among the guesses of {self.words.name}")
        fault = hard_mode_fault(word, self.turns, self.rule) if self.hard else ""
        if fault:
            raise WordplError(f"hard mode: {fault}")
        found = self._host(word)
        self.turns = (*self.turns, Turn(word, math.inf, found.code))
        return found


def hard_mode_fault(word: str, turns: History, rule: str = "counted") -> str:
    """What official hard mode has against `word` after these turns; empty if it allows it."""
    for turn in turns:
        marks = Clue(turn.clue, len(turn.guess)).marks
        for k, (letter, mark) in enumerate(zip(turn.guess, marks, strict=True)):
            if mark == 2 and word[k] != letter:
                return f"the {_PLACES[k]} letter must be {letter.upper()}"
        shown = Counter(letter for letter, mark in zip(turn.guess, marks, strict=True) if mark)
        correct = Counter(letter for letter, mark in zip(turn.guess, marks, strict=True) if mark == 2)
        for letter, times in shown.items():
            # Under the letterwise rule all copies are marked for one letter of the answer.
            needed = times if rule == "counted" else max(1, correct[letter])
            if word.count(letter) < needed:
                return f"the guess must contain {letter.upper()}{_TIMES[needed]}"
    return ""
