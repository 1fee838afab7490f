"""Helpers that several strategies share."""

import hashlib
import math
from dataclasses import Field, fields
from typing import Any

from wordpl import Answer, Posterior, Setting, Strategy, WordplError, channel_name
from wordpl.base import read_file

ALL_BUT_CERTAIN = math.nextafter(1.0, 0.0)
"""The largest probability below 1 in double precision."""


def file_digest(path: str, kind: str) -> str:
    """Return a short hash of a file's content, for a strategy's identity.

    Raises `WordplError` for a file of this `kind` that cannot be read, and for a pipe or a device.
    """
    return hashlib.sha256(read_file(path, kind)).hexdigest()[:16]


def certain(belief: Posterior) -> Answer | None:
    """Return the proposal of the answer whose probability is 1 in double precision; None if there is none."""
    return proposal(belief) if belief.top[1] > ALL_BUT_CERTAIN else None


def proposal(belief: Posterior) -> Answer:
    """Return the proposal of the most probable answer."""
    return Answer(belief.top[0])


def one_of(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Raise `WordplError` unless `value` is one of `choices`."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise WordplError(f"{name} {value!r} is not allowed; choose from {', '.join(map(repr, choices))}")


def word(name: str, value: object, optional: bool = False) -> None:
    """Raise `WordplError` unless `value` is text (or None where that is allowed)."""
    if not (isinstance(value, str) or (optional and value is None)):
        raise WordplError(f"{name} {value!r} is not allowed; a word is expected")


def known_word(strategy: Strategy, name: str, setting: Setting) -> str | None:
    """Return the word in field `name`, or None if the strategy has to choose one for this list.

    If the list does not have the word, the default of the field counts as None. Any other word raises `WordplError`.
    """
    value: str | None = getattr(strategy, name)
    if value is None or value in setting.words.guess_index:
        return value
    field: Field[Any] = next(field for field in fields(strategy) if field.name == name)  # type: ignore[arg-type]
    if value == field.default:
        return None
    raise WordplError(f"{name} {value!r} is not among the guesses of {setting.words.name}")


def check_jitter(strategy: Strategy, jitter: float | None, setting: Setting) -> None:
    """Raise `WordplError` if a strategy would vary its epsilons, and all clues of the setting have the same."""
    if jitter and math.isfinite(setting.row_epsilon):
        raise WordplError(
            f"{type(strategy).__name__} varies its epsilons at random, and each clue of channel"
            f" {channel_name(setting.channel)} has epsilon {setting.row_epsilon:g}; choose a strategy that does not"
        )
