"""Tasks and batches: many trials of one strategy in one setting, in this process or another."""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import instance
from wordpl.base.columns import ColumnsOnDisk
from wordpl.base.engine import ENGINE_VERSION as ENGINE_VERSION
from wordpl.base.fingerprint import value_digest
from wordpl.base.workers.stopping import Stop
from wordpl.model.channel import channel_name as channel_name
from wordpl.model.channel import is_named
from wordpl.play.printing import prints_to_stderr
from wordpl.play.referee import GAME_SECONDS, Game, Referee, Verdict, chance
from wordpl.play.setting import Setting
from wordpl.play.strategy import PlayerMaker, Strategy, as_tuple
from wordpl.simulation.digests import MODULUS, figures_sum, words_sum
from wordpl.simulation.warmup import rehearse
from wordpl.simulation.watchdog import Watchdog

VERDICTS = tuple(Verdict)


@dataclass(frozen=True)
class Column:
    """A column of the results: what one trial has there, in memory, on disk and in exports."""

    name: str
    sql: str
    """Its declaration in the store."""
    dtype: type[np.generic] | None
    """Its type in `RESULT`; None for the reason, which is kept beside (`Batch.reasons`)."""
    of_game: Callable[[Setting, Game], Any] | None = None
    """What the column says of a finished game; None if it is the game's own value of this name."""
    texts: Sequence[str] = ()
    """What the codes in memory stand for, as the store and exports write it."""
    is_answer: bool = False
    """Whether the codes are positions among the answers; -1 is NULL in the store."""
    timing: bool = False
    """Whether it measures time. Timings are not part of the results: exports leave them out unless asked."""
    compared: bool = False
    """Whether two stores that are merged must agree about it."""

    def of(self, setting: Setting, game: Game) -> Any:
        """The value of a finished game in memory."""
        value = self.of_game(setting, game) if self.of_game else getattr(game, self.name)
        if self.is_answer:
            return setting.words.answer_index.get(value, -1)
        return self.texts.index(value) if self.texts else value

    def written(self, values: NDArray[Any], answers: Sequence[str], nothing: str | None = None) -> NDArray[Any]:
        """[trials]: the values in memory as the store has them, with `nothing` for no answer."""
        texts = answers if self.is_answer else self.texts
        return np.array([*texts, nothing], dtype=object)[values] if texts else values


def _chance(setting: Setting, game: Game) -> float:
    if game.proposed is None:
        return 0.0
    if not setting.format.is_wordle:
        return chance(setting, game.history, game.proposed)
    # Only the last guess was a matter of chance: what comes before it has been won or not.
    return chance(setting, game.history[:-1], game.proposed) if len(game.history) == setting.format.guesses else 1.0


COLUMNS = (
    Column("trial", "INTEGER NOT NULL", np.int64),
    Column("answer", "TEXT NOT NULL", np.int32, is_answer=True, compared=True),
    Column("proposed", "TEXT", np.int32, is_answer=True, compared=True),
    Column("verdict", "TEXT NOT NULL", np.int8, texts=tuple(map(str, VERDICTS)), compared=True),
    Column("reason", "TEXT NOT NULL", None),
    Column("budget", "REAL NOT NULL", np.float64, compared=True),
    Column("asks", "INTEGER NOT NULL", np.int32, lambda setting, game: len(game.history)),
    Column("turns", "INTEGER NOT NULL", np.int32, compared=True),
    Column("chance", "REAL NOT NULL", np.float64, _chance),
    Column("seconds", "REAL NOT NULL", np.float64, timing=True),
    Column("slowest", "REAL NOT NULL", np.float64, timing=True),
)
"""The columns of a trial, in the order of the store and of exports. A column is added or changed here alone.

`proposed` is NULL for no proposal, and for a last guess of Wordle that is no answer. `chance` is the posterior
probability of the proposed answer, 0 for none; in the format of Wordle, that of the last guess, and 1 for a game that
was won before it.
"""

STORED_COLUMNS = tuple(column for column in COLUMNS if not column.is_answer)
"""Those that can be read without the word list."""


def dtype_of(columns: Iterable[Column]) -> np.dtype[np.void]:
    """What the trials have in memory of these columns."""
    return np.dtype([(column.name, column.dtype) for column in columns if column.dtype is not None])


RESULT = dtype_of(COLUMNS)
"""One trial in memory. `answer` and `proposed` are positions among the answers, `verdict` one in `VERDICTS`."""

Trials: TypeAlias = NDArray[np.void] | ColumnsOnDisk
"""Trials of one task, with the columns of `RESULT` or some of them. Both kinds are read by column and by length."""


@dataclass(frozen=True)
class Task:
    """One `strategy` in one `setting` under one root `seed`, 0 to 2**256 - 1; its trials are numbered from 0."""

    strategy: Strategy
    setting: Setting
    seed: int
    game_seconds: float = GAME_SECONDS
    """CPU seconds that the strategy may think in one game (`wordpl.play.referee`)."""

    def __post_init__(self) -> None:
        instance("strategy", self.strategy, Strategy)
        instance("setting", self.setting, Setting)

    def __str__(self) -> str:
        return self.strategy.label

    @property
    def epsilon(self) -> float | None:
        """Budget per ask (the mean of a schedule); None if the strategy has no such parameter."""
        epsilon = getattr(self.strategy, "epsilon", None)
        return None if epsilon is None else float(np.mean(as_tuple(epsilon)))

    @cached_property
    def id(self) -> str:
        """Hash of everything that determines the results, the strategy's code included (`wordpl.base.fingerprint`)."""
        channel = self.setting.channel
        described = {
            "engine": ENGINE_VERSION,
            "strategy": self.strategy.identity,
            "words": self.setting.words.digest,
            "rule": self.setting.rule,
            "channel": channel_name(channel) + ("" if is_named(channel) else f"#{value_digest(channel)}"),
            "noiseless": self.setting.noiseless,
            "seed": str(self.seed),
            "cpu_seconds": self.game_seconds,
        }
        if self.setting.format.is_wordle:  # the contest's is not told
            described["format"] = str(self.setting.format)
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class TaskRow:
    """A task as a results file has it, with how many of its trials are there.

    `id` is that of the task and `strategy` its spec. `words`, `rule`, `channel`, `noiseless`, `seed` and `engine` are
    as in the task, and `trials` counts those that are there.
    """

    id: str
    strategy: str
    code: str
    """Tells strategies of one spec apart (`Strategy.code`)."""
    family: str
    """The strategy's spec without its epsilon."""
    epsilon: float | None
    """Budget per ask (the mean of a schedule); None if the strategy has no such parameter."""
    is_schedule: bool
    """Whether the strategy has an epsilon for each ask, so that no single one tells it from others."""
    words: str
    rule: str
    channel: str
    format: str
    """As `GameFormat.parse` reads it."""
    noiseless: bool
    seed: str
    engine: int
    trials: int = 0

    @property
    def curve(self) -> str:
        """What a curve over epsilons is of: the strategy without its epsilon, unless it has one for each ask."""
        return self.strategy if self.is_schedule else self.family


def task_row(task: Task, trials: int = 0) -> TaskRow:
    """Return the row of a task in a results file."""
    strategy = task.strategy
    return TaskRow(
        id=task.id,
        strategy=strategy.label,
        code=strategy.code,
        family=strategy.family,
        epsilon=task.epsilon,
        is_schedule=isinstance(getattr(strategy, "epsilon", None), tuple),
        words=task.setting.words.name,
        rule=task.setting.rule,
        channel=channel_name(task.setting.channel),
        format=str(task.setting.format),
        noiseless=task.setting.noiseless,
        seed=str(task.seed),
        engine=ENGINE_VERSION,
        trials=trials,
    )


@dataclass(frozen=True)
class Batch:
    """Results of some trials of one task."""

    results: NDArray[np.void]
    """[trials] of `RESULT`."""
    reasons: dict[int, str]
    """Of trials lost by anything but a wrong proposal, by trial."""
    seconds: float = 0.0
    """Time it took to play them, referee included."""
    given_up: int | None = None
    """The trial that was given up without a verdict, because its player waited for no end."""
    stopped: bool = False
    """Whether it was ended before its last trial because the run was."""


def run_batch(task: Task, start: int, stop: int, signals: Stop | None = None) -> Batch:
    """Play trials start..stop-1. A trial that is cut short is not among the results. What a strategy prints goes to
    stderr.

    In this process, `signals` is let go while trials are played: `KeyboardInterrupt` ends the batch and is not raised.
    """
    results = np.empty(stop - start, dtype=RESULT)
    reasons: dict[int, str] = {}
    given_up: int | None = None
    stopped = False
    played, begin = 0, perf_counter()
    watch = Watchdog(task.game_seconds)
    try:
        with signals.held(False) if signals else nullcontext(), prints_to_stderr(), watch:
            referee, make_player = _prepared(task, watch)
            begin = perf_counter()
            for trial in range(start, stop):
                watch.begin()
                game = referee.play(trial, make_player(referee.seeds.player(trial, task.strategy.player_name)))
                watch.end()
                # Of the referee's setting: the task's may be a copy, and what is cached by a setting is kept with it.
                results[played] = result_row(referee.setting, game)
                if game.reason:
                    reasons[trial] = game.reason
                played += 1
    except KeyboardInterrupt:  # a `CutError` is one
        stopped = not watch.gave_up
        given_up = start + played if watch.gave_up else None
    return Batch(results[:played], reasons, perf_counter() - begin, given_up, stopped)


ALIKE = 10
"""A strategy that loses its first trials, so many, by one and the same error is not played any further."""


def fail_alike(reasons: Mapping[int, str], first: int = 0) -> bool:
    """Return whether the first trials, `ALIKE` from number `first` on, were all lost for one reason."""
    texts = {reasons.get(trial, "") for trial in range(first, first + ALIKE)}
    return len(texts) == 1 and texts != {""}


def result_row(setting: Setting, game: Game) -> tuple[Any, ...]:
    """A game as a row of `RESULT`."""
    return tuple(column.of(setting, game) for column in COLUMNS if column.dtype is not None)


def written_rows(batch: Batch, answers: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The trials of a batch as the store has them: a value for each of `COLUMNS`."""
    trials = batch.results["trial"].tolist()
    return zip(
        *(
            [batch.reasons.get(trial, "") for trial in trials]
            if column.dtype is None
            else column.written(batch.results[column.name], answers).tolist()
            for column in COLUMNS
        ),
        strict=True,
    )


_ROWS_AT_ONCE = 1000
_MOST_IN_MEMORY = 1_000_000
"""Stored trials of a task that are held in memory, 57 bytes each; those of a larger one are held on disk."""


def read_rows(
    rows: Iterable[Sequence[Any]], most: int, columns: Sequence[Column], answers: Sequence[str] = ()
) -> tuple[Trials, dict[int, str], int]:
    """Trials from the store, at most `most`, with a field for each of `columns`; their reasons; their sum (`digests`).

    Each row has a value for each of `columns`, the first of which is the trial and one of which is the reason.
    `answers` are needed for columns that hold answers. The sum is that of the store for `STORED_COLUMNS`.
    """
    texts = {column.name: answers if column.is_answer else column.texts for column in columns}
    codes = {name: dict(zip([None, *t], range(-1, len(t)), strict=True)) for name, t in texts.items() if t}
    dtype = dtype_of(columns)
    reasons: dict[int, str] = {}
    total = 0
    parts = [np.empty(0, dtype)]
    table = ColumnsOnDisk(dtype) if most > _MOST_IN_MEMORY else None
    for chunk in chunks(rows):
        part = np.empty(len(chunk), dtype)
        by_column = list(zip(*chunk, strict=True))
        new_reasons: dict[int, str] = {}
        for column, values in zip(columns, by_column, strict=True):
            if column.dtype is None:
                new_reasons = {trial: reason for trial, reason in zip(by_column[0], values, strict=True) if reason}
            elif code := codes.get(column.name):
                part[column.name] = [code[value] for value in values]
            else:
                part[column.name] = np.array(values, column.dtype)
        total += figures_sum(part, new_reasons)
        reasons |= new_reasons
        if table is None:
            parts.append(part)
        else:
            table.append(part)
    return (np.concatenate(parts) if table is None else table), reasons, total % MODULUS


def row_sums(rows: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """The sums of trials from the store, each with a value for each of `COLUMNS`: of figures, and of words."""
    by_column = dict(zip((column.name for column in COLUMNS), zip(*rows, strict=True), strict=True))
    figures = zip(*(by_column[column.name] for column in STORED_COLUMNS), strict=True)
    words = words_sum(by_column["trial"], by_column["answer"], by_column["proposed"])
    return read_rows(figures, len(rows), STORED_COLUMNS)[2], words


def chunks(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """Rows in lists of at most so many as NumPy is fast with."""
    left = iter(rows)
    while chunk := list(itertools.islice(left, _ROWS_AT_ONCE)):
        yield chunk


_local = threading.local()
_PREPARED_KEPT = 4
_rehearsed: set[str] = set()


def _prepared(task: Task, watch: Watchdog) -> tuple[Referee, PlayerMaker]:
    """The referee and the player maker of a task, made once per process and thread, all they need there."""
    cache: dict[str, tuple[Referee, PlayerMaker]] = _local.__dict__.setdefault("prepared", {})
    if task.id not in cache:
        while len(cache) >= _PREPARED_KEPT:
            del cache[next(iter(cache))]
        watch.begin(game=False)
        referee = Referee(task.setting, task.seed, task.game_seconds)
        make_player = task.strategy.players_within(task.setting, task.game_seconds)
        if task.id not in _rehearsed:
            watch.begin()
            rehearse(task.strategy, task.setting, make_player, task.game_seconds)
            _rehearsed.add(task.id)
        watch.end()
        cache[task.id] = referee, make_player
    return cache[task.id]
