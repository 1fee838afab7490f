"""The ranking of all guesses, against the scores of the kernels."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import RULE, beliefs, epsilons, small_words
from tests.support.helpers import SMALL
from wordpl import CRITERIA, Posterior, RandomizedResponse, score_guesses
from wordpl.scoring.guess_figures import figures_of
from wordpl.wordle.ranking import _by_parts, ranking

BY_PARTS = ("information_gain", "clue_entropy", "expected_remaining", "parts", "largest_part")


@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(BY_PARTS))
def test_ranking_is_by_score_then_chance_then_alphabet(belief, epsilon, criterion):
    found = list(ranking(belief, epsilon, criterion))
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    # The same order, and at tiny epsilons the entropies have no digits left that differ.
    by = "information_gain" if criterion == "clue_entropy" else criterion
    scores = sign * score_guesses(belief, epsilon, by)
    chances = [figures_of(belief, epsilon, word).chance for word in belief.words.guesses]
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


def test_a_ranking_by_information_loads_no_kernels():
    script = (
        "import sys, wordpl; from wordpl.wordle.ranking import ranking;"
        " belief = wordpl.Posterior(wordpl.load_words()).update('crate', 9.0, '..i..');"
        " ranking(belief, 9.0); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_ranking_among_some_guesses_only():
    belief = Posterior(SMALL, "counted")
    allowed = np.array([3, 5, 11])
    for epsilon in (5.0, math.inf):
        assert sorted(ranking(belief, epsilon, allowed=allowed)) == [3, 5, 11]
        assert ranking(belief, epsilon, allowed=allowed[:0]).size == 0
    assert sorted(ranking(belief, math.inf, "expected_top", allowed)) == [3, 5, 11]


def test_original_opens_with_the_reference_numbers(original):
    """`tests/scoring/test_guess_scores.py` has those of more words."""
    best = original.guesses[ranking(Posterior(original, "counted"), math.inf)[0]]
    found = [figures_of(Posterior(original, "counted"), math.inf, word) for word in (best, "tarse")]
    assert [(each.word, each.parts, each.largest_part) for each in found] == [("soare", 127, 183), ("tarse", 147, 227)]
    assert [each.bits for each in found] == pytest.approx([5.885960, 5.946725], abs=5e-7)
    assert found[1].chance == 0.0


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("epsilon", [0.01, 9.0, math.inf])
def test_the_first_ten_are_those_of_the_whole_ranking(epsilon, kernels):
    for belief in (Posterior("original"), Posterior("nyt2023", "counted").update("crate", epsilon, "..i..")):
        every = ranking(belief, epsilon, kernels=kernels)
        assert ranking(belief, epsilon, count=10, kernels=kernels).tolist() == every[:10].tolist()
