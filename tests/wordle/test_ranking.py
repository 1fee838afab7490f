"""The ranking of all guesses, against the scores of the kernels."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import RULE, beliefs, epsilons, small_words
from wordpl import CRITERIA, Posterior, RandomizedResponse, score_guesses
from wordpl.scoring.guess_statistics import statistics_of
from wordpl.wordle.ranking import _by_parts, ranking

BY_PARTS = ("information_gain", "clue_entropy", "expected_remaining", "expected_top", "parts", "largest_part")


@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(BY_PARTS))
def test_ranking_is_by_score_then_chance_then_alphabet(belief, epsilon, criterion):
    found = list(ranking(belief, epsilon, criterion))
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    # The same order, and at tiny epsilons the entropies have no digits left that differ.
    by = "information_gain" if criterion == "clue_entropy" else criterion
    scores = sign * score_guesses(belief, epsilon, by)
    chances = [statistics_of(belief, epsilon, word).chance for word in belief.words.guesses]
    assert sorted(found) == list(range(len(belief.words.guesses)))
    for one, other in itertools.pairwise(found):
        assert scores[one] > scores[other] - 2e-9
        if scores[one] == scores[other]:
            assert (-chances[one], one) < (-chances[other], other)


@pytest.mark.heavy
@given(small_words(), RULE, st.sampled_from(BY_PARTS), st.data())
def test_sizes_of_parts_give_the_scores_of_the_kernels(words, rule, criterion, data):
    n = len(words.answers)
    left = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    belief = Posterior(words, rule, RandomizedResponse, [float(i in left) for i in range(n)])
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    scores = _by_parts(belief, np.arange(len(words.guesses)), criterion)
    assert scores == pytest.approx(sign * score_guesses(belief, math.inf, criterion), abs=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("epsilon", [0.01, 9.0, math.inf])
def test_the_first_ten_are_those_of_the_whole_ranking(epsilon, kernels):
    for belief in (Posterior("original"), Posterior("nyt2023", "counted").update("crate", epsilon, "..i..")):
        every = ranking(belief, epsilon, kernels=kernels)
        assert ranking(belief, epsilon, count=10, kernels=kernels).tolist() == every[:10].tolist()
