"""Playing trials of a task in this process, which may be a worker."""

import math
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from time import perf_counter

import numpy as np

from wordpl.base.errors import WordplError
from wordpl.play.referee import OpenGame, Referee, judged
from wordpl.play.setting import Setting
from wordpl.play.strategy import HistoryStrategy, Player, PlayerMaker, Strategy
from wordpl.simulation.tasks import Task
from wordpl.simulation.trials import Trial

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
            while len(made) >= _KEPT:
                del made[next(iter(made))]
            setting = replace(task.setting)  # what it caches goes with it, not with the task
            referee, make_player = Referee(setting, task.seed), strategy.players(setting)
            if strategy.content != task.content:
                raise WordplError(f"a file that {task} reads has changed since the run began; run it again")
            kind = type(strategy), strategy.family, setting.words.digest, setting.rule
            if strategy.rehearsed and kind not in _rehearsed:  # once for a curve, whose strategies load the same
                with rehearsal(strategy, setting, make_player) as (game, player):
                    game.play(player)
                _rehearsed.add(kind)
            made[task.id] = referee, make_player
        referee, make_player = made[task.id]
        name = strategy.player_name  # here, as it takes longer to make than a cheap move
        start = perf_counter()
        for trial in trials:
            player = make_player(referee.seeds.player(trial, name))
            open_game = referee.open(trial)
            with judged(open_game.game):
                open_game.play(player)
            # Of the referee's setting: the task's may be a copy, and what is cached by a setting is kept with it.
            rows.append(Trial.of(referee.setting, open_game.game))
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


@contextmanager
def rehearsal(strategy: Strategy, setting: Setting, make_player: PlayerMaker) -> Iterator[tuple[OpenGame, Player]]:
    """Give the block a game that is not recorded, and a player, so that imports, tables and compiled code are there
    before times are measured. Only for a strategy that is to be `rehearsed`.

    The global generators are left as they were, and nothing that the player does is raised."""
    if type(strategy).players is HistoryStrategy.players:
        # The games decide afresh, and measure afresh.
        make_player = strategy.players(setting)
    referee = Referee(setting, _SEED, max_asks=_MOST_ASKS)
    states = random.getstate(), np.random.get_state()
    try:
        player, opened = make_player(referee.seeds.player(0, "rehearsal")), referee.open(0)
        with judged(opened.game):
            yield opened, player
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
