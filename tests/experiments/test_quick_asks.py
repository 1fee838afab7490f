"""The quick look-ahead: against the best of all pairs of guesses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.quick_asks import CLOSE, near_value, quick_ask
from tests.support.helpers import TINY
from tests.support.tops import cases, random_words, value_of
from wordpl import Posterior, channel_family
from wordpl.scoring import best_ask


@pytest.mark.published
@settings(max_examples=20)
@given(cases(most_answers=8, most_guesses=12, lengths=(3,), epsilons=(2.0,)), st.integers(1, 5))
def test_near_values_are_never_too_high(case, every):
    """Few words have no rare clues to leave out."""
    belief = Posterior(case.words, case.rule, prior=case.weights)
    asks = [(guess, 2.0) for guess in case.words.guesses]
    values = {guess: value_of(belief, guess, 2.0, 3.0) for guess in case.words.guesses}
    step = quick_ask(belief, asks, 5.0, every=every)
    assert step.value <= values[step.guess] + 1e-4
    assert step.value == max(near_value(belief, *ask, 5.0, every) for ask in asks)
    if every == 1:
        assert step.value >= max(values.values()) - CLOSE


@pytest.mark.published
def test_the_winner_of_many_candidates():
    """Most of which are left out by their near values."""
    rng = np.random.default_rng(1)
    words = random_words(rng, 4, 25, 12, 7)
    belief = Posterior(words, "counted", prior=rng.random(len(words.answers)) ** 2)
    field = [(guess, 4.0) for guess in words.guesses[::3]]
    values = {guess: value_of(belief, guess, 4.0, 4.0) for guess, _ in field}
    assert sum(value < max(values.values()) - 2 * CLOSE for value in values.values()) > len(field) / 2
    step = quick_ask(belief, field, 8.0)
    assert step.guess == max(values, key=values.get)
    assert step.value == pytest.approx(values[step.guess], rel=1e-9)


def test_other_channels_are_valued_exactly():
    belief = Posterior(TINY, channel=channel_family("whole_clue"))
    asks = [(guess, 3.0) for guess in TINY.guesses]
    assert quick_ask(belief, asks, 8.0).value == best_ask(belief, asks, 8.0).value
