"""Moves: what a player may do, and what the referee accepts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordpl.base.errors import shown

if TYPE_CHECKING:
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


def read_parts(raw: object) -> tuple[str, str, float]:
    """Read a player's return value: return `ask`, `answer` or `pair`, and its word and epsilon as exact built-in types.

    `raw` is an `Ask`, an `Answer`, or the contest's pair (word, epsilon), a tuple or a list. An epsilon is what has a
    `__float__` or `__index__`, also a NumPy array without dimensions, but not True or False. Raises `InvalidMoveError`
    for anything else. A contestant's process also reads its moves with this function.
    """
    try:
        kind, word, epsilon = "pair", None, None
        if isinstance(raw, Answer):
            kind, word, epsilon = "answer", raw.word, 0.0
        elif isinstance(raw, Ask):
            kind, word, epsilon = "ask", raw.guess, raw.epsilon
        elif isinstance(raw, (tuple, list)) and len(raw) == 2:
            word, epsilon = raw
        else:
            raise InvalidMoveError(f"move {shown(raw)} is neither Ask, Answer nor a pair (word, epsilon)")
        number = _real(epsilon)
        if not isinstance(word, str):
            raise _unknown(word, kind == "answer" or (kind == "pair" and number <= 0.0))
        # The text itself, even if a subclass of `str` overrides its methods.
        return kind, str.__str__(word), number
    except InvalidMoveError:
        raise
    except Exception as error:  # an object whose own methods err, or that only pretends to be of its class
        raise InvalidMoveError(f"move cannot be read: {shown(type(error).__name__)}") from None


def read_move(raw: object, words: WordList, noiseless: bool) -> Move:
    """Return the legal move that a player's return value stands for, rebuilt from exact `str` and `float`.

    `raw` is as in `read_parts`; in a pair, an epsilon of 0 or less proposes the word, as in the contest. Raises
    `InvalidMoveError` for an unknown word, a proposal that cannot be the answer, and an epsilon of an ask that is not
    above 0 or, unless the game is `noiseless`, not finite.
    """
    kind, word, epsilon = read_parts(raw)
    if kind == "answer" or (kind == "pair" and epsilon <= 0.0):
        if word not in words.answer_index:
            raise _unknown(word, proposed=True)
        return Answer(word)
    if word not in words.guess_index:
        raise _unknown(word, proposed=False)
    if not epsilon > 0.0:
        raise InvalidMoveError(f"epsilon {epsilon} of an ask is not above 0")
    if math.isinf(epsilon) and not noiseless:
        raise InvalidMoveError("epsilon inf is not allowed in a game with a finite budget")
    return Ask(word, epsilon)


def _unknown(word: object, proposed: bool) -> InvalidMoveError:
    which = ("proposed", "answers") if proposed else ("guess", "guesses")
    return InvalidMoveError(f"{which[0]} {shown(word)} is not in the list of {which[1]}")


def _real(value: Any) -> float:
    """A real number as a plain `float`, also of a subclass. Raises `InvalidMoveError` for anything else."""
    if isinstance(value, float):
        number = float.__float__(value)
    elif not _is_number(value):
        raise InvalidMoveError(f"epsilon {shown(value)} is not a number")
    else:
        try:
            number = float(int.__index__(value) if isinstance(value, int) else value)
        except OverflowError:
            number = math.inf if value > 0 else -math.inf
        if number == math.inf and value != number:
            raise InvalidMoveError("epsilon is too large for a float")
    if math.isnan(number):
        raise InvalidMoveError("epsilon is NaN")
    return number


def _is_number(value: Any) -> bool:
    dtype = getattr(getattr(value, "dtype", None), "kind", "f")  # NumPy's truth values and spans of time are of others
    kind = type(value)
    is_scalar = getattr(value, "ndim", 0) == 0 and dtype in ("i", "u", "f")
    return is_scalar and kind is not bool and (hasattr(kind, "__float__") or hasattr(kind, "__index__"))
