"""One clue of look-ahead: against the best of all pairs of guesses, summed up clue by clue."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.generators import Fade, Scatter
from tests.support.helpers import TINY
from tests.support.refusals import refusal
from tests.support.tops import cases, random_words, true_codes, two_level_matrix, value_of
from wordpl import Fibble, Posterior, RandomizedResponse, WordplError
from wordpl.scoring import best_ask, lookahead
from wordpl.scoring.lookahead import CLOSE

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
def test_the_winner_of_many_candidates():
    """Most of which are left out by their near values."""
    rng = np.random.default_rng(1)
    words = random_words(rng, 4, 25, 12, 7)
    belief = Posterior(words, "counted", prior=rng.random(len(words.answers)) ** 2)
    field = [(guess, 4.0) for guess in words.guesses[::3]]
    values = {guess: value_of(belief, guess, 4.0, 4.0) for guess, _ in field}
    assert sum(value < max(values.values()) - 2 * CLOSE for value in values.values()) > len(field) / 2
    step = best_ask(belief, field, 8.0)
    assert step.guess == max(values, key=values.get)
    assert step.value == pytest.approx(values[step.guess], rel=1e-9)


@settings(max_examples=20)
@given(SMALL_CASES, st.integers(1, 5))
def test_a_quick_search_tries_some_last_guesses(case, every):
    """Its value is that of a possible game, so it is never too high; few words have no rare clues to leave out."""
    belief = beliefs_of(case)
    field = [(guess, 2.0) for guess in case.words.guesses]
    values = {guess: value_of(belief, guess, 2.0, 3.0) for guess in case.words.guesses}
    step = best_ask(belief, field, 5.0, every=every)
    assert step.value <= values[step.guess] + 1e-4
    if every == 1:
        assert step.value >= max(values.values()) - CLOSE


@pytest.mark.heavy
@settings(max_examples=15)
@given(SMALL_CASES, st.sampled_from(["whole_clue", "ball:1"]), st.data())
def test_channels_of_two_levels(case, channel, data):
    """Values by all pairs of guesses; near values are too low at most."""
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


@pytest.mark.parametrize("channel", ["whole_clue", "ball:1"])
def test_rare_clues_of_two_levels_are_valued_together(channel):
    ask = lookahead._Ask(Posterior(TINY, channel=wordpl.channel_family(channel)), TINY.guesses[0], 30.0, 35.0)
    assert ask.near() == pytest.approx(ask.exact(), rel=1e-6)


def refused(candidates, budget, channel=RandomizedResponse):
    return refusal(best_ask, Posterior(TINY, channel=channel), candidates, budget)


GUESS = TINY.guesses[0]


def test_candidates_channels_and_words_that_it_cannot_take():
    assert best_ask(Posterior(TINY), [(GUESS, 6000.0)], 9000.0).value == pytest.approx(1.0)
    assert "no guesses to look ahead from" in refused([], 5.0)
    assert "leaves nothing of the budget 5" in refused([(GUESS, 3.0), (GUESS, 5.0)], 5.0)
    assert "zzzzz" in refused([("zzzzz", 2.0)], 5.0)
    for channel in (Fibble, Fade, Scatter):  # whose marks are not alike
        refused([(GUESS, 2.0)], 5.0, channel)
    words = random_words(np.random.default_rng(2), 7, 4, 3, 5)
    with pytest.raises(WordplError, match="words of 7 letters are too long"):
        best_ask(Posterior(words), [(words.guesses[0], 2.0)], 9.0, every=3)
