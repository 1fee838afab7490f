"""Which side is loose, the bounds or the strategies? Both where the optimum is known, and with a last clue set free.

`python -m experiments.looseness` writes `experiments/tables/looseness.csv`. A clue is set free if it may be any
function of the answer that tells no more answers apart than the best guess does, as in the proofs of docs/converse.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments import machines, pages
from experiments.ahead import shortlist
from experiments.bounds.converse import budget_bound
from experiments.quick_asks import quick_ask
from wordpl import Ask, RandomizedResponse, Setting, Turn, WordList, clue_matrix, clue_row, load_words
from wordpl.base import whole_file
from wordpl.library.records import Fifth, Median

PARTS = 150
"""The most answers that a guess tells apart."""
SPLITS = (0.35, 0.4)
"""Parts of the budget for the first clue, and for the second."""
Floats = NDArray[np.float64]


def free_win_rate(weights: Floats, epsilon: float, parts: int = PARTS) -> float:
    """Return the most that a free clue at `epsilon` can win, of answers with these joint `weights`."""
    channel, wrong = RandomizedResponse(epsilon), np.arange(6)
    ratios = 3.0**5 * channel.keep ** (5 - wrong) * channel.flip**wrong
    chances = np.array([math.comb(5, k) * 2**k for k in wrong]) / 3**5
    heaviest = np.sort(np.partition(weights, -parts)[-parts:])
    values = np.multiply.outer(heaviest, ratios).ravel()
    order = np.argsort(-values)
    masses = np.tile(chances, parts)[order]
    return float(np.clip(1.0 - (np.cumsum(masses) - masses), 0.0, masses) @ values[order])


def last_clue_free(strategy: Fifth | Median, budget: float) -> float:
    """Return the win rate of a record holder of two or three clues at `budget` if its last clue is set free."""
    setting = Setting(load_words("original"))
    playing = replace(strategy, budget=budget)

    def after(history: tuple[Turn, ...], weights: Floats) -> float:
        if playing.last_ask(setting, history):
            return free_win_rate(weights, budget - math.fsum(turn.epsilon for turn in history))
        move = cast("Ask", playing.decide(setting, history))
        row, channel = clue_row(move.guess, setting.words), RandomizedResponse(move.epsilon)
        turns = ((*history, Turn(move.guess, move.epsilon, code)) for code in range(setting.words.n_clues))
        return math.fsum(after(turn, weights * channel.likelihood(turn[-1].clue)[row]) for turn in turns)

    return after((), np.full(len(setting.words.answers), 1 / len(setting.words.answers)))


def small_list() -> WordList:
    """Return a list of three-letter words for which all strategies of three clues can be tried."""
    words = tuple(sorted({word[:3] for word in load_words("original").answers[::110]}))
    return WordList("small", words, words)


def optimum(budget: float, words: WordList) -> float:
    """Return the best win rate with three clues: all guesses at all times, and all divisions of the budget on a grid.

    The second clue's epsilon may depend on the first clue.
    """
    clues, n = clue_matrix(words), len(words.answers)
    codes = words.n_clues

    def second(weights: Floats, epsilon: float, rest: float) -> float:
        joint = RandomizedResponse(epsilon, 3).matrix().toarray()[:, clues] * weights  # [codes, guesses, answers]
        heaviest = np.zeros((codes, n, codes, n))  # [true clue, third guess, noisy second clue, second guess]
        for answer in range(n):
            at = clues[:, answer].astype(int), np.arange(n)
            heaviest[at] = np.maximum(heaviest[at], joint[:, :, answer])
        tops = RandomizedResponse(rest, 3).transform(heaviest.reshape(codes, -1), largest=True).sum(axis=0)
        return float(tops.reshape(n, codes, n).max(axis=0).sum(axis=0).max())

    def value(row: NDArray[np.integer], first: float) -> float:
        noise = RandomizedResponse(first, 3)
        weights = (noise.likelihood(code)[row] / n for code in range(codes))
        return math.fsum(
            max(second(each, part * budget, (1 - part) * budget - first) for part in SPLITS) for each in weights
        )

    return max(value(row, part * budget) for row in clues for part in SPLITS)


def searched(budget: float, words: WordList) -> float:
    """Return the win rate that the search for `Median()` finds, with the same divisions of the budget."""
    start, orders = Setting(words).belief(), (1.2, 1.5, 2.0)

    def value(opener: str, first: float) -> float:
        values = []
        for code, chance in enumerate(start.clue_probabilities(opener, first).tolist()):
            belief = start.update(opener, first, code)
            guesses = shortlist(belief, 0.35 * budget, orders, 4)
            asks = [(guess, part * budget) for guess in guesses for part in SPLITS]
            values.append(chance * quick_ask(belief, asks, budget - first).value)
        return math.fsum(values)

    return max(value(opener, part * budget) for opener in shortlist(start, 0.4 * budget, orders, 1) for part in SPLITS)


def reaching(win_rate: float, curve: Callable[[float], float], low: float, high: float) -> float:
    """Return the budget at which `curve` reaches `win_rate`, by the line through `low` and `high`."""
    at = curve(low), curve(high)
    return low + (high - low) * (win_rate - at[0]) / (at[1] - at[0])


def down(bound: float) -> float:
    """Return a lower bound rounded down, so that it stays one."""
    return math.floor(100 * bound) / 100


def main() -> None:
    """Compare bounds and strategies, and write the table."""
    words, rows = small_list(), []
    bounds = pd.read_csv(pages.CONVERSE).set_index("win rate")
    for strategy, win_rate, clues, span in ((Fifth(), 0.05, "two", (12.8, 12.9)), (Median(), 0.5, "three", (31.6, 32))):
        free = reaching(win_rate, partial(last_clue_free, strategy), *span)
        known = [float(bounds[column].loc[win_rate]) for column in (f"{clues} clues", "any strategy")]
        rows.append(["original", win_rate, clues, strategy.total, None, free, *map(down, known)])
    best, found = (reaching(0.5, partial(curve, words=words), 12.0, 13.0) for curve in (optimum, searched))
    known = [budget_bound(0.5, words, rounds) for rounds in (3, None)]
    rows.append([words.name, 0.5, "three", found, best, None, *map(down, known)])
    columns = ["words", "win rate", "clues", "searched", "optimum", "last clue free", "bound of as many clues", "bound"]
    with whole_file(pages.LOOSENESS) as path:
        pd.DataFrame(rows, columns=columns).to_csv(path, index=False, float_format="%.2f")


if __name__ == "__main__":
    machines.run(main)
