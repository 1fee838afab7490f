"""The kernels that have an obvious other way to be computed: entropy, transforms, drawing."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from wordpl.scoring import drawn_kernels, kernels
from wordpl.scoring.drawn_entropy import tables
from wordpl.scoring.noise import LANES


def entropy_lanes(hist, lanes):
    out = np.full(lanes, np.nan)
    kernels.entropy_lanes(hist.ravel(), np.empty((2, hist.size)), out)
    return out


def test_entropy_of_each_float_alone():
    values = np.concatenate(
        [2.0 ** np.arange(-1074, 1), np.geomspace(1e-320, 1, 5000), 1 - np.geomspace(1e-16, 0.5, 999)]
    )
    values = np.append(values, np.zeros(-values.size % LANES))
    found = np.concatenate([entropy_lanes(row[np.newaxis], LANES) for row in values.reshape(-1, LANES)])
    np.testing.assert_allclose(found, scipy.special.entr(values) / math.log(2), rtol=1e-13, atol=1e-300)


def draw(weights, draws, seed, guesses=1):
    """Shares [answer, guess] of the draws: the clue of answer a is code a, whatever the guess."""
    clues = np.tile(np.arange(weights.size, dtype=np.uint8), (guesses, 1))
    hist = np.empty(weights.size * LANES)
    drawn_kernels.fill_draws(hist, clues, np.arange(guesses), tables(weights), draws, np.uint64(seed))
    return hist.reshape(-1, LANES)[:, :guesses]


weight_lists = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 1e-300]), min_size=1, max_size=60).filter(
    lambda weights: max(weights) > 1e-3
)


@given(weight_lists, st.sampled_from([1, 3, 50, 203, 500]), st.integers(0, 2**64 - 1), st.integers(1, LANES))
def test_draws_are_as_many_as_asked_and_never_fall_on_zero(weights, draws, seed, guesses):
    weights = np.array(weights)
    shares = draw(weights, draws, seed, guesses)
    np.testing.assert_allclose(shares * draws, np.rint(shares * draws), atol=1e-9)
    np.testing.assert_allclose(shares.sum(axis=0), 1, rtol=1e-12)
    assert (shares[weights == 0] == 0).all()


@pytest.mark.parametrize("n", [2, 7, 64, 243])
def test_frequencies_are_the_weights(n):
    rng = np.random.default_rng(n)
    weights = rng.random(n) ** 4 * (np.arange(n) % 3 != 1)
    draws = 400_000
    counts = np.rint(draw(weights, draws, seed=n, guesses=3) * draws)
    expected = draws * weights / weights.sum()
    usual = expected >= 8
    for lane in counts.T:
        observed = np.append(lane[usual], lane[~usual].sum() + 1)  # the rare together, one added to all
        theory = np.append(expected[usual], expected[~usual].sum() + 1)
        assert scipy.stats.chisquare(observed, theory * observed.sum() / theory.sum()).pvalue > 1e-4
