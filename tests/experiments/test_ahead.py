"""Two clues of look-ahead, and the shortlist: against sums over all clues, and scores from tables."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from experiments.ahead import shortlist, two_step_lookahead
from tests.support.helpers import TINY
from tests.support.oracles import joint_table, randomized_response, renyi
from tests.support.tops import cases, joint, top_scores, true_codes
from wordpl import Posterior


def beliefs_of(case):
    return Posterior(case.words, case.rule, prior=case.weights)


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
