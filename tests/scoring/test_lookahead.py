"""One clue of look-ahead: against the best of all pairs of guesses, summed up clue by clue."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.generators import Fade, Scatter
from tests.support.helpers import TINY
from tests.support.refusals import refusal
from tests.support.tops import cases, true_codes, two_level_matrix, value_of
from wordpl import Fibble, Posterior, RandomizedResponse
from wordpl.scoring import best_ask

# Down to here the choice of the last guess leaves no answer out that could come out on top.
ALL_IN_PLAY = math.log(100) - 0.01


def beliefs_of(case):
    return Posterior(case.words, case.rule, prior=case.weights)


SMALL_CASES = cases(most_answers=8, most_guesses=12, lengths=(3,), epsilons=(0.5, 2.0, 4.5))


@pytest.mark.heavy
@settings(max_examples=30)
@given(SMALL_CASES, st.data())
def test_winner_and_value_of_brute_force(case, data):
    belief = beliefs_of(case)
    budget = 5.0
    epsilons = st.floats(budget - ALL_IN_PLAY, budget - 0.1)
    field = data.draw(st.lists(st.tuples(st.sampled_from(case.words.guesses), epsilons), min_size=1, max_size=9))
    values = [value_of(belief, guess, epsilon, budget - epsilon) for guess, epsilon in field]
    step = best_ask(belief, field, budget)
    assert step.value == pytest.approx(max(values), rel=1e-9)
    assert values[field.index((step.guess, step.epsilon))] == pytest.approx(max(values), rel=1e-9)


@settings(max_examples=40)
@given(SMALL_CASES, st.sampled_from([6.0, 12.0, 40.0]), st.sampled_from([6.0, 12.0, 40.0]))
def test_with_little_noise_light_answers_are_left_out_of_the_choice(case, epsilon, rest):
    """The value is that of the guesses chosen, so never too high, and hardly too low."""
    belief = beliefs_of(case)
    guess = case.words.guesses[-1]
    best = value_of(belief, guess, epsilon, rest)
    found = best_ask(belief, [(guess, epsilon)], epsilon + rest)
    assert (found.guess, found.epsilon) == (guess, epsilon)
    assert 0.95 * best <= found.value <= best * (1 + 1e-12)


@pytest.mark.heavy
@settings(max_examples=15)
@given(SMALL_CASES, st.sampled_from(["whole_clue", "ball:1"]), st.data())
def test_channels_of_two_levels(case, channel, data):
    """Values by all pairs of guesses."""
    words, family, budget = case.words, wordpl.channel_family(channel), 5.0
    belief = Posterior(words, case.rule, family, prior=case.weights)
    epsilon = data.draw(st.floats(1.0, 4.0))
    likely = range(2) if channel == "ball:1" else range(1)
    noise, last_noise = (two_level_matrix(words.length, each, likely) for each in (epsilon, budget - epsilon))
    codes = true_codes(words, case.rule)
    values = []
    for row in codes:
        after = noise[:, row] * belief.probabilities
        best = (max((last_noise[:, last] * w).max(axis=1).sum() for last in codes) for w in after)
        values.append(math.fsum(best))
    step = best_ask(belief, [(guess, epsilon) for guess in words.guesses], budget)
    assert step.value == pytest.approx(max(values), rel=1e-9)
    assert values[words.guess_index[step.guess]] == pytest.approx(max(values), rel=1e-9)


def refused(candidates, budget, channel=RandomizedResponse):
    return refusal(best_ask, Posterior(TINY, channel=channel), candidates, budget)


GUESS = TINY.guesses[0]


def test_candidates_and_channels_that_it_cannot_take():
    assert best_ask(Posterior(TINY), [(GUESS, 6000.0)], 9000.0).value == pytest.approx(1.0)
    assert "no guesses to look ahead from" in refused([], 5.0)
    assert "leaves nothing of the budget 5" in refused([(GUESS, 3.0), (GUESS, 5.0)], 5.0)
    assert "zzzzz" in refused([("zzzzz", 2.0)], 5.0)
    for channel in (Fibble, Fade, Scatter):  # whose marks are not alike
        refused([(GUESS, 2.0)], 5.0, channel)
