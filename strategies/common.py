"""What several strategies share."""

import hashlib
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, TypeAlias

import numpy as np

from wordpl import (
    Answer,
    Ask,
    Clue,
    Epsilon,
    History,
    HistoryStrategy,
    Move,
    Posterior,
    Setting,
    Strategy,
    Turn,
    WordplError,
    channel_name,
    epsilon_at,
)
from wordpl.base import read_file

Rng: TypeAlias = "np.random.Generator | None"
"""Random numbers of a game, if its strategy draws any."""
ALL_BUT_CERTAIN = math.nextafter(1.0, 0.0)
"""The largest probability below 1 in double precision."""


def file_digest(path: str, kind: str) -> str:
    """Return a short hash of a file's content, for a strategy's identity.

    Raises `WordplError` for a file of this `kind` that cannot be read, and for a pipe or a device.
    """
    return hashlib.sha256(read_file(path, kind)).hexdigest()[:16]


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
    raise WordplError(f"{name} {value!r} is not in the word list {setting.words.name}")


def check_jitter(strategy: Strategy, jitter: float | None, setting: Setting) -> None:
    """Raise `WordplError` if a strategy would vary its epsilons, and all clues of the setting have the same."""
    if jitter and math.isfinite(setting.row_epsilon):
        raise WordplError(
            f"{type(strategy).__name__} varies its epsilons at random, and each clue of channel"
            f" {channel_name(setting.channel)} has epsilon {setting.row_epsilon:g}; choose a strategy that does not"
        )


class AskThenPropose(HistoryStrategy):
    """Asks for some clues, and then proposes the most probable answer. A subclass has the fields and chooses the words.

    It proposes an answer sooner if its probability is 1 in double precision.
    """

    epsilon: Epsilon
    first_guess: str | None

    @property
    @abstractmethod
    def asks(self) -> int | None:
        """Number of clues; None is no limit."""

    @abstractmethod
    def choose(self, setting: Setting, history: History, belief: Posterior, rng: Rng) -> str:
        """Return the word to ask after `history`, at its posterior `belief`."""

    def is_certain(self, belief: Posterior) -> bool:
        """Return whether the most probable answer is proposed without further clues."""
        return belief.top[1] > ALL_BUT_CERTAIN

    def check(self, setting: Setting) -> None:
        known_word(self, "first_guess", setting)

    def last_ask(self, setting: Setting, history: History) -> bool:
        return len(history) + 1 == self.asks

    def decide(self, setting: Setting, history: History, rng: Rng = None) -> Move:
        belief, asked = setting.belief(history), len(history)
        # A game of Wordle goes on after a proposal.
        if (self.asks is not None and asked >= self.asks) or self.is_certain(belief):
            return proposal(belief)
        guess = None if asked else known_word(self, "first_guess", setting)
        return Ask(guess or self.choose(setting, history, belief, rng), epsilon_at(self.epsilon, asked))


class MovePlayer:
    """Plays a game by a function from the turns so far to the move, which may draw random numbers."""

    def __init__(self, move: Callable[[History], Move]) -> None:
        self._move = move

    def first_move(self) -> Move:
        self._history: History = ()
        return self._move(())

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        self._history += (Turn(guess, epsilon, Clue.parse(clues).code),)
        return self._move(self._history)
