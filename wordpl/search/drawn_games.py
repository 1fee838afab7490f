"""Win chances of single games, on answers and noise that all strategies share: for paired experiments."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from wordpl.checks import whole_number
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix
from wordpl.play.moves import Ask
from wordpl.play.seeds import Seeds, check_seed
from wordpl.play.setting import History, Setting, Turn
from wordpl.play.strategy import HistoryStrategy
from wordpl.search.histories import legal_move, win_chance
from wordpl.workers import run_in_order

Floats = NDArray[np.float64]

_BATCH = 50  # games per task of a worker


def play_games(strategy: HistoryStrategy, setting: Setting, start: int, stop: int, seed: int, jobs: int = 1) -> Floats:
    """Return the win chance in each of the games from `start` to before `stop` of a seed, 0 to 1: [stop - start].

    Each game is drawn up to its last clue, and its win chance is the mean over that clue. The result does not depend on
    `jobs`. Raises `WordplError` for numbers of games below 0 or above 2**63 - 1, and for a seed out of range.
    """
    start, stop = (whole_number(name, at, 0, 2**63 - 1) for name, at in (("start", start), ("stop", stop)))
    seed = check_seed(seed)
    bounds = range(start, stop, _BATCH)
    parts = run_in_order(jobs, (delayed(_batch)(strategy, setting, at, min(at + _BATCH, stop), seed) for at in bounds))
    return np.concatenate([np.empty(0), *parts])


def _batch(strategy: HistoryStrategy, setting: Setting, start: int, stop: int, seed: int) -> Floats:
    return np.array([_play_one(strategy, setting, Seeds(seed), trial) for trial in range(start, stop)])


# All batches of a process share the first moves: few histories, met by many games.
_early_move = lru_cache(maxsize=10_000)(legal_move)


def _play_one(strategy: HistoryStrategy, setting: Setting, seeds: Seeds, trial: int) -> float:
    words = setting.words
    answer = seeds.answer(trial, len(words.answers))
    clues = clue_matrix(words, setting.rule)
    history: History = ()
    while True:
        move = _early_move(strategy, setting, history) if len(history) <= 1 else legal_move(strategy, setting, history)
        if not isinstance(move, Ask) or strategy.last_ask(setting, history):
            return win_chance(setting, history, move)
        channel = make_channel(setting.channel, move.epsilon, words.length)
        code = int(clues[words.guess_index[move.guess], answer])
        noisy = channel.sample(code, seeds.noise(trial, len(history), words.length))
        history = (*history, Turn(move.guess, move.epsilon, noisy))
