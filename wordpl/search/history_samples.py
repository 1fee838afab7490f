"""The win rate of a strategy from a sample of its noisy clue histories, where there are too many to go through all.

Each history counts with the posterior probability of the proposal in place of a win or a loss (Rao-Blackwell).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import scipy.special

from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_row
from wordpl.play.moves import Ask
from wordpl.play.seeds import stream
from wordpl.play.setting import History, Setting, Turn
from wordpl.play.strategy import HistoryStrategy
from wordpl.search.histories import Floats, clue_chances, legal_move, spent, win_chance

_SPREAD = 8
"""How often the last clue but one of a history is drawn."""


@lru_cache(maxsize=2)
def _openings(strategy: HistoryStrategy, setting: Setting) -> list[tuple[History, float]]:
    """Histories of two clues (fewer where the game is shorter then) with their probabilities, by rising entropy.

    What a game is worth hangs on the entropy left, so an even sample along it has little spread.
    """
    grown = sorted(_grow(strategy, setting, (), 1.0, math.inf, 2), key=lambda opening: opening[2])
    return [(history, mass) for history, mass, _ in grown]


def _grow(
    strategy: HistoryStrategy, setting: Setting, history: History, mass: float, entropy: float, clues: int
) -> Iterator[tuple[History, float, float]]:
    move = legal_move(strategy, setting, history) if clues else None
    if not isinstance(move, Ask) or strategy.last_ask(setting, history):
        yield history, mass, entropy
        return
    chances, entropies = clue_chances(setting, history, move), _entropies(setting, history, move)
    for code, share in enumerate(chances):
        if share > 0:
            turn = Turn(move.guess, move.epsilon, code)
            yield from _grow(strategy, setting, (*history, turn), mass * share, float(entropies[code]), clues - 1)


def _entropies(setting: Setting, history: History, move: Ask) -> Floats:
    """Entropy in nats of the posterior after each noisy clue to `move`: [codes]; 0 for a clue that cannot be."""
    p = setting.belief(history).probabilities
    row = clue_row(move.guess, setting.words, setting.rule)
    true, inner = (np.bincount(row, weights, setting.words.n_clues) for weights in (p, scipy.special.xlogy(p, p)))
    matrix = make_channel(setting.channel, move.epsilon, setting.words.length).matrix()
    # The log of a joint weight is the log of the prior's and the log of the clue's likelihood, summed over codes.
    logs = matrix.copy()
    logs.data = scipy.special.xlogy(logs.data, logs.data)
    chances = matrix @ true
    possible = chances > 0
    of_logs = np.divide(matrix @ inner + logs @ true, chances, out=np.zeros_like(chances), where=possible)
    return np.asarray(np.log(chances, out=np.zeros_like(chances), where=possible) - of_logs)


def play_replicate(
    strategy: HistoryStrategy, setting: Setting, n: int, seed: int, replicate: str
) -> tuple[float, float]:
    """Return the mean chance to be right, 0 to 1, and the largest budget, over `n` histories.

    Their openings are one systematic sample, each drawn in proportion to its probability; the rest is drawn. `seed` and
    the name of the replicate determine the draws.
    """
    openings = _openings(strategy, setting)
    rng = np.random.default_rng(stream(seed, f"value {replicate}"))
    total = budget = 0.0
    for at in _systematic(np.array([mass for _, mass in openings]), n, rng):
        chance, most = _play_out(strategy, setting, openings[at][0], rng)
        total, budget = total + chance, max(budget, most)
    return total / n, budget


def _play_out(
    strategy: HistoryStrategy, setting: Setting, history: History, rng: np.random.Generator
) -> tuple[float, float]:
    """Chance to be right and largest budget of a game that goes on from `history`, its clues drawn.

    The last clue but one is drawn `_SPREAD` times, for the ask after it costs less than the one before.
    """
    move = legal_move(strategy, setting, history)
    while isinstance(move, Ask) and not strategy.last_ask(setting, history):
        by_entropy = np.argsort(_entropies(setting, history, move), kind="stable")
        drawn = _systematic(clue_chances(setting, history, move)[by_entropy], _SPREAD, rng)
        turns = [Turn(move.guess, move.epsilon, int(by_entropy[place])) for place in drawn]
        if all(strategy.last_ask(setting, (*history, turn)) for turn in turns):
            ends = {turn: (*history, turn) for turn in turns}
            moves = {turn: legal_move(strategy, setting, end) for turn, end in ends.items()}
            chances = {turn: win_chance(setting, end, moves[turn]) for turn, end in ends.items()}
            return (
                sum(chances[turn] for turn in turns) / len(turns),
                max(spent(ends[turn], moves[turn]) for turn in ends),
            )
        history = (*history, turns[int(rng.integers(len(turns)))])
        move = legal_move(strategy, setting, history)
    return win_chance(setting, history, move), spent(history, move)


def _systematic(weights: Floats, n: int, rng: np.random.Generator) -> list[int]:
    """`n` indices, each drawn with probability in proportion to its weight, evenly spread: one random start."""
    bounds = np.cumsum(weights)
    points = (np.arange(n) + rng.random()) / n * bounds[-1]
    indices = np.minimum(np.searchsorted(bounds, points, side="right"), len(weights) - 1)
    return [int(index) for index in indices]
