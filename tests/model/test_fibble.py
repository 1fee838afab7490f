"""The channel of a game of Fibble, against every clue looked at alone."""

import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import all_marks, differences
from wordpl import Posterior, WordplError, load_words
from wordpl.model.clues import Clue
from wordpl.model.fibble import FibbleRows, fibble_rows

SIZES = st.integers(3, 5).flatmap(lambda length: st.tuples(st.just(length), st.integers(1, length)))


def slow(length, lies):
    """P(noisy given true): [noisy, true]."""
    marks = list(all_marks(length))
    right = (2,) * length
    table = np.zeros((len(marks),) * 2)
    for t, true in enumerate(marks):
        shown = [true] if true == right else [n for n in marks if n != right and differences(n, true) == lies]
        for noisy in shown:
            table[marks.index(noisy), t] = 1 / len(shown)
    return table


@given(SIZES)
def test_likelihood_and_matrix_are_those_of_the_slow_version(size):
    length, lies = size
    channel, table = FibbleRows(length=length, lies=lies), slow(length, lies)
    np.testing.assert_allclose([channel.likelihood(code) for code in range(3**length)], table, rtol=1e-12)
    np.testing.assert_allclose(channel.matrix().toarray(), table, rtol=1e-12)
    np.testing.assert_allclose(channel.noise_entropy, scipy.stats.entropy(table, base=2), atol=1e-9)


@given(SIZES, st.integers(0, 2**32), st.sampled_from([1, 2, 3]))
def test_a_transform_is_a_product_with_the_matrix(size, seed, power):
    length, lies = size
    weights = np.random.default_rng(seed).random((3**length, 2))
    channel, table = FibbleRows(length=length, lies=lies), slow(length, lies) ** power
    np.testing.assert_allclose(channel.transform(weights, power), table @ weights, rtol=1e-12)
    np.testing.assert_allclose(channel.transform(weights[:, 0], power), table @ weights[:, 0], rtol=1e-12)


@pytest.mark.parametrize("true", ["..icc", "ccccc", "cccc.", "....."])
@pytest.mark.parametrize("lies", [1, 2, 5])
def test_clues_are_drawn_as_often_as_the_channel_says(true, lies):
    channel, rng = FibbleRows(lies=lies), np.random.default_rng(7)
    code = Clue.parse(true).code
    counts = Counter(channel.sample(code, rng.random(5).tolist()) for _ in range(4000))
    expected = channel.matrix().toarray()[:, code]
    possible = np.flatnonzero(expected)
    assert set(counts) <= set(possible)
    if len(possible) > 1:
        assert scipy.stats.chisquare([counts[c] for c in possible], 4000 * expected[possible]).pvalue > 1e-3


def test_a_clue_that_is_not_all_correct_rules_its_guess_out():
    words = load_words("original")
    belief = Posterior(words, "counted", fibble_rows(1)).update("crate", math.inf, "ccccc")
    assert [words.answers[i] for i in belief.possible] == ["crate"]
    belief = Posterior(words, "counted", fibble_rows(1)).update("crate", math.inf, "cccc.")
    assert "crate" not in [words.answers[i] for i in belief.possible]


def test_what_is_no_game_of_fibble_is_refused():
    for lies, length in ((0, 5), (6, 5), (4, 3), (6, 8), (1.5, 5)):
        with pytest.raises(WordplError, match="lies"):
            FibbleRows(length=length, lies=lies)
    with pytest.raises(WordplError, match="infinite budget"):
        FibbleRows(13.0)
