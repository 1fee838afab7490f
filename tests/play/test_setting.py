"""What a game is drawn from and what it keeps: frozen streams that are of no help to each other, and posteriors."""

import itertools
import math
from unittest.mock import patch

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import TINY
from wordpl import Posterior, Setting, Turn
from wordpl.play.seeds import Seeds, stream
from wordpl.play.setting import _KEPT, total_budget

TURNS = st.builds(Turn, st.sampled_from(TINY.guesses[:3]), st.sampled_from([2.0, 5.0]), st.integers(0, 2))
HISTORIES = st.lists(TURNS, max_size=4).map(tuple)


@given(st.lists(HISTORIES, max_size=12), st.integers(1, 3))
def test_they_are_those_computed_from_scratch_whatever_is_kept(histories, size):
    setting = Setting(TINY)
    with patch("wordpl.play.setting._KEPT", size):
        for history in histories:
            belief = Posterior(setting.words, setting.rule, setting.channel)
            for turn in history:
                belief = belief.update(*turn)
            assert (setting.belief(history).log_weights == belief.log_weights).all()
            assert len(setting._beliefs) <= size
    assert _KEPT == 64


def test_a_budget_is_the_decimal_sum_of_its_epsilons_to_ten_digits():
    for clues, tenths in itertools.product((2, 3, 4, 5), range(60, 300)):
        assert total_budget([tenths / 10] * clues) == clues * tenths / 10
    assert total_budget([12.34567891, 8.76543214]) == 21.11111105
    assert (total_budget([]), total_budget([1e308, 1e308]), total_budget([5.0, math.inf])) == (0.0, math.inf, math.inf)


ROOTS = st.integers(0, 2**256 - 1)
TRIALS = st.integers(0, 10**9)


@pytest.mark.parametrize(
    ("root", "answers", "noise", "player"),
    [
        (0, [1016, 558, 591, 509], [0.9743767061426736, 0.4875500801625853], 14882982842757684326),
        (1, [243, 1900, 1642, 549], [0.40738325289635813, 0.37405405612758735], 16027114540089306598),
        (2**256 - 1, [1466, 1978, 1395, 270], [0.8360841667891306, 0.39026800943850204], 9791759974802860964),
    ],
)
def test_frozen(root, answers, noise, player):
    """A change here changes every published result: raise `ENGINE_VERSION` with it."""
    seeds = Seeds(root)
    assert [seeds.answer(trial, 2315) for trial in range(4)] == answers
    assert seeds.noise(3, 1, 2) == noise
    assert seeds.player(7, "Greedy(epsilon=10.0)") == player
    if root == 1:
        assert (seeds.first_guess(3, 2315), stream(root, "A()")) == (1069, 5674553634401009423)


@given(ROOTS, TRIALS, st.integers(0, 100))
def test_streams_differ(root, trial, ask):
    seeds = Seeds(root)
    assert seeds.noise(trial, ask, 8)[:5] == seeds.noise(trial, ask, 5)
    others = seeds.noise(trial, ask + 1, 8), seeds.noise(trial + 1, ask, 8), Seeds(root ^ 1).noise(trial, ask, 8)
    assert len({*map(tuple, (seeds.noise(trial, ask, 8), *others))}) == 4
    whole = {
        *(seeds.answer(trial, 2**64), seeds.first_guess(trial, 2**64), int(seeds.noise(trial, 0, 1)[0] * 2**64)),
        *(seeds.player(trial, ""), seeds.player(trial, "A()"), seeds.player(trial + 1, "A()")),
        *(Seeds(root ^ 1).player(trial, "A()"), stream(root, "A()"), stream(root, "B()")),
    }
    assert len(whole) == 9


def test_answers_are_uniform_and_so_is_noise_in_every_place_uncorrelated():
    counts = np.bincount([Seeds(5).answer(trial, 23) for trial in range(23_000)], minlength=23)
    assert scipy.stats.chisquare(counts).pvalue > 1e-3
    seeds = Seeds(6)
    numbers = np.array([seeds.noise(trial, ask, 8) for trial in range(2000) for ask in range(2)])
    assert all(scipy.stats.kstest(column, "uniform").pvalue > 1e-3 for column in numbers.T)
    correlation = np.corrcoef(numbers.T) - np.eye(8)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(len(numbers))
