"""One clue of look-ahead: against the best of all pairs of guesses, summed up clue by clue."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generators import Fade, Scatter
from tests.helpers import TINY
from tests.oracles import joint_table, randomized_response, renyi
from tests.tops import cases, joint, random_words, top_scores, true_codes
from wordpl import Fibble, Posterior, RandomizedResponse, WordplError, best_step, shortlist
from wordpl.lookahead import LAPS

# Down to here the race leaves no answer out that could come out on top.
ALL_IN_PLAY = math.log(100) - 0.01


def value_of(belief, guess, epsilon, rest):
    """Chance to be right after this ask and the best last one."""
    words, rule = belief.words, belief.rule
    codes = true_codes(words, rule)[words.guess_index[guess]]
    after = joint(belief.probabilities, codes, epsilon, words.length)
    return math.fsum(top_scores(weights, words, rule, rest).max() for weights in after if weights.any())


def beliefs_of(case):
    return Posterior(case.words, case.rule, prior=case.weights)


SMALL_CASES = cases(most_answers=8, most_guesses=12, lengths=(3,), epsilons=(0.5, 2.0, 4.5))


@settings(max_examples=60)
@given(SMALL_CASES, st.data())
def test_winner_and_value_of_brute_force(case, data):
    belief = beliefs_of(case)
    budget = 5.0
    epsilons = st.floats(budget - ALL_IN_PLAY, budget - 0.1)
    field = data.draw(st.lists(st.tuples(st.sampled_from(case.words.guesses), epsilons), min_size=1, max_size=9))
    values = [value_of(belief, guess, epsilon, budget - epsilon) for guess, epsilon in field]
    step = best_step(belief, field, budget)
    assert step.value == pytest.approx(max(values), rel=1e-9)
    assert values[field.index((step.guess, step.epsilon))] == pytest.approx(max(values), rel=1e-9)


@settings(max_examples=40)
@given(SMALL_CASES, st.sampled_from([6.0, 12.0, 40.0]), st.sampled_from([6.0, 12.0, 40.0]))
def test_with_little_noise_light_answers_are_left_out_of_the_choice(case, epsilon, rest):
    """The value is that of the guesses chosen, so never too high, and hardly too low."""
    belief = beliefs_of(case)
    guess = case.words.guesses[-1]
    best = value_of(belief, guess, epsilon, rest)
    found = best_step(belief, [(guess, epsilon)], epsilon + rest)
    assert (found.guess, found.epsilon) == (guess, epsilon)
    assert 0.95 * best <= found.value <= best * (1 + 1e-12)


@pytest.mark.parametrize(("rule", "seed"), [("letterwise", 0), ("counted", 1)])
def test_laps_keep_the_winner(rule, seed):
    """More candidates than any lap keeps, more clues than any lap but the last looks at."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, 5, 25, 12, 7)
    assert words.n_clues > LAPS[-1][0] and len(words.guesses) > LAPS[0][1]
    belief = Posterior(words, rule, prior=rng.random(len(words.answers)) ** 2)
    field = [(guess, 4.0) for guess in words.guesses[::3]]
    assert len(field) > LAPS[0][1]
    values = {guess: value_of(belief, guess, 4.0, 4.0) for guess, _ in field}
    step = best_step(belief, field, 8.0)
    assert step.guess == max(values, key=values.get)
    assert step.value == pytest.approx(values[step.guess], rel=1e-9)


def test_longer_words():
    words = random_words(np.random.default_rng(2), 7, 4, 3, 5)
    belief = Posterior(words)
    step = best_step(belief, [(words.guesses[0], 3.0)], 6.0)
    assert step.value == pytest.approx(value_of(belief, words.guesses[0], 3.0, 3.0), rel=1e-9)


@settings(max_examples=30)
@given(SMALL_CASES)
def test_a_better_budget_is_preferred(case):
    """The same guess with nothing thrown away: candidates share the budget, so all spend it."""
    belief = beliefs_of(case)
    guess = case.words.guesses[0]
    splits = [(guess, epsilon) for epsilon in (0.5, 2.0, 3.5)]
    step = best_step(belief, splits, 4.0)
    assert step.value == max(best_step(belief, [split], 4.0).value for split in splits)
    assert belief.probabilities.max() * (1 - 1e-12) <= step.value <= 1 + 1e-12


# The shortlist


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
    for order in orders:
        scores = {guess: renyi(table, order) for guess, table in zip(words.guesses, tables, strict=True)}
        limit = sorted(scores.values(), reverse=True)[each - 1]
        assert sum(scores[guess] >= limit - 1e-9 for guess in found) >= each
    first = {guess: renyi(table, orders[0]) for guess, table in zip(words.guesses, tables, strict=True)}
    assert first[found[0]] == pytest.approx(max(first.values()), abs=1e-9)
    assert all(
        any(
            sum(renyi(other, order) > renyi(tables[words.guess_index[guess]], order) + 1e-9 for other in tables) < each
            for order in orders
        )
        for guess in found
    )


def test_a_shortlist_longer_than_the_list_is_the_list():
    found = shortlist(Posterior(TINY), 5.0, (1.0, 2.0), len(TINY.guesses) + 1)
    assert sorted(found) == sorted(TINY.guesses)


@pytest.mark.parametrize("order", [0.0, math.nan, 21.0])
def test_orders_that_are_none(order):
    with pytest.raises(WordplError, match=r"0\.1 to 20, or inf"):
        shortlist(Posterior(TINY), 5.0, (1.0, order), 3)


# Bad input


def refused(candidates, budget, channel=RandomizedResponse):
    with pytest.raises(WordplError) as caught:
        best_step(Posterior(TINY, channel=channel), candidates, budget)
    assert "\n" not in str(caught.value)
    return str(caught.value)


GUESS = TINY.guesses[0]


def test_no_candidates():
    assert "no candidates" in refused([], 5.0)


@pytest.mark.parametrize("epsilon", [5.0, 5.1, 0.0, -1.0])
def test_nothing_asked_or_nothing_left(epsilon):
    assert "both must be above 0" in refused([(GUESS, epsilon)], 5.0)
    assert "both must be above 0" in refused([(GUESS, 3.0), (GUESS, epsilon)], 5.0)


@pytest.mark.parametrize(("epsilon", "budget"), [(math.nan, 5.0), (2.0, math.nan), (math.inf, math.inf)])
def test_budgets_that_are_none(epsilon, budget):
    assert "allowed" in refused([(GUESS, epsilon)], budget)


@pytest.mark.parametrize(("channel", "epsilon"), [(Fibble, 2.0), (Fibble, math.inf), (Fade, 2.0), (Scatter, 2.0)])
def test_channels_whose_marks_are_not_alike(channel, epsilon):
    refused([(GUESS, epsilon)], 5.0, channel)


def test_a_guess_that_is_no_word():
    assert "zzzzz" in refused([("zzzzz", 2.0)], 5.0)


def test_budgets_at_which_some_clues_cannot_be():
    assert best_step(Posterior(TINY), [(GUESS, 6000.0)], 9000.0).value == pytest.approx(1.0)
