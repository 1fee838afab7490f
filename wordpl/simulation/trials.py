"""Trials: how this process, which may be a worker, plays them, and their rows, from the referee to statistics."""

from __future__ import annotations

import math
import random
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from time import perf_counter
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from wordpl.base.displays import json_epsilon
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc, InJson, JsonEpsilon
from wordpl.play.referee import Game, Referee, Verdict, chance
from wordpl.play.setting import Setting
from wordpl.play.strategy import HistoryStrategy, PlayerMaker, Strategy
from wordpl.simulation.tasks import Task


class Trial(NamedTuple):
    """The outcome of one trial. Its fields are the columns of the store, of tables and of exports, in order."""

    trial: Annotated[int, Doc("Number of the trial.")]
    answer: Annotated[str, Doc("The answer.")]
    proposed: Annotated[str | None, Doc("The proposed word; null for none.")]
    """None for no proposal, and for a last guess of Wordle that is no answer."""
    verdict: Annotated[str, Doc("Verdict on the game.", tuple(map(str, Verdict)))]
    reason: Annotated[str, Doc("Why it was lost, if not by a wrong word.")]
    budget: Annotated[float, InJson(json_epsilon, JsonEpsilon), Doc("Epsilon spent, won or lost.")]
    asks: Annotated[int, Doc("Number of asks.")]
    turns: Annotated[int, Doc("Number of guesses, counted as in ordinary Wordle.")]
    chance: Annotated[float, Doc("Posterior probability of the proposed word.")]
    """Posterior probability of the proposed answer, 0 for none; in the format of Wordle, that of the last guess, and 1
    for a game that was won before it."""
    seconds: Annotated[float, Doc("Only with `--timings`.")]
    slowest: Annotated[float, Doc("Only with `--timings`.")]
    """Seconds of all moves, and of the slowest one."""

    @classmethod
    def of(cls, setting: Setting, game: Game) -> Trial:
        """The row of a finished game."""
        history = game.history
        proposed = game.proposed if game.proposed in setting.words.answer_index else None
        likely = 0.0
        if game.proposed is not None:
            if not setting.format.is_wordle:
                likely = chance(setting, history, game.proposed)
            # Only the last guess was a matter of chance: what comes before it has been won or not.
            elif len(history) == setting.format.guesses:
                likely = chance(setting, history[:-1], game.proposed)
            else:
                likely = 1.0
        result = (game.trial, game.answer, proposed, game.verdict.value, game.reason, game.budget)
        return cls(*result, len(history), game.turns, likely, game.seconds, game.slowest)


COLUMNS = Trial._fields
TIMINGS = ("seconds", "slowest")
"""Columns that measure time. They are not part of the results: exports leave them out unless asked."""
COMPARED = ("answer", "proposed", "verdict", "budget", "turns")
"""Columns about which two stores that are merged must agree."""
SHOWN = ("verdict", "reason", "budget", "turns", "chance")
"""The columns from which tables of many tasks and plots follow."""
_TYPES = {"trial": np.int64, int: np.int32, float: np.float64}
RESULT = np.dtype([(name, _TYPES.get(name, _TYPES.get(kind, object))) for name, kind in get_type_hints(Trial).items()])
"""A row of a table."""


def table_of(rows: Iterable[tuple[Any, ...]], columns: Sequence[str] = COLUMNS) -> NDArray[np.void]:
    """Return rows that have these columns as a table."""
    return np.fromiter(rows, [(name, RESULT[name]) for name in columns])


_KEPT = 4
_SEED = 2**255
"""Root seed of rehearsals; which one does not matter, as nothing of them is kept."""
_MOST_ASKS = 20
_local = threading.local()
_rehearsed: set[tuple[type[Strategy], str, str, str]] = set()


def play_batch(task: Task, trials: range, rows: list[Trial], seconds: float = math.inf) -> None:
    """Play these trials. Stop once `seconds` have passed, but play at least one.

    The row of each is added to the empty list `rows` as soon as the trial is over, so that `KeyboardInterrupt` leaves
    them there. What the strategy prints goes to stderr."""
    made: dict[str, tuple[Referee, PlayerMaker]] = _local.__dict__.setdefault("made", {})
    strategy = task.strategy
    with redirect_stdout(sys.stderr):
        if task.id not in made:  # once for each process and thread, which is all that they need
            setting = replace(task.setting)  # what it caches goes with it, not with the task
            referee, make_player = Referee(setting, task.seed), strategy.players(setting)
            if strategy.content != task.content:
                raise WordplError(f"a file that {task} reads has changed since the run began; run it again")
            kind = type(strategy), strategy.family, setting.words.digest, setting.rule
            if kind not in _rehearsed:  # once for a curve, whose strategies load the same
                rehearse(strategy, setting, make_player)
                _rehearsed.add(kind)
            if len(made) == _KEPT:
                made.pop(next(iter(made)))
            made[task.id] = referee, make_player
        referee, make_player = made[task.id]
        name = strategy.player_name  # here, as it takes longer to make than a cheap move
        start = perf_counter()
        for trial in trials:
            game = referee.play(trial, make_player(referee.seeds.player(trial, name)))
            # Of the referee's setting: the task's may be a copy, and what is cached by a setting is kept with it.
            rows.append(Trial.of(referee.setting, game))
            if perf_counter() - start > seconds:
                return


def play_as_worker(seconds: float, gaps: Sequence[tuple[Task, range]]) -> list[tuple[str, range, list[Trial]]]:
    """Play trials of tasks, in order, until `seconds` have passed. Return each task's id and trials, with their rows,
    which are fewer if the time was up."""
    played, end = list[tuple[str, range, list[Trial]]](), perf_counter() + seconds
    for task, trials in gaps:
        rows: list[Trial] = []
        if not played or perf_counter() < end:
            play_batch(task, trials, rows, end - perf_counter() if played else seconds)
        played.append((task.id, trials, rows))
    return played


def rehearse(strategy: Strategy, setting: Setting, make_player: PlayerMaker) -> None:
    """Play a game that is not recorded, if the strategy may be `rehearsed`, so that imports, tables and compiled code
    are there before times are measured.

    The global generators are left as they were, and nothing that the player does is raised."""
    if not strategy.rehearsed:
        return
    if type(strategy).players is HistoryStrategy.players:
        # The games decide afresh, and measure afresh.
        make_player = strategy.players(setting)
    referee = Referee(setting, _SEED, max_asks=_MOST_ASKS)
    states = random.getstate(), np.random.get_state()
    try:
        referee.play(0, make_player(referee.seeds.player(0, "rehearsal")))
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
