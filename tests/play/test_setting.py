"""The posteriors that a setting keeps, the right ones for all threads in this process alone; and what asks cost."""

import itertools
import math
import pickle
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import SMALL, TINY
from wordpl import GameFormat, Posterior, Setting, Turn
from wordpl.play.setting import _KEPT, total_budget

TURNS = st.builds(Turn, st.sampled_from(TINY.guesses[:3]), st.sampled_from([2.0, 5.0]), st.integers(0, 2))
HISTORIES = st.lists(TURNS, max_size=4).map(tuple)


def from_scratch(setting, history):
    belief = Posterior(setting.words, setting.rule, setting.channel)
    for turn in history:
        belief = belief.update(*turn)
    return belief.log_weights


@given(st.lists(HISTORIES, max_size=12), st.integers(1, 3))
def test_they_are_those_computed_from_scratch_whatever_is_kept(histories, size):
    setting = Setting(TINY)
    with patch("wordpl.play.setting._KEPT", size):
        for history in histories:
            assert (setting.belief(history).log_weights == from_scratch(setting, history)).all()
            assert len(setting._beliefs) <= size
    assert _KEPT == 64


def test_they_do_not_travel_with_the_setting_and_no_other_has_them():
    setting, fresh = Setting(SMALL), pickle.dumps(Setting(SMALL))
    for code in range(20):
        setting.belief((Turn(SMALL.guesses[0], 5.0, code),))
    assert pickle.dumps(setting) == fresh
    again, history = pickle.loads(pickle.dumps(setting)), (Turn(SMALL.guesses[0], 5.0, 1),)  # noqa: S301
    assert again == setting and hash(again) == hash(setting)
    assert np.array_equal(again.belief().probabilities, setting.belief().probabilities)
    assert setting.belief(history) is setting.belief(history) is not again.belief(history)


def test_a_budget_is_the_decimal_sum_of_its_epsilons_to_ten_digits():
    for clues, tenths in itertools.product((2, 3, 4, 5), range(60, 300)):
        assert total_budget([tenths / 10] * clues) == clues * tenths / 10
    assert total_budget([12.34567891, 8.76543214]) == 21.11111105
    assert (total_budget([]), total_budget([1e308, 1e308]), total_budget([5.0, math.inf])) == (0.0, math.inf, math.inf)


def test_a_setting_says_what_both_sides_know():
    assert repr(Setting(SMALL, "counted", noiseless=True)) == "<Setting small, counted, RandomizedResponse, noiseless>"
    shown = repr(Setting(SMALL, format=GameFormat(6, SMALL.guesses[0])))
    assert shown == f"<Setting small, letterwise, RandomizedResponse, wordle:6:{SMALL.guesses[0]}>"
