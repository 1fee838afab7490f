"""The kernels of the last clue: hinge and bounds by enumeration, searches against plain scoring."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tops import cases, joint, noise_matrix, random_words, top_scores, true_codes
from wordpl import Posterior, RandomizedResponse
from wordpl.scoring import last_guess_kernels as kernels
from wordpl.scoring.last_guess import clue_tables, symmetric_marks, top_candidates
from wordpl.scoring.last_guess_kernels import MIN_SHOWN, RARE, Weighted, near_clues, search_top


@cache
def hinge_by_clues(w_i, w_j, apart, keep, flip):
    """One true clue is all 0, the other all 1, over `apart` marks."""
    return math.fsum(
        max(
            w_i * math.prod(keep if mark == 0 else flip for mark in noisy)
            - w_j * math.prod(keep if mark == 1 else flip for mark in noisy),
            0.0,
        )
        for noisy in itertools.product(range(3), repeat=apart)
    )


class Prepared:
    """A case as the kernels take it."""

    def __init__(self, case):
        words, rule, weights, epsilon = case
        self.symmetric = symmetric_marks(RandomizedResponse(epsilon, words.length))
        self.length, self.codes, self.n = words.length, words.n_clues, len(words.guesses)
        self.support = top_candidates(weights, self.symmetric.odds(self.length))
        self.light = (weights[self.support] / weights.max()).astype(np.float32)
        self.tables, self.answers = clue_tables(words, rule), Weighted(self.support, self.light)
        self.marks = np.float32(self.symmetric.keep), np.float32(self.symmetric.flip)

    def by_pairs(self, rivals=4):
        out = np.empty(self.n, np.float32)
        kernels.bound_by_pairs(self.tables, self.answers, self.symmetric, rivals, out)
        return out

    def by_heaviest(self, shown):
        out = np.full(self.n, np.nan, np.float32)
        kernels.bound_by_heaviest(self.tables, self.answers, self.marks, shown, out)
        return out

    def search(self, slack=1e-4):
        out = np.full(self.n, np.nan, np.float32)
        return search_top(self.tables, self.answers, self.marks, np.float32(slack), out), out


def relative(case):
    """The scores by brute force, the heaviest weight 1."""
    return top_scores(case.weights / case.weights.max(), case.words, case.rule, case.epsilon)


RIVALS = st.sampled_from([4, 3, 1])


@settings(max_examples=40)
@given(cases(most_answers=40, most_guesses=30, lengths=(3, 4, 5)), RIVALS)
def test_bounds_by_pairs_are_those_of_the_formula_and_no_guess_scores_more(case, rivals):
    """Weaker ones would be right as well, and of no use."""
    ready = Prepared(case)
    assert (relative(case) <= ready.by_pairs(rivals) * (1 + 1e-5)).all()
    codes, length, (keep, flip) = true_codes(case.words, case.rule), ready.length, ready.symmetric
    w = ready.light.astype(float).tolist()
    for guess, found in enumerate(ready.by_pairs(rivals)):
        marks = [np.base_repr(codes[guess, a], 3).zfill(length) for a in ready.support]
        expected = w[0]
        for i in range(1, len(w)):
            apart = [sum(x != y for x, y in zip(marks[i], marks[j], strict=True)) for j in range(min(i, rivals))]
            expected += min(hinge_by_clues(w[i], w[j], d, keep, flip) for j, d in enumerate(apart))
        assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.heavy
@settings(max_examples=30)
@given(cases(most_answers=40, most_guesses=60), st.data())
def test_bounds_by_the_heaviest_fill_up_all_other_clues(case, data):
    """Beside them an answer as heavy as the next for every clue: what that scores, by brute force."""
    ready = Prepared(case)
    shown = data.draw(st.integers(1, len(ready.support)))
    heavy = np.zeros_like(case.weights)
    heavy[ready.support[:shown]] = ready.light[:shown]
    others = ready.light[shown] if shown < len(ready.support) else 0.0
    noise, bounds = noise_matrix(ready.length, case.epsilon), ready.by_heaviest(shown)
    for row, found in zip(true_codes(case.words, case.rule), bounds, strict=True):
        of_answers = joint(heavy, row, case.epsilon, ready.length).max(axis=1)
        assert found == pytest.approx(np.maximum(of_answers, others * noise.max(axis=1)).sum(), rel=2e-5)
    assert (relative(case) <= bounds * (1 + 2e-5)).all()


def test_search_skips_most_guesses_after_a_telling_clue(original):
    belief = Posterior(original).update("trace", 15.0, "..ic.").update("soily", 18.0, ".c...")
    case = Prepared((original, "letterwise", belief.probabilities, 4.5))
    assert len(case.support) > MIN_SHOWN
    best, found = case.search()
    assert (found > 0).mean() < 0.1
    assert best == case.by_heaviest(len(case.support)).max()


def test_blocks_of_guesses_make_no_difference():
    """More guesses than the bound takes at a time."""
    rng = np.random.default_rng(4)
    words = random_words(rng, 5, 30, 3000, 8)
    assert len(words.guesses) > 2 * kernels._BLOCK
    weights = rng.random(len(words.answers)) ** 4
    ready = Prepared((words, "counted", weights, 6.0))
    whole = ready.by_pairs()
    order = rng.permutation(ready.n)
    ready.tables = ready.tables._replace(packed=np.ascontiguousarray(ready.tables.packed[:, order]))
    assert np.array_equal(ready.by_pairs(), whole[order])


# The near values


@given(st.lists(st.floats(0, 2, width=32), min_size=1, max_size=300), st.integers(1, 64))
def test_the_largest_are_found_to_within_a_bin(scores, n):
    scores = np.array(scores, np.float32)
    places = np.full(n, -1)
    found = kernels.largest(scores, n, places)
    chosen = places[:found]
    assert len(set(chosen.tolist())) == found == min(n, scores.size)
    bin_width = (scores.max() - scores.min()) / 4095
    assert scores[chosen].min() >= np.sort(scores)[-found] - 1.001 * bin_width


def near(case, guess, epsilon, tried):
    """Near values of all clues to an ask at `epsilon`, the last clue at the case's own, and what they are made of."""
    ready = Prepared(case)
    row = true_codes(case.words, case.rule)[guess]
    out = np.empty(ready.codes)
    support = np.flatnonzero(case.weights)
    near_clues(
        ready.tables,
        row.astype(ready.tables.clues.dtype),
        noise_matrix(ready.length, epsilon),
        Weighted(support, case.weights[support]),
        ready.marks,
        tried,
        out,
    )
    return out, joint(case.weights, row, epsilon, ready.length)


@pytest.mark.heavy
@settings(max_examples=15)
@given(cases(most_answers=25, most_guesses=40, lengths=(3, 4)), st.sampled_from([2.0, 6.0, 15.0]))
def test_near_values_are_those_of_the_answers_that_count(case, epsilon):
    """With as many guesses tried as there are: what is left out is light answers and rare clues, as documented."""
    values, weights = near(case, 0, epsilon, len(case.words.guesses))
    for value, of_clue in zip(values, weights, strict=True):
        if of_clue.sum() - of_clue.max() < RARE * case.weights.sum() * (1 - 1e-9):
            assert value == pytest.approx((of_clue.sum() + of_clue.max()) / 2)
            continue
        counted = np.where(of_clue >= of_clue.max() * kernels.LIGHT, of_clue, 0.0)
        best = top_scores(counted, case.words, case.rule, case.epsilon).max()
        assert value == pytest.approx(max(best, of_clue.max()), rel=3e-5)


@settings(max_examples=30)
@given(cases(most_answers=25, most_guesses=40, lengths=(3, 4)), st.integers(1, 5))
def test_near_values_of_few_guesses_are_no_larger_than_the_best(case, tried):
    values, weights = near(case, 0, 6.0, tried)
    for value, of_clue in zip(values, weights, strict=True):
        best = top_scores(of_clue, case.words, case.rule, case.epsilon).max()
        rare = RARE * case.weights.sum()
        assert of_clue.max() * (1 - 1e-5) <= value <= best * (1 + 3e-5) + rare
