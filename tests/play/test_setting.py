"""The posteriors that a setting keeps: the right ones, the last used ones, for all threads, in this process alone."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import SMALL, TINY
from wordpl import Posterior, Setting, Turn
from wordpl.base.lru_cache import LruCache

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
    setting.__dict__["_beliefs"] = LruCache(size)
    for history in histories:
        assert (setting.belief(history).log_weights == from_scratch(setting, history)).all()


def test_they_do_not_travel_with_the_setting_and_no_other_has_them():
    setting, fresh = Setting(SMALL), pickle.dumps(Setting(SMALL))
    for code in range(20):
        setting.belief((Turn(SMALL.guesses[0], 5.0, code),))
    assert pickle.dumps(setting) == fresh
    again, history = pickle.loads(pickle.dumps(setting)), (Turn(SMALL.guesses[0], 5.0, 1),)  # noqa: S301
    assert again == setting and hash(again) == hash(setting)
    assert np.array_equal(again.belief().probabilities, setting.belief().probabilities)
    assert setting.belief(history) is setting.belief(history) is not again.belief(history)
