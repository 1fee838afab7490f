"""Tasks and batches: many trials of one strategy in one setting, in this process or another."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.channel import CHANNELS, ChannelFamily
from wordpl.play.fingerprint import value_digest
from wordpl.play.referee import GAME_SECONDS, Game, Referee, Verdict, chance
from wordpl.play.strategy import PlayerMaker, Setting, Strategy
from wordpl.simulation.warmup import rehearse

ENGINE_VERSION = 2
"""Part of every task id: raise it when a change makes any trial come out differently."""

VERDICTS = tuple(Verdict)

# One trial. `answer` and `proposed` are positions among the answers, -1 for no proposal; `chance` is the
# posterior probability of the proposed answer, 0 for none.
RESULT = np.dtype(
    [
        ("trial", np.int64),
        ("answer", np.int32),
        ("proposed", np.int32),
        ("verdict", np.int8),
        ("budget", np.float64),
        ("asks", np.int32),
        ("turns", np.int32),
        ("chance", np.float64),
        ("seconds", np.float64),
        ("slowest", np.float64),
    ]
)


@dataclass(frozen=True)
class Task:
    """One strategy in one setting under one root seed; its trials are numbered from 0."""

    strategy: Strategy
    setting: Setting
    seed: int
    game_seconds: float = GAME_SECONDS
    """CPU seconds that the strategy may think in one game (`wordpl.play.referee`)."""

    def __str__(self) -> str:
        return repr(self.strategy)

    @cached_property
    def id(self) -> str:
        """Hash of everything that determines the results, the strategy's code included (`wordpl.play.fingerprint`)."""
        described = {
            "engine": ENGINE_VERSION,
            "strategy": self.strategy.identity,
            "words": self.setting.words.digest,
            "rule": self.setting.rule,
            "channel": channel_name(self.setting.channel) + channel_code(self.setting.channel),
            "noiseless": self.setting.noiseless,
            "seed": str(self.seed),
            # It was "game_seconds" while the clock was the wall's: verdicts of then are not taken for those of now.
            "cpu_seconds": self.game_seconds,
        }
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:32]


def channel_name(family: ChannelFamily) -> str:
    """The name of a channel family: as in `CHANNELS`, else the place where it is defined."""
    for name, known in CHANNELS.items():
        if family is known:
            return name
    return f"{getattr(family, '__module__', '?')}.{getattr(family, '__qualname__', repr(family))}"


def channel_code(family: ChannelFamily) -> str:
    """A digest that tells a user's own channel family from another of its name; empty for those in `CHANNELS`."""
    return "" if family in CHANNELS.values() else f"#{value_digest(family)}"


@dataclass(frozen=True)
class Batch:
    """Results of some trials of one task."""

    results: NDArray[np.void]
    """[trials] of `RESULT`."""
    reasons: dict[int, str]
    """Of trials lost by anything but a wrong proposal, by trial."""
    seconds: float = 0.0
    """Time it took to play them, referee included."""


def run_batch(task: Task, start: int, stop: int, parent: int) -> Batch:
    """Play trials start..stop-1. Called in workers; `parent` is the process that collects the results."""
    if os.getpid() != parent:
        _settle_as_worker()
    referee, make_player = _prepared(task)
    begun = perf_counter()
    results = np.empty(stop - start, dtype=RESULT)
    reasons = {}
    for i, trial in enumerate(range(start, stop)):
        player = make_player(referee.seeds.player(trial, repr(task.strategy)))
        game = referee.play(trial, player)
        results[i] = result_row(task.setting, game)
        if game.reason:
            reasons[trial] = game.reason
    return Batch(results, reasons, perf_counter() - begun)


def result_row(setting: Setting, game: Game) -> tuple[Any, ...]:
    """A game as a row of `RESULT`."""
    answers = setting.words.answer_index
    return (
        game.trial,
        answers[game.answer],
        -1 if game.proposed is None else answers[game.proposed],
        VERDICTS.index(game.verdict),
        game.budget,
        len(game.history),
        game.turns,
        0.0 if game.proposed is None else chance(setting, game.history, game.proposed),
        game.seconds,
        game.slowest,
    )


_local = threading.local()
_PREPARED_KEPT = 4


_rehearsed: set[str] = set()


def _prepared(task: Task) -> tuple[Referee, PlayerMaker]:
    """The referee and the player maker of a task, made once per process and thread, all they need there."""
    kept: dict[str, tuple[Referee, PlayerMaker]] = _local.__dict__.setdefault("prepared", {})
    if task.id not in kept:
        while len(kept) >= _PREPARED_KEPT:
            del kept[next(iter(kept))]
        referee, make_player = Referee(task.setting, task.seed, task.game_seconds), task.strategy.players(task.setting)
        if task.id not in _rehearsed:
            rehearse(task.strategy, task.setting, make_player, task.game_seconds)
            _rehearsed.add(task.id)
        kept[task.id] = referee, make_player
    return kept[task.id]


def _settle_as_worker() -> None:
    """Make this process, which is not the one that collects the results, a good worker."""
    # Ctrl-C reaches every process of the terminal; here it must not cut a batch short.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Workers and threads must not multiply. joblib says so to its own kind of workers, but not to others (dask's).
    os.environ.setdefault("WORDPL_NUM_THREADS", os.environ.get("NUMBA_NUM_THREADS", "1"))
