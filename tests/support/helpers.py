"""What several test files share: small word lists, scripted players, examples of every strategy."""

import dataclasses
import itertools
import resource
import sys
import types
import typing
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

import wordpl
from tests.support import oracles
from wordpl import Ask, Game, RandomizedResponse, Referee, Strategy, WordList, library, parse_strategy, strategies
from wordpl.library.records import FromTable
from wordpl.limits import setting_identity
from wordpl.play.setting import History, Setting, Turn
from wordpl.play.strategy import PlayerMaker
from wordpl.simulation.trials import Trial, play_batch

ORIGINAL = wordpl.load_words("original")


def list_of(name: str, answers: tuple[str, ...], more: tuple[str, ...] = ()) -> WordList:
    """A word list of these answers, with more words to guess."""
    return WordList(name, tuple(sorted(answers)), tuple(sorted({*answers, *more})))


SMALL = list_of("small", ORIGINAL.answers[::60], ORIGINAL.guesses[::200])
MIDDLE = list_of("middle", ORIGINAL.answers[::8], ORIGINAL.guesses[::40])
TINY = list_of("tiny", ORIGINAL.answers[::300], ORIGINAL.guesses[::2000])
SIX = list_of(
    "six",
    ("banana", "bottle", "branch", "butter", "castle", "circle", "cotton", "danger", "engine", "finger", "flower"),
    ("guitar", "hammer", "island", "jacket", "kitten", "ladder", "letter", "little", "marble", "needle", "orange"),
)
FEW = list_of(
    "few", ("abbey", "abbot", "baton", "crane", "eaten", "haste", "taste", "react", "crate", "waste", "paste", "tacit")
)
THREE = list_of("three", ("abc", "bca", "cab", "abb", "dad", "add"), ("aaa", "bbd", "cda", "dcb", "bac"))


class AtTwo(RandomizedResponse):
    """Randomized response at epsilon 2 a guess."""

    row_epsilon = 2.0


ASKS_ONCE = b"""class Mine:
    def first_move(self):
        return "crate", 20.0
    def next_move(self, guess, epsilon, clues):
        return "crate", 0
"""
"""The file of a contestant that asks once."""
ERRS = ASKS_ONCE.replace(b'"crate", 0\n', b'"qqqqq", float("nan")\n')
"""Its second move is none."""


def compiled(strategy: Any, setting: Setting, clues: int, depth: int, path: Path, **more: Any) -> FromTable:
    """The moves of a strategy after up to `depth` clues (some of them, where they are many) in a file; the others are
    as `more` says."""
    moves: dict[tuple[int, ...], tuple[str, float]] = {}
    for length in range(depth + 1):
        for codes in itertools.product(range(0, setting.words.n_clues, 1 if length < 2 else 40), repeat=length):
            history: History = ()
            for code in codes:
                move = strategy.decide(setting, history)
                history += (Turn(move.guess, move.epsilon, code),)
            move = strategy.decide(setting, history)
            moves[codes] = (move.guess, move.epsilon)
    wordpl.limits.Policy(sum(strategy.epsilon), clues, moves, made_for=setting_identity(setting), **more).save(path)
    return FromTable(str(path))


@contextmanager
def full_disk(room: int = 100) -> Iterator[None]:
    """No file can grow beyond `room` bytes, so that writing fails in the middle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python would keep what is cut off
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = before


def games(
    strategy: Strategy | str, trials: Iterable[int], words: WordList = SMALL, rule: str = "letterwise", seed: int = 3
) -> list[Game]:
    """Play trials in this order, by one player maker, as a worker does."""
    made = parse_strategy(strategy) if isinstance(strategy, str) else strategy
    setting = Setting(words, rule, noiseless=made.noiseless)
    referee, maker = Referee(setting, seed), made.players(setting)
    return [referee.play(trial, maker(referee.seeds.player(trial, str(strategy)))) for trial in trials]


class Scripted:
    """A player that makes these moves, then fails; it keeps what it was told."""

    def __init__(self, *moves: Any) -> None:
        self._moves = iter(moves)
        self.told: list[tuple[str, float, str]] = []

    def first_move(self) -> Any:
        return next(self._moves)

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        self.told.append((guess, epsilon, clues))
        return next(self._moves)


@dataclass(frozen=True, repr=False)
class Sometimes(Strategy):
    """Wins nothing: proposes, crashes, or makes an illegal move, as its game's seed has it."""

    epsilon: float = 4.0

    def players(self, setting: Setting) -> PlayerMaker:
        return lambda seed: _SometimesPlayer(seed % 4, setting, self.epsilon)


class _SometimesPlayer:
    def __init__(self, kind: int, setting: Setting, epsilon: float) -> None:
        self._kind, self._words, self._epsilon = kind, setting.words, epsilon

    def first_move(self) -> Any:
        if self._kind == 0:
            raise RuntimeError("lost\nthe thread")
        return ("xxxxx", 1.0) if self._kind == 1 else Ask(self._words.guesses[0], self._epsilon)

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        return (guess, -1.0) if self._kind == 2 else wordpl.Answer(self._words.answers[0])


def marks_of(code: int, length: int = 5) -> list[int]:
    return [code // 3**k % 3 for k in reversed(range(length))]


def direct_bayes(words: WordList, history: Any, rule: str = "letterwise") -> dict[str, float]:
    """P(answer given the turns), as `tests.support.oracles` has it for clues that are marks."""
    turns = [(guess, epsilon, tuple(marks_of(noisy, words.length))) for guess, epsilon, noisy in history]
    return dict(zip(words.answers, map(float, oracles.bayes(words.answers, rule, turns) or ()), strict=True))


# Any policy will do; this one comes with the package.
POLICY = str(Path(library.__path__[0]) / "policies" / "fifth.json")


def example(kind: type[Strategy], **given: Any) -> Strategy:
    """A strategy of this class, its required parameters filled in by their types."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if field.default is MISSING and field.default_factory is MISSING:
            given.setdefault(field.name, POLICY if field.name == "path" else _value(hints[field.name]))
    return kind(**given)


def _value(hint: Any) -> Any:
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if any(typing.get_origin(kind) is tuple for kind in kinds):
        return 9.0  # epsilon, or a schedule of them
    return {int: 2, float: 0.8, bool: True, str: "crate"}[kinds[0]]


def variants(kind: type[Strategy]) -> Iterator[Strategy]:
    """Examples of a strategy: plain, then each optional parameter moved off its default where its type says how."""
    yield example(kind)
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        kinds = typing.get_args(hints[field.name]) or (hints[field.name],)
        if field.default is MISSING or not field.init:
            continue
        if field.default is not None and types.NoneType in kinds:
            yield example(kind, **{field.name: None})
        elif bool in kinds:
            yield example(kind, **{field.name: not field.default})
        elif field.default is None and (int in kinds or float in kinds):
            yield example(kind, **{field.name: 2 if int in kinds else 0.1})


def all_variants() -> list[Strategy]:
    return [made for kind in strategies().values() for made in variants(kind)]


def plays_anywhere(kind: type[Strategy]) -> bool:
    """Whether it plays with any list, rule and epsilon; else it plays a table that was made for one of each."""
    has_epsilon = any(field.name == "epsilon" for field in dataclasses.fields(kind))
    return has_epsilon and kind.__module__ != "wordpl.library.published"


def rows_of(task: wordpl.Task, begin: int, end: int) -> list[Trial]:
    rows = list[Trial]()
    play_batch(task, range(begin, end), rows)
    return rows
