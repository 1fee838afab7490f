"""Strategies and players: what a contestant writes.

A strategy is a frozen dataclass that contains only parameters. Its `repr` and its code identify it. `players(setting)`
is called once in each process. It builds everything that the games share, and returns a function that makes one player
for each game. A player has the contest's two methods, `first_move` and `next_move`.
"""

from __future__ import annotations

import copy
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, Protocol, TypeAlias

from wordpl.base.checks import positive, whole_number
from wordpl.base.errors import WordplError
from wordpl.base.sources import Sources, check, identity_of, is_plain, problem_of, sources_of
from wordpl.model.clues import Clue
from wordpl.play.moves import Move
from wordpl.play.plan import Plan
from wordpl.play.setting import History, Setting, Turn


class Player(Protocol):
    """Plays one game."""

    def first_move(self) -> Any: ...

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        """Return the next move. `clues` is the noisy clue to `guess` at `epsilon`, such as `..icc`."""


PlayerMaker: TypeAlias = Callable[[int], Player]


class Strategy(ABC):
    """Base class of all strategies. Decorate subclasses with `@dataclass(frozen=True, repr=False)`."""

    sources: ClassVar[Sources]
    """The files that define the class, as they were when it was made."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.sources = sources_of(cls.__module__)

    @abstractmethod
    def players(self, setting: Setting) -> PlayerMaker:
        """Return a function that makes a new player for `setting` from the random seed of its game.

        It is called once in each process. Build here everything that the games share.
        """

    _file = ""
    """The name of the file that it comes from, and a colon."""

    rehearsed = True
    """True if a game that does not count may be played first, to load everything before times are measured."""

    @property
    def player_name(self) -> str:
        """The text from which the seeds of this strategy's players follow."""
        return repr(self)

    def check(self, setting: Setting) -> None:  # noqa: B027 - most strategies fit every setting
        """Raise `WordplError` if this strategy cannot play in `setting`."""

    @property
    def noiseless(self) -> bool:
        """True if this strategy plays ordinary Wordle, that is, if its `epsilon` contains infinity."""
        return math.inf in as_tuple(getattr(self, "epsilon", 0.0))

    @property
    def label(self) -> str:
        """The name in results: the `repr`, after the name of the file if the strategy comes from one."""
        return self._file + repr(self)

    @property
    def content(self) -> str:
        """Text for everything else that decides the moves, such as the digest of a file that the strategy reads."""
        return ""

    @property
    def code(self) -> str:
        """16 hex digits that distinguish strategies with the same `repr`: a digest of the code and of hidden fields.

        Strategies that differ only in fields that `repr` shows have the same digits.
        """
        own_repr = type(self).__repr__ is not Strategy.__repr__
        declared: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        hidden = {field.name for field in declared if own_repr or not field.repr}
        return self._digest({n: v for n, v in self._values().items() if n in hidden or not is_plain(v)})[:16]

    @property
    def identity(self) -> str:
        """The identity in results, the same everywhere until the code changes. `content` can add to it.

        Raises `WordplError` if a source file was edited after it was loaded.
        """
        return f"{self.label}#{self._digest(self._values())}"

    @property
    def identity_problem(self) -> str:
        """The reason why results are never taken up again by another process; "" if they are."""
        return problem_of(type(self), self.sources, self._values().values())

    def _values(self) -> dict[str, Any]:
        names = [field.name for field in fields(self)] if is_dataclass(self) else [*vars(self)]
        values = {name: getattr(self, name) for name in names}
        return {name: value.identity if isinstance(value, Strategy) else value for name, value in values.items()}

    def _digest(self, values: dict[str, Any]) -> str:
        return identity_of(type(self), self.sources, [self.content, *values.items()])

    @property
    def family(self) -> str:
        """The label without `epsilon`. Strategies of one family make one curve over epsilons."""
        return self._file + self._call(leave_out="epsilon")

    def __repr__(self) -> str:
        """Return the call that makes this strategy.

        It shows fields that are required, that differ from their defaults, or that have `metadata={"shown": True}`.
        `shown` may also be a function that takes a strategy and returns whether to show the field.
        """
        return self._call()

    def _call(self, leave_out: str = "") -> str:
        arguments = []
        for field in fields(self):  # type: ignore[arg-type]
            if field.repr and field.name != leave_out:
                value = getattr(self, field.name)
                shown = field.metadata.get("shown") or value != field.default
                if shown(self) if callable(shown) else shown:
                    arguments.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}({', '.join(arguments)})"


class HistoryStrategy(Strategy):
    """A strategy whose moves depend only on the turns so far. Each move is decided once and then looked up."""

    @abstractmethod
    def decide(self, setting: Setting, history: History) -> Move:
        """Return the move in this `setting` after the turns of `history`: a pure function of its arguments."""

    @property
    def random(self) -> bool:
        """True if the players draw random numbers, so that `decide` alone does not determine their moves."""
        return False

    def last_ask(self, setting: Setting, history: History) -> bool:
        """Return whether, in this `setting`, the most probable answer is proposed after the ask that follows `history`.

        Then `compute_win_rate` need not enumerate the clues to it. Return False if you do not know.
        """
        return False

    def exported(self, setting: Setting) -> Plan:
        """Return this strategy as a plan for `setting`, to export it. Raises `WordplError` if there is none."""
        raise WordplError(f"{type(self).__name__} cannot be exported; it needs a method exported()")

    def players(self, setting: Setting) -> PlayerMaker:
        decide = lru_cache(maxsize=100_000)(partial(self.decide, setting))  # of some 400 bytes each
        return lambda seed: _HistoryPlayer(decide)


@lru_cache(maxsize=3**5)
def _code(clues: str, length: int) -> int:
    return Clue.parse(clues, length).code


class _HistoryPlayer:
    """Plays the moves of a `HistoryStrategy`."""

    def __init__(self, decide: Callable[[History], Move]) -> None:
        self._decide = decide

    def first_move(self) -> Move:
        self._history: History = ()
        return self._decide(())

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        self._history += (Turn(guess, epsilon, _code(clues, len(guess))),)
        return self._decide(self._history)


class _ContestStrategy(Strategy):
    """An object with the contest's two methods; it plays all its games, one after another."""

    def __init__(self, contestant: Player, identity: str) -> None:
        self._contestant, self._identity = contestant, identity
        kind, state = type(contestant), [getattr(contestant, "__dict__", {})]
        self.sources = sources_of(kind.__module__)  # type: ignore[misc]  # those of the object, not of this class
        # Now, for games will change its state.
        self._code = identity_of(kind, self.sources, state)
        self._problem = problem_of(kind, self.sources, state)

    def players(self, setting: Setting) -> PlayerMaker:
        # It holds the state of a game, so threads must not share it. A worker process has its own.
        alone = threading.current_thread() is threading.main_thread()
        contestant = self._contestant if alone else copy.deepcopy(self._contestant)
        return lambda seed: contestant

    rehearsed = False  # it plays all its games itself, so one more could change the others

    def _digest(self, values: dict[str, Any]) -> str:
        check(self.sources.files)
        return self._code

    @property
    def identity_problem(self) -> str:
        return self._problem

    def _call(self, leave_out: str = "") -> str:
        return self._identity


def from_contest(contestant: Player, identity: str | None = None) -> Strategy:
    """Return a strategy that plays `contestant`, an object written for the contest's repository.

    The object has `first_move()` and `next_move(guess, epsilon, clues)`. Both return (word, epsilon); epsilon 0
    proposes the word as the answer. `identity` is the strategy's name in results; the default is the object's `str` if
    its class defines one, else the name of the class. As in the contest, one object plays every game, so `first_move`
    must reset its state. Raises `WordplError` if a method is missing, and for a class.
    """
    if isinstance(contestant, type):
        raise WordplError(f"{contestant.__name__} is a class; an object is expected, as {contestant.__name__}()")
    for verb in ("first_move", "next_move"):
        if not callable(getattr(contestant, verb, None)):
            raise WordplError(f"{type(contestant).__name__} has no method {verb}(); a contest strategy needs it")
    kind = type(contestant)
    if identity is None and (kind.__repr__, kind.__str__) != (object.__repr__, object.__str__):
        identity = str(contestant)
    return _ContestStrategy(contestant, identity or f"{kind.__name__}()")


Epsilon: TypeAlias = float | tuple[float, ...]


def as_tuple(epsilon: Epsilon) -> tuple[float, ...]:
    """Return the schedule `epsilon` as a tuple, of one entry if it is a single number."""
    return epsilon if isinstance(epsilon, tuple) else (epsilon,)


def schedule(epsilon: object, n_guesses: int | None = None) -> Epsilon:
    """Return `epsilon` as a float for every ask, or as a tuple of floats, one for each of `n_guesses` asks.

    If `n_guesses` is None, the number of asks is open, and the last number is used for all later asks. Each number is
    above 0; inf is no noise. Raises `WordplError` for any other number, for a tuple of the wrong length, and for more
    than 1,000 guesses.

    >>> schedule(9), schedule([12, 2.5], 2)
    (9.0, (12.0, 2.5))
    """
    if n_guesses is not None:
        whole_number("n_guesses", n_guesses, 1, 1000)
    if not isinstance(epsilon, (tuple, list)):
        return positive("epsilon", epsilon)
    entries = tuple(positive("epsilon", entry) for entry in epsilon)
    if not entries:
        raise WordplError("the schedule of epsilons is empty; one positive number for each ask is expected")
    if n_guesses is not None and len(entries) != n_guesses:
        raise WordplError(f"the schedule has {len(entries)} epsilons for {n_guesses} asks; one for each is expected")
    return entries


def epsilon_at(epsilon: Epsilon, ask: int) -> float:
    """Return the epsilon of ask number `ask`, counted from 0, in the schedule `epsilon`. Its last entry is used for all
    later asks.

    Raises `WordplError` for an `ask` that is not a whole number from 0 up.
    """
    entries = as_tuple(epsilon)
    return entries[min(whole_number("ask", ask, minimum=0), len(entries) - 1)]
