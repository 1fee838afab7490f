"""The best of many strategies, when each win rate can only be estimated: successive halving.

Source: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits" (ICML 2013). All strategies play
the same games (common random numbers). At each rung the better part of them goes on to play more. The best of many
estimates is too high (the winner's curse), so the winner is measured again, on games that no rung has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from wordpl.checks import open_fraction, whole_number
from wordpl.displays import counted, cut, line_of
from wordpl.errors import WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix
from wordpl.play.moves import Ask, Move
from wordpl.play.seeds import Seeds, check_seed, stream
from wordpl.play.strategy import History, HistoryStrategy, Setting, Turn
from wordpl.search.histories import legal_move, win_chance
from wordpl.search.win_rate import WinRate, compute_win_rate
from wordpl.workers import run_in_order

Floats = NDArray[np.float64]

_BATCH = 50  # games per task of a worker
_REMEMBERED = 1  # clues up to which a move is kept: few histories, met by many games


@dataclass(frozen=True)
class Contender:
    """How far a strategy came, and its estimate there."""

    strategy: HistoryStrategy
    games: int
    estimate: float
    """Mean win chance over the games played, 0 to 1; the winner's is too high on average."""
    behind: float
    """Standard error of the difference from the winner, over the games that both have played; 0 for the winner."""

    def __repr__(self) -> str:
        return line_of(self, f"{cut(repr(self.strategy))}: {self.estimate:.4f} over {counted(self.games, 'game')}")


@dataclass(frozen=True)
class Selection:
    """The winner of `select_best`, and how far each strategy came."""

    contenders: list[Contender]
    """The winner first, then by the games played and the estimate."""
    measured: WinRate
    """The winner's win rate, from fresh draws."""

    @property
    def winner(self) -> HistoryStrategy:
        return self.contenders[0].strategy

    def __repr__(self) -> str:
        return line_of(self, f"of {len(self.contenders)}: {self.measured!r}")


def select_best(
    field: Sequence[HistoryStrategy],
    setting: Setting,
    rungs: Sequence[tuple[int, int]] = ((500, 6), (1500, 3), (4000, 1)),
    *,
    seed: int = 1,
    jobs: int = 1,
    standard_error: float = 0.001,
) -> Selection:
    """Find the best of `field` by successive halving, and measure its win rate on fresh draws.

    `rungs` are pairs (games played so far, strategies that go on), games rising. Game i has the same answer and noise
    for every strategy. `standard_error` is that of the final measurement, as in `compute_win_rate`. The result does
    not depend on `jobs`.

    Raises `WordplError` for an empty field, for rungs that are empty, not positive or not rising, for a standard error
    or a seed out of range, for a strategy that cannot play in `setting`, and for one that draws its moves.
    """
    if not field:
        raise WordplError("the field is empty; at least one strategy is expected")
    rungs = [(whole_number("games", games), whole_number("strategies left", left)) for games, left in rungs]
    if not rungs or rungs != sorted(rungs, key=lambda rung: rung[0]):
        raise WordplError(f"rungs {rungs!r} are not allowed; (games so far, strategies left) is expected, games rising")
    standard_error, seed = open_fraction("standard error", standard_error), check_seed(seed)
    for strategy in field:
        strategy.check(setting)
        if strategy.random:
            raise WordplError(
                f"{strategy!r} draws its moves; only strategies that decide by the clues can be compared this way"
            )
    chances: dict[HistoryStrategy, Floats] = {strategy: np.empty(0) for strategy in field}
    running = list(chances)
    for games, left in rungs:
        for strategy in running:
            chances[strategy] = np.append(
                chances[strategy], play_games(strategy, setting, len(chances[strategy]), games, seed, jobs)
            )
        running = sorted(running, key=lambda strategy: -float(chances[strategy].mean()))[:left]
    ranked = sorted(chances, key=lambda strategy: (-len(chances[strategy]), -float(chances[strategy].mean())))
    best = chances[ranked[0]]
    contenders = [
        Contender(strategy, len(own), float(own.mean()), _error(own - best[: len(own)]))
        for strategy, own in ((strategy, chances[strategy]) for strategy in ranked)
    ]
    fresh = compute_win_rate(
        ranked[0], setting, standard_error=standard_error, seed=stream(seed, "after the race"), jobs=jobs
    )
    return Selection(contenders, fresh)


def _error(differences: Floats) -> float:
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0


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
    remembered = _remembered(strategy, setting)
    return np.array([_play_one(strategy, setting, Seeds(seed), trial, remembered) for trial in range(start, stop)])


@lru_cache(maxsize=64)
def _remembered(strategy: HistoryStrategy, setting: Setting) -> dict[History, Move]:
    """First moves, shared by all batches of a process."""
    return {}


def _play_one(
    strategy: HistoryStrategy, setting: Setting, seeds: Seeds, trial: int, remembered: dict[History, Move]
) -> float:
    words = setting.words
    answer = seeds.answer(trial, len(words.answers))
    clues = clue_matrix(words, setting.rule)
    history: History = ()
    while True:
        move = remembered.get(history) or legal_move(strategy, setting, history)
        if len(history) <= _REMEMBERED:
            remembered[history] = move
        if not isinstance(move, Ask) or strategy.last_ask(setting, history):
            return win_chance(setting, history, move)
        channel = make_channel(setting.channel, move.epsilon, words.length)
        code = int(clues[words.guess_index[move.guess], answer])
        noisy = channel.sample(code, seeds.noise(trial, len(history), words.length))
        history = (*history, Turn(move.guess, move.epsilon, noisy))
