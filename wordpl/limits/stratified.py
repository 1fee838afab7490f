"""An estimate of a win rate from some of the noisy clue histories: those after which most is at stake.

What it is worth to propose the most probable answer is known for every history. Only the rest has to be sampled, in
strata of openings, each of which is drawn twice.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from time import process_time

import numpy as np

from wordpl.limits.histories import clue_chances, continued, legal_move, remembered_move, spent, win_chance
from wordpl.model.channel import make_channel
from wordpl.model.entropy import Floats
from wordpl.play.moves import Ask
from wordpl.play.seeds import stream
from wordpl.play.setting import History, Setting, Turn
from wordpl.play.strategy import HistoryStrategy
from wordpl.simulation.statistics import mean_interval

_SPREAD = 4
"""Number of draws of the last clue but one of a drawn history."""
_LEAST_AT_STAKE = 0.01
_ENOUGH_STRATA, _FREEDOM_OF_EACH = 5.0, 0.6
"""If fewer strata matter, others that matter may not have been drawn; else each gives the error so many degrees of
freedom. Both were chosen so that 95% intervals hold 94% or more of the rates of NGuess on 40 words."""


class Ways:
    """Ways a game may go on, and an estimate of what they are worth together, from a few of them.

    Whatever follows, the most probable answer may be proposed, and what that is worth is known for all ways. The rest
    is at most `1 - top`, so ways are drawn in proportion to this. Along `top` it changes little, so an even sample of
    ways by rising `top` has little spread.
    """

    def __init__(self, masses: Floats, tops: Floats) -> None:
        """Take the probability of each way, and that of the most probable answer after it."""
        self._tops = tops
        self.known = float(masses @ tops)
        # A little more, because a strategy may propose another answer.
        sizes = masses * (1.0 - tops + _LEAST_AT_STAKE)
        self._by_top = np.argsort(tops, kind="stable")
        self._bounds = np.cumsum(sizes[self._by_top])

    def drawn(self, points: Floats) -> list[int]:
        """Return the ways at these `points`, from 0 to below 1."""
        places = np.searchsorted(self._bounds, points * self._bounds[-1], side="right")
        return [int(way) for way in self._by_top[np.minimum(places, len(self._by_top) - 1)]]

    def worth(self, way: int, value: float) -> float:
        """Return the estimate of all, if this `way` was drawn at a uniform point and is worth `value`."""
        top = self._tops[way]
        return float(self.known + self._bounds[-1] * (value - top) / (1.0 - top + _LEAST_AT_STAKE))


@lru_cache(maxsize=2)
def _openings(strategy: HistoryStrategy, setting: Setting, name: str) -> tuple[list[History], Ways]:
    """Histories of two clues, fewer where the game is shorter then. They are those of the strategy of this `repr`,
    which need not be those of its equals."""
    histories, masses, tops = zip(*_grow(strategy, setting, (), 1.0, 0.0, 2), strict=True)
    return list(histories), Ways(np.array(masses), np.array(tops))


def _grow(
    strategy: HistoryStrategy, setting: Setting, history: History, mass: float, top: float, clues: int
) -> Iterator[tuple[History, float, float]]:
    move = legal_move(strategy, setting, history) if clues else None
    if not isinstance(move, Ask) or strategy.last_ask(setting, history):
        yield history, mass, top
        return
    _, tops = _after(setting, history, move)
    for longer, share in continued(setting, history, mass, move):
        yield from _grow(strategy, setting, longer, share, float(tops[longer[-1].clue]), clues - 1)


def _after(setting: Setting, history: History, move: Ask) -> tuple[Floats, Floats]:
    """P(noisy clue to `move` | history), and the probability of the most probable answer after it, 0 for a clue that
    cannot be: [codes] each."""
    chances = clue_chances(setting, history, move)
    channel = make_channel(setting.channel, move.epsilon, setting.words.length)
    heaviest = channel.transform(setting.belief(history).largest_by_clue(move.guess), largest=True)
    return chances, np.divide(heaviest, chances, out=np.zeros_like(chances), where=chances > 0)


def play_strata(
    strategy: HistoryStrategy, setting: Setting, strata: range, n: int, seed: int, stage: str
) -> tuple[Floats, float, float, float]:
    """Return two estimates of the chance to be right from each of some `strata` of openings, out of `n`: [2, strata];
    what it is worth to propose after the openings; the largest budget of their games; and the CPU seconds of these.

    Strata are equally large parts of what is at stake, along the openings. An opening is drawn in each, and the rest of
    the game after it.
    """
    histories, openings = _openings(strategy, setting, repr(strategy))
    start = process_time()
    rng = np.random.default_rng(stream(seed, f"value {stage} {strata.start}"))
    points = (np.array(strata) + rng.random((2, len(strata)))) / n
    values, budget = np.empty(points.shape), 0.0
    for at in np.ndindex(len(strata), 2):
        (way,) = openings.drawn(points[at[::-1]][np.newaxis])
        chance, most = _play_out(strategy, setting, histories[way], rng)
        values[at[::-1]], budget = openings.worth(way, chance), max(budget, most)
    return values, openings.known, budget, process_time() - start


def _play_out(
    strategy: HistoryStrategy, setting: Setting, history: History, rng: np.random.Generator
) -> tuple[float, float]:
    """An estimate of the chance to be right, and the largest budget, of a game that goes on from `history` with clues
    that are drawn. The last clue but one is drawn `_SPREAD` times, because the last ask takes less time to choose than
    the one before it."""
    name = repr(strategy)
    move = remembered_move(strategy, setting, history, name)
    while isinstance(move, Ask) and not strategy.last_ask(setting, history):
        chances, tops = _after(setting, history, move)
        after = {int(code): (*history, Turn(move.guess, move.epsilon, int(code))) for code in np.flatnonzero(chances)}
        if all(strategy.last_ask(setting, longer) for longer in after.values()):
            ways = Ways(chances, tops)
            drawn = ways.drawn((np.arange(_SPREAD) + rng.random()) / _SPREAD)
            ends = {code: _end(strategy, setting, after[code], name) for code in drawn}
            worth = math.fsum(ways.worth(code, ends[code][0]) for code in drawn) / len(drawn)
            return worth, max(budget for _, budget in ends.values())
        history = after[int(rng.choice(len(chances), p=chances / chances.sum()))]
        move = remembered_move(strategy, setting, history, name)
    return _end(strategy, setting, history, name)


@lru_cache(maxsize=10_000)
def _end(strategy: HistoryStrategy, setting: Setting, history: History, name: str) -> tuple[float, float]:
    """The chance to be right and the budget of a game that ends with the next move, or after it. Likely histories are
    drawn again and again, so this is remembered."""
    move = remembered_move(strategy, setting, history, name)
    return win_chance(setting, history, move), spent(history, move)


def error_of(values: Floats) -> float:
    """Return the standard error of the mean of two independent estimates from each stratum: [2, strata]."""
    return float(np.sqrt(((values[0] - values[1]) ** 2).sum()) / (2 * values.shape[1]))


def mean_interval_of(values: Floats, known: float, error: float) -> tuple[float, float]:
    """Return an interval for the mean of the estimates of strata [2, strata], within 0 to 1, at an `error`.

    If few strata matter, all count as if they were one sample, of values between what is `known` to be worth without
    the rest and what all may be worth.
    """
    differences = (values[0] - values[1]).round(12)  # the rest is error of rounding
    shares = differences**2 / max(np.square(differences).max(), 1e-300)
    matter = float(shares.sum() ** 2 / (shares**2).sum()) if shares.any() else 0.0  # (Satterthwaite 1946)
    if matter >= _ENOUGH_STRATA:
        from scipy.special import stdtrit

        half = float(stdtrit(_FREEDOM_OF_EACH * matter, 1.0 - error / 2.0)) * error_of(values)
        low, high = values.mean() - half, values.mean() + half
    else:
        least, most = min(known, values.min()), max(1.0 + _LEAST_AT_STAKE, values.max())
        mixed = np.random.default_rng(0).permutation(values.ravel())
        low, high = (least + (most - least) * end for end in mean_interval((mixed - least) / (most - least), error))
    return max(0.0, float(low)), min(1.0, float(high))
