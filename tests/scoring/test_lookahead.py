"""One clue of look-ahead: against the best of all pairs of guesses, summed up clue by clue."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.generators import Fade, Scatter
from tests.support.helpers import TINY
from tests.support.oracles import joint_table, randomized_response, renyi
from tests.support.refusals import refusal
from tests.support.tops import cases, joint, random_words, top_scores, true_codes, two_level_matrix, value_of
from wordpl import Fibble, Posterior, RandomizedResponse, WordplError
from wordpl.scoring import best_ask, lookahead, shortlist, two_step_lookahead
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
    words = random_words(rng, 5, 25, 12, 7)
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


def value_of_three(belief, guess, epsilon, budget, share, order):
    """By brute force but for the second guess, which is `best_guess`'s; of every third last guess."""
    words, rest = belief.words, budget - epsilon
    total = 0.0
    for weights in joint(
        belief.probabilities, true_codes(words, belief.rule)[words.guess_index[guess]], epsilon, words.length
    ):
        after = Posterior(words, belief.rule, prior=weights)
        following = wordpl.best_guess(after.truncate(1e-4), share * rest, "renyi", order=order)
        codes = true_codes(words, belief.rule)[words.guess_index[following]]
        for last in joint(weights, codes, share * rest, words.length):
            total += top_scores(last, words, belief.rule, (1 - share) * rest)[::3].max()
    return total


@pytest.mark.heavy
@settings(max_examples=12)
@given(
    cases(most_answers=6, most_guesses=12, lengths=(3,), epsilons=(2.0, 5.0, 9.0)),
    st.sampled_from([0.3, 0.55]),
    st.sampled_from([1.0, 2.0]),
)
def test_value_of_three_by_brute_force(case, share, order):
    belief, guess = beliefs_of(case), case.words.guesses[-1]
    budget = case.epsilon + 9.0
    found = two_step_lookahead(belief, guess, case.epsilon, budget, budget_fraction=share, order=order)
    expected = value_of_three(belief, guess, case.epsilon, budget, share, order)
    # Light answers and rare clues; the latter count halfway, so they may add a little.
    assert expected - 3e-3 <= found <= expected + 3e-4


@pytest.mark.heavy
def test_the_likeliest_clue_is_looked_at_however_small_the_part():
    sure = Posterior(TINY, prior=np.eye(len(TINY.answers))[0])
    found, whole, one = (
        two_step_lookahead(belief, TINY.guesses[0], 9.0, 20.0, budget_fraction=0.5, clue_probability=part)
        for belief, part in ((Posterior(TINY), 1e-9), (Posterior(TINY), 1.0), (sure, 0.5))
    )
    assert found == pytest.approx(whole, abs=0.2)
    assert one == pytest.approx(1.0), "all clues leave the same entropy, and so no curve"


@settings(max_examples=40)
@given(
    cases(most_answers=6, most_guesses=12, lengths=(3,), epsilons=(0.5, 4.0, 12.0)),
    st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, math.inf]), min_size=1, max_size=3, unique=True),
    st.data(),
)
def test_shortlist_has_the_best_by_each_order(case, orders, data):
    words, belief = case.words, beliefs_of(case)
    each = data.draw(st.integers(1, len(words.guesses)))
    noise, p = randomized_response(case.epsilon, 3), belief.probabilities.tolist()
    tables = [joint_table(words.answers, case.rule, p, guess, noise) for guess in words.guesses]
    found = shortlist(belief, case.epsilon, orders, each)
    assert len(set(found)) == len(found) <= each * len(orders)
    needed = set()
    for order in orders:
        scores = {guess: renyi(table, order) for guess, table in zip(words.guesses, tables, strict=True)}
        limit = sorted(scores.values(), reverse=True)[each - 1]
        assert sum(scores[guess] >= limit - 1e-9 for guess in found) >= each
        needed |= {guess for guess in found if scores[guess] >= limit - 1e-9}
        if order == orders[0]:
            assert scores[found[0]] == pytest.approx(max(scores.values()), abs=1e-9)
        if len(orders) == 1:
            assert [scores[guess] for guess in found] == pytest.approx(sorted(scores.values())[::-1][: len(found)])
    assert needed == set(found)


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
        two_step_lookahead(Posterior(words), words.guesses[0], 2.0, 9.0, budget_fraction=0.5)
