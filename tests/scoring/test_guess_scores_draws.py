"""Scores from draws: what they estimate, how far they fall short, and that they can be repeated; and their kernels."""

import itertools
import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import beliefs, epsilons
from wordpl import CRITERIA, Posterior, best_guess, clue_matrix
from wordpl.scoring import drawn_kernels
from wordpl.scoring.drawn_entropy import tables
from wordpl.scoring.guess_scores import score_guesses
from wordpl.scoring.noise import LANES

FLOOR = 1e-10


@pytest.fixture(scope="module")
def belief(original):
    return Posterior(original).update("crate", 12.3, "..icc")


@given(beliefs(), epsilons(), st.sampled_from(sorted(CRITERIA)), st.integers(1, 300), st.integers(0, 99))
def test_shared_draws_stand_in_for_the_posterior(belief, epsilon, criterion, draws, seed):
    """The score is the exact one of the drawn answers, evenly weighed."""
    drawn = np.random.default_rng(seed).multinomial(draws, belief.probabilities)
    assert (drawn[belief.probabilities == 0] == 0).all()
    exact = score_guesses(Posterior(belief.words, belief.rule, prior=drawn), epsilon, criterion)
    found = score_guesses(belief, epsilon, criterion, draws=draws, rng=seed)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-12)


@pytest.mark.published
@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize(("epsilon", "draws", "shortfall"), [(12.3, 200, 0.08), (25.0, 1000, 0.09)])
def test_plugin_entropy_falls_short_as_documented(original, epsilon, draws, shortfall, separate):
    belief, crate, rng = Posterior(original), [original.guess_index["crate"]], np.random.default_rng(1)
    exact = score_guesses(belief, epsilon, guesses=crate)[0]
    estimates = [
        score_guesses(belief, epsilon, draws=draws, rng=rng, guesses=crate, separate_draws=separate)[0]
        for _ in range(200)
    ]
    error = np.std(estimates, ddof=1) / math.sqrt(len(estimates))
    rounding = 0.005
    assert exact - np.mean(estimates) == pytest.approx(shortfall, abs=4 * error + rounding)


@pytest.mark.parametrize("separate", [False, True])
def test_repeatable_by_seed(belief, separate):
    def scores(rng):
        return score_guesses(belief, 12.3, draws=200, rng=rng, separate_draws=separate)

    assert np.array_equal(scores(5), scores(5))
    assert np.array_equal(scores(5), scores(np.random.default_rng(5)))
    assert (scores(5) != scores(6)).mean() > 0.9
    assert (scores(None) != scores(None)).mean() > 0.9
    stream = np.random.default_rng(5)
    assert not np.array_equal(scores(stream), scores(stream))


def test_separate_draws_are_scored_as_published(belief):
    """The entropy of the noisy clue of each guess's own draws, 1e-10 added to every clue probability."""
    words, draws, seed = belief.words, 150, 9
    chosen = np.arange(100, 100 + LANES)
    kernel_seed = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    hist = np.empty(243 * LANES)
    drawn_kernels.fill_draws(hist, clue_matrix(words), chosen, tables(belief.probabilities), draws, kernel_seed)
    channel = belief.channel(12.3, 5).matrix().toarray()
    p = channel @ hist.reshape(243, LANES) + FLOOR
    found = score_guesses(belief, 12.3, draws=draws, rng=seed, separate_draws=True, guesses=chosen)
    np.testing.assert_allclose(found, -(p * np.log2(p)).sum(axis=0), rtol=1e-12)


def plain_scores(belief, epsilon, draws, guesses, games, seed):
    """Scores by the formula of `MaxClueEntropy`, from independent draws for every guess and game: [games, guesses]."""
    true = np.array([np.bincount(row, belief.probabilities, 243) for row in clue_matrix(belief.words)[guesses]])
    true /= true.sum(axis=1, keepdims=True)
    rng, noise = np.random.default_rng(seed), belief.channel(epsilon, 5).matrix().toarray()
    found = []
    for _ in range(games):
        p = rng.multinomial(draws, true) / draws @ noise.T + FLOOR
        found.append(-(p * np.log2(p)).sum(axis=1))
    return np.array(found)


@pytest.mark.published
@pytest.mark.parametrize(("epsilon", "draws"), [(12.3, 200), (25.0, 61)])
def test_separate_draws_have_the_law_of_the_plain_formula(belief, epsilon, draws):
    """Mean and deviation of each score, and the guess that is chosen. Two scores are nearly independent."""
    games, guesses = 1500, np.argsort(-score_guesses(belief, epsilon), kind="stable")[:600:5]
    plain = plain_scores(belief, epsilon, draws, guesses, games, seed=1)
    asked = {"draws": draws, "separate_draws": True, "guesses": guesses}
    found = np.array([score_guesses(belief, epsilon, rng=seed, **asked) for seed in range(games)])
    deviations = found.std(axis=0, ddof=1), plain.std(axis=0, ddof=1)
    errors = np.hypot(*deviations) / math.sqrt(games)
    assert np.abs((found.mean(axis=0) - plain.mean(axis=0)) / errors).max() < 4.5
    assert abs(np.mean((found.mean(axis=0) - plain.mean(axis=0)) / errors)) < 0.4
    assert np.abs(np.log(deviations[0] / deviations[1])).max() < 4.5 / math.sqrt(games)
    apart = np.corrcoef(found.T)[np.triu_indices(len(guesses), 1)]
    assert abs(apart.mean()) < 1.0 / drawn_kernels.BLOCKS  # the share of draws in common

    place = {belief.words.guesses[guess]: at for at, guess in enumerate(guesses)}
    chosen = [place[best_guess(belief, epsilon, rng=games + seed, **asked)] for seed in range(games)]
    table = np.array([np.bincount(best, minlength=len(guesses)) for best in (chosen, plain.argmax(axis=1))])
    usual = table.sum(axis=0) >= 16
    table = np.column_stack([table[:, usual], table[:, ~usual].sum(axis=1) + 1])
    assert table.shape[1] > 5 and scipy.stats.chi2_contingency(table).pvalue > 1e-3


REQUESTS = [{"criterion": criterion} for criterion in CRITERIA] + [
    {"draws": 200, "rng": 1},
    {"draws": 200, "rng": 1, "separate_draws": True},
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda r: "-".join(map(str, r.values())))
def test_pieces_score_as_the_whole(belief, request_):
    """Small pieces are done by one thread, the whole by all of them."""
    n = len(belief.words.guesses)
    whole = score_guesses(belief, 12.3, **request_)
    pieces = [score_guesses(belief, 12.3, guesses=range(i, min(i + 83, n)), **request_) for i in range(0, n, 83)]
    assert np.array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("n", [2, 7, 64, 243])
@pytest.mark.parametrize("draws", [3, 203, 400_000])
def test_draws_are_as_many_as_asked_and_as_frequent_as_the_weights(n, draws):
    """Of three guesses; the clue of answer a is code a, whatever the guess."""
    weights = np.random.default_rng(n).random(n) ** 4 * (np.arange(n) % 3 != 1)
    clues, hist = np.tile(np.arange(n, dtype=np.uint8), (3, 1)), np.empty(n * LANES)
    drawn_kernels.fill_draws(hist, clues, np.arange(3), tables(weights), draws, np.uint64(n))
    shares = hist.reshape(-1, LANES)[:, :3] * draws
    counts, expected = np.rint(shares), draws * weights / weights.sum()
    np.testing.assert_allclose(shares, counts, atol=1e-9)
    assert (counts.sum(axis=0) == draws).all() and (counts[weights == 0] == 0).all()
    usual = expected >= 8
    for lane in counts.T if draws > 1000 else ():
        observed = np.append(lane[usual], lane[~usual].sum() + 1)  # the rare together, one added to all
        theory = np.append(expected[usual], expected[~usual].sum() + 1)
        assert scipy.stats.chisquare(observed, theory * observed.sum() / theory.sum()).pvalue > 1e-4


def test_the_blocks_of_a_guess_are_even_and_those_of_two_columns_independent():
    places = range(drawn_kernels.COLUMNS)
    choices = [np.uint64(drawn_kernels._choice(guess, np.uint64(5))) for guess in range(5_000)]
    blocks = np.array([[drawn_kernels._block(choice, column) for column in places] for choice in choices])
    assert (blocks // drawn_kernels.BLOCKS == [*places]).all()
    for one, other in itertools.combinations(blocks.T % drawn_kernels.BLOCKS // 2, 2):  # 16 groups of two in each
        assert scipy.stats.chisquare(np.bincount(16 * one + other, minlength=256)).pvalue > 1e-4
