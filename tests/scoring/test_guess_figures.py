"""The figures of a word and the ranking of all, against the definitions."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.generators import RULE, beliefs, epsilons, small_words, words_of
from tests.helpers import SMALL
from wordpl.base.errors import WordplError
from wordpl.model.channel import RandomizedResponse
from wordpl.model.posterior import Posterior
from wordpl.scoring import guess_figures
from wordpl.scoring.criteria import CRITERIA, check_criterion
from wordpl.scoring.guess_scores import score_guesses

BY_PARTS = ("information_gain", "clue_entropy", "expected_remaining", "parts", "largest_part")


def table_of(belief: Posterior, guess: str, noise: oracles.NoiseFunction) -> oracles.Table:
    return oracles.joint_table(belief.words.answers, belief.rule, list(belief.probabilities), guess, noise)


@given(beliefs(max_length=4), epsilons(zero=False), st.data())
def test_figures_of_any_word_in_the_list_or_not(belief: Posterior, epsilon: float, data: st.DataObject) -> None:
    guess = data.draw(words_of(belief.words.length))
    table = table_of(belief, guess, oracles.randomized_response(epsilon, len(guess)))
    sizes = oracles.part_sizes(belief.words.answers, belief.rule, list(np.exp(belief.log_weights)), guess)
    found = guess_figures.figures_of(belief, epsilon, guess)
    assert found.bits == pytest.approx(oracles.information_gain(table), abs=1e-9)
    assert found.clue_entropy == pytest.approx(oracles.clue_entropy(table), abs=1e-9)
    assert found.expected_remaining == pytest.approx(oracles.expected_remaining(table), rel=1e-9)
    assert (found.parts, found.largest_part) == (len(sizes), max(sizes.values()))
    at = belief.words.answer_index.get(guess)
    assert found.chance == (0.0 if at is None else belief.probabilities[at])


@given(beliefs(max_length=4), epsilons(zero=False), st.data())
def test_a_clue_that_is_known_beforehand_tells_nothing_exactly(
    belief: Posterior, epsilon: float, data: st.DataObject
) -> None:
    """Probabilities that add up to 1 but for a rounding make no bits."""
    guess = data.draw(words_of(belief.words.length))
    for at in (epsilon, math.inf):
        found = guess_figures.figures_of(belief, at, guess)
        if found.parts == 1:
            assert found.bits == 0.0 and (at != math.inf or found.clue_entropy == 0.0)


def test_a_word_without_a_letter_of_the_answers_left(original) -> None:
    belief = Posterior(original).update("crate", math.inf, "....c")
    apart = [word for word in original.guesses if guess_figures.figures_of(belief, math.inf, word).parts == 1]
    figures = [guess_figures.figures_of(belief, 12.0, word) for word in apart]
    assert len(apart) > 3 and {found.bits for found in figures} == {0.0}


@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(BY_PARTS))
def test_ranking_is_by_score_then_chance_then_alphabet(belief: Posterior, epsilon: float, criterion: str) -> None:
    found = list(guess_figures.ranking(belief, epsilon, criterion))
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    # The same order, and at tiny epsilons the entropies have no digits left that differ.
    by = "information_gain" if criterion == "clue_entropy" else criterion
    scores = sign * score_guesses(belief, epsilon, by)
    chances = [guess_figures.figures_of(belief, epsilon, word).chance for word in belief.words.guesses]
    assert sorted(found) == list(range(len(belief.words.guesses)))
    for one, other in itertools.pairwise(found):
        assert scores[one] > scores[other] - 2e-9
        if scores[one] == scores[other]:
            assert (-chances[one], one) < (-chances[other], other)


@pytest.mark.heavy
@given(small_words(), RULE, st.sampled_from(BY_PARTS), st.data())
def test_sizes_of_parts_give_the_scores_of_the_kernels(words, rule: str, criterion: str, data: st.DataObject) -> None:
    n = len(words.answers)
    left = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    belief = Posterior(words, rule, RandomizedResponse, [float(i in left) for i in range(n)])
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    scores = guess_figures._by_parts(belief, np.arange(len(words.guesses)), criterion)
    assert scores == pytest.approx(sign * score_guesses(belief, math.inf, criterion), abs=1e-9)


def test_a_ranking_by_information_loads_no_kernels() -> None:
    script = (
        "import sys, wordpl; from wordpl.scoring import guess_figures;"
        " belief = wordpl.Posterior(wordpl.load_words()).update('crate', 9.0, '..i..');"
        " guess_figures.ranking(belief, 9.0); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_ranking_among_some_guesses_only() -> None:
    belief = Posterior(SMALL, "counted")
    allowed = np.array([3, 5, 11])
    for epsilon in (5.0, math.inf):
        assert sorted(guess_figures.ranking(belief, epsilon, allowed=allowed)) == [3, 5, 11]
        assert guess_figures.ranking(belief, epsilon, allowed=allowed[:0]).size == 0
    assert sorted(guess_figures.ranking(belief, math.inf, "expected_top", allowed)) == [3, 5, 11]


def test_original_opens_with_the_reference_numbers(original) -> None:
    belief = Posterior(original, "counted")
    best = guess_figures.figures_of(belief, math.inf, original.guesses[guess_figures.ranking(belief, math.inf)[0]])
    assert (best.word, best.parts, best.largest_part) == ("soare", 127, 183)
    assert best.bits == pytest.approx(5.885960, abs=5e-7)
    tarse = guess_figures.figures_of(Posterior(original, "counted"), math.inf, "tarse")
    assert (tarse.parts, tarse.largest_part, tarse.chance) == (147, 227, 0.0)
    assert tarse.bits == pytest.approx(5.946725, abs=5e-7)


def test_unknown_criteria_are_refused() -> None:
    assert all(check_criterion(name) == name for name in CRITERIA)
    with pytest.raises(WordplError, match="did you mean 'parts'"):
        check_criterion("part")
