"""Games that are drawn up to their last clue: those of the referee, with unbiased win chances."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from experiments.orders import win_chance
from wordpl import Answer, Ask, HistoryStrategy, Referee, Setting, WordList
from wordpl.limits import compute_win_rate

ABC = tuple(map("".join, itertools.product("abc", repeat=3)))
EVERYTHING = Setting(WordList("abc", ABC, tuple(sorted((*ABC, "ddd")))))


@dataclass(frozen=True, repr=False)
class Fixed(HistoryStrategy):
    """Asks these words, then proposes the most probable answer."""

    guesses: tuple[str, ...]
    epsilon: float = 3.0
    tells: bool = True

    def decide(self, setting, history):
        if len(history) == len(self.guesses):
            return Answer(setting.belief(history).top[0])
        return Ask(self.guesses[len(history)], self.epsilon)

    def last_ask(self, setting, history):
        return self.tells and len(history) == len(self.guesses) - 1


def chances(strategy, setting, games, seed):
    return np.array([win_chance(strategy, Referee(setting, seed), trial) for trial in range(games)])


@pytest.mark.heavy
@pytest.mark.parametrize("tells", [True, False])
def test_chances_of_games_are_unbiased(tells):
    strategy = Fixed(("aab", "bca", "acc"), tells=tells)
    exact = compute_win_rate(strategy, EVERYTHING).win_rate
    found = chances(strategy, EVERYTHING, 800, 2)
    assert abs(found.mean() - exact) < 4 * found.std(ddof=1) / math.sqrt(800)
    assert ((found > 0) & (found <= 1)).all()
    # Of one ask that is the last, every game is worth its mean: its clue is not drawn.
    assert (np.ptp(chances(Fixed(("abc",), tells=tells), EVERYTHING, 20, 1)) == 0.0) == tells
