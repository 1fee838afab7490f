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
from wordpl.scoring import drawn_kernels, kernels, threads
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
    assert abs(apart.mean() - 1.0 / drawn_kernels.BLOCKS) < 0.01

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


def test_threads_are_the_cores_or_fewer(monkeypatch):
    """The share of a container counts, as it does for workers."""
    cores = 3
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "3")
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8))
    for limit, expected in (("1", 1), ("0", 1), ("2", 2), ("many", cores), (str(cores + 1), cores)):
        monkeypatch.setenv("NUMBA_NUM_THREADS", limit)
        monkeypatch.delenv("WORDPL_NUM_THREADS", raising=False)
        assert threads.thread_count.__wrapped__() == expected


# The kernels that have an obvious other way to be computed


def test_entropy_of_each_float_alone():
    values = np.concatenate(
        [2.0 ** np.arange(-1074, 1), np.geomspace(1e-320, 1, 5000), 1 - np.geomspace(1e-16, 0.5, 999)]
    )
    values = np.append(values, np.zeros(-values.size % LANES))
    found = np.full(values.size, np.nan)
    for at in range(0, values.size, LANES):
        kernels.entropy_lanes(values[at : at + LANES].copy(), np.empty((2, LANES)), found[at : at + LANES])
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


def test_the_blocks_of_a_guess_are_even_and_those_of_two_columns_independent():
    places = range(drawn_kernels.COLUMNS)
    choices = [np.uint64(drawn_kernels._choice(guess, np.uint64(5))) for guess in range(5_000)]
    blocks = np.array([[drawn_kernels._block(choice, column) for column in places] for choice in choices])
    assert (blocks // drawn_kernels.BLOCKS == [*places]).all()
    for one, other in itertools.combinations(blocks.T % drawn_kernels.BLOCKS // 4, 2):  # 16 groups of four in each
        assert scipy.stats.chisquare(np.bincount(16 * one + other, minlength=256)).pvalue > 1e-4
