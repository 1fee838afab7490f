"""Moves: what a player may do, and what the referee accepts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordpl.errors import one_line
from wordpl.model.words import WordList


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask for a noisy clue to `guess` at `epsilon`, above 0; inf is allowed in noiseless games only."""

    guess: str
    epsilon: float


@dataclass(frozen=True, slots=True)
class Answer:
    """Propose `word` as the answer; the game ends."""

    word: str


Move = Ask | Answer


class InvalidMoveError(Exception):
    """A move that the rules do not allow; it loses the trial. The text is the reason."""


def read_move(raw: object, words: WordList, noiseless: bool) -> Move:
    """Return the legal move that a player's return value stands for, rebuilt from exact `str` and `float`.

    `raw` is an `Ask`, an `Answer`, or the contest's pair (word, epsilon), where epsilon 0 proposes the word.
    Raises `InvalidMoveError` for an unknown word, a proposal that cannot be the answer, and an epsilon
    that is not a positive number or, unless the game is `noiseless`, not finite.
    """
    try:
        epsilon = 0.0
        if isinstance(raw, Answer):
            word = raw.word
        elif isinstance(raw, Ask):
            word, epsilon = raw.guess, _read_epsilon(raw.epsilon)
        elif isinstance(raw, tuple) and len(raw) == 2:
            word, epsilon = raw[0], _read_epsilon(raw[1])
        else:
            raise InvalidMoveError(f"move {_text(raw)} is neither Ask, Answer nor a pair (word, epsilon)")
        # The text itself, even if a subclass of `str` overrides its methods.
        exact = str.__str__(word) if isinstance(word, str) else ""
        if epsilon == 0.0 and not isinstance(raw, Ask):
            if exact not in words.answer_index:
                raise InvalidMoveError(f"proposed {_text(word)} is not in the list of answers")
            return Answer(exact)
        if exact not in words.guess_index:
            raise InvalidMoveError(f"guess {_text(word)} is not in the list of guesses")
        if not epsilon > 0.0:
            raise InvalidMoveError(f"epsilon {epsilon} of an ask is not above 0")
        if math.isinf(epsilon) and not noiseless:
            raise InvalidMoveError("epsilon inf is not allowed in a game with a finite budget")
        return Ask(exact, epsilon)
    except InvalidMoveError:
        raise
    except Exception as error:  # an object whose own methods err, or that only pretends to be of its class
        raise InvalidMoveError(f"move cannot be read: {_text(type(error).__name__)}") from None


def _read_epsilon(epsilon: object) -> float:
    # numpy counts spans of time among its integers.
    if isinstance(epsilon, (bool, np.timedelta64)) or not isinstance(epsilon, (int, float, np.integer, np.floating)):
        raise InvalidMoveError(f"epsilon {_text(epsilon)} is not a number")
    try:
        value = float(epsilon)
    except OverflowError:
        raise InvalidMoveError("epsilon is too large for a float") from None
    if math.isnan(value):
        raise InvalidMoveError("epsilon is NaN")
    if value < 0:
        raise InvalidMoveError(f"epsilon {value} is negative")
    return value


def _text(value: object) -> str:
    """`repr` on one line, cut to a length fit for a record."""
    try:
        text = repr(value)
    except Exception:  # its own repr errs, or it is a whole number too long to print
        text = f"of type {type(value).__name__}"
    return one_line(text, 60)
