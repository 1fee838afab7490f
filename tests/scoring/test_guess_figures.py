"""The figures of a word, against the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import oracles
from tests.support.generators import beliefs, epsilons, words_of
from wordpl import Posterior
from wordpl.scoring.guess_figures import figures_of


def table_of(belief: Posterior, guess: str, noise: oracles.NoiseFunction) -> oracles.Table:
    return oracles.joint_table(belief.words.answers, belief.rule, list(belief.probabilities), guess, noise)


@given(beliefs(max_length=4), epsilons(zero=False), st.data())
def test_figures_of_any_word_in_the_list_or_not(belief, epsilon, data):
    guess = data.draw(words_of(belief.words.length))
    table = table_of(belief, guess, oracles.randomized_response(epsilon, len(guess)))
    sizes = oracles.part_sizes(belief.words.answers, belief.rule, list(np.exp(belief.log_weights)), guess)
    found = figures_of(belief, epsilon, guess)
    assert found.bits == pytest.approx(oracles.information_gain(table), abs=1e-9)
    assert found.clue_entropy == pytest.approx(oracles.clue_entropy(table), abs=1e-9)
    assert found.expected_remaining == pytest.approx(oracles.expected_remaining(table), rel=1e-9)
    assert (found.parts, found.largest_part) == (len(sizes), max(sizes.values()))
    at = belief.words.answer_index.get(guess)
    assert found.chance == (0.0 if at is None else belief.probabilities[at])


@given(beliefs(max_length=4), epsilons(zero=False), st.data())
def test_a_clue_that_is_known_beforehand_tells_nothing_exactly(belief, epsilon, data):
    """Probabilities that add up to 1 but for a rounding make no bits."""
    guess = data.draw(words_of(belief.words.length))
    for at in (epsilon, math.inf):
        found = figures_of(belief, at, guess)
        if found.parts == 1:
            assert found.bits == 0.0 and (at != math.inf or found.clue_entropy == 0.0)


def test_a_word_without_a_letter_of_the_answers_left(original):
    belief = Posterior(original).update("crate", math.inf, "....c")
    apart = [word for word in original.guesses if figures_of(belief, math.inf, word).parts == 1]
    figures = [figures_of(belief, 12.0, word) for word in apart]
    assert len(apart) > 3 and {found.bits for found in figures} == {0.0}
