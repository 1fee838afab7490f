"""The search for the best guesses by bounds finds what scoring every guess finds, to the bit."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import EPSILONS, Fade, Scatter, beliefs
from wordpl import CRITERIA, Posterior, WordList, load_words
from wordpl.model import clues
from wordpl.model.channel import Ball, Fibble, RandomizedResponse, make_channel
from wordpl.scoring import bounds
from wordpl.scoring.drawn_entropy import DrawnEntropy
from wordpl.scoring.guess_scores import best_guess, best_guesses, score_guesses, tied_guesses

BOUNDED = st.sampled_from(["clue_entropy", "information_gain"])
CHANNELS = st.sampled_from([RandomizedResponse, Ball, Fibble])


@pytest.fixture
def eager(monkeypatch):
    """Bounds are used from a few guesses on, so that a small list has guesses that are never scored."""
    monkeypatch.setattr(bounds, "_FIRST", 1)


@st.composite
def positions(draw, channels=CHANNELS):
    """A posterior of a game that the right guess ends or does not, and the epsilon of its next clue."""
    family = draw(channels)
    belief = draw(beliefs(channel=family, max_others=20))
    ends = Posterior(belief.words, belief.rule, family, belief.probabilities, right_ends=draw(st.booleans()))
    return ends, math.inf if family is Fibble else draw(st.sampled_from(EPSILONS))


def best_of_all(belief, epsilon, criterion, count, some=None):
    """The best by the scores of all guesses."""
    scores = score_guesses(belief, epsilon, criterion, guesses=some)
    ranks = scores if CRITERIA[criterion].larger_is_better else -scores
    left, order = set(range(len(ranks))), list[int]()
    while left and len(order) < count:
        top = max(ranks[at] for at in left)
        ties = sorted(at for at in left if ranks[at] >= top - 1e-12)
        order, left = order + ties, left - set(ties)
    order = order[:count]
    words = belief.words.guesses if some is None else [belief.words.guesses[guess] for guess in some]
    return [(words[at], float(scores[at])) for at in order]


@given(positions(), BOUNDED)
def test_no_score_is_above_its_bound(position, criterion):
    belief, epsilon = position
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    every = np.arange(len(belief.words.guesses))
    found = bounds.score_bounds(belief, belief.probabilities, channel, criterion, every)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the entropy of uneven noise ranks by no information
        assert found is not None
        assert (found >= score_guesses(belief, epsilon, criterion) - 1e-12).all()


@pytest.mark.parametrize("channel", [RandomizedResponse, Ball])
@pytest.mark.parametrize("epsilon", [3.0, 40.0])
def test_draws_of_each_guess_have_the_same_best(channel, epsilon):
    words = load_words("original")
    belief = Posterior(words, channel=channel).update("salet", epsilon, ".ii..")
    separate = {"draws": 60, "rng": 5, "separate_draws": True, "guesses": words.answers_as_guesses}
    scores = score_guesses(belief, epsilon, **separate)
    assert best_guess(belief, epsilon, **separate) == words.answers[bounds.falling(scores, 1)[0]]
    # The bounds of many draws are near those of the posterior itself.
    made, some = make_channel(channel, epsilon, 5), words.answers_as_guesses
    many = DrawnEntropy(belief, made, 20_000, np.random.default_rng(5)).bounds(some)
    exact = bounds.score_bounds(belief, belief.probabilities, made, "clue_entropy", some)
    assert many == pytest.approx(exact, abs=0.1)


@pytest.mark.parametrize(("draws", "rounding"), [(60, 1e-6), (999, 1e-6), (1_100, 1e-6), (70_001, 2e-3)])
def test_bounds_of_draws_are_the_scores_where_one_mark_decides(draws, rounding):
    words = WordList("two", ("baste", "haste"), ("baste", "haste", "paste"))
    belief = Posterior(words, prior=(0.9, 0.1))
    drawn = DrawnEntropy(belief, RandomizedResponse(40.0, 5), draws, np.random.default_rng(1))
    guesses = np.arange(len(words.guesses))
    upper = drawn.bounds(guesses)
    assert upper is not None
    room = upper - drawn.score(guesses)
    assert (room >= 0).all() and (room <= rounding).all()


@pytest.mark.usefixtures("eager")
@given(positions(), st.sampled_from(sorted(CRITERIA)), st.integers(1, 4), st.data())
def test_the_best_of_few_guesses(position, criterion, count, data):
    belief, epsilon = position
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    uneven = belief.right_ends and not channel.exact
    if criterion == "clue_entropy" and uneven:
        return
    some = data.draw(st.none() | st.lists(st.integers(0, len(belief.words.guesses) - 1), min_size=1))
    expected = best_of_all(belief, epsilon, criterion, count, some)
    assert best_guesses(belief, epsilon, criterion, count, guesses=some) == expected
    assert best_guess(belief, epsilon, criterion, guesses=some) == expected[0][0]


@pytest.mark.parametrize(("rule", "epsilon"), [("letterwise", 5.0), ("counted", 13.0), ("letterwise", math.inf)])
def test_the_best_ten_of_the_contest(rule, epsilon):
    belief = Posterior(load_words("original"), rule)
    for after in (belief, belief.update("salet", epsilon, ".ii.."), belief.update("salet", 9.0, "ci..i")):
        assert best_guesses(after, epsilon) == best_of_all(after, epsilon, "clue_entropy", 10)
    shared = {"draws": 200, "rng": 3}
    best = [value for _, value in best_guesses(belief, epsilon, count=2, **shared)]
    assert best == np.sort(score_guesses(belief, epsilon, **shared))[:-3:-1].tolist()


class Rise(Fade):
    """Absent marks become present, present ones correct: the first clue code is the noisiest."""

    fading = Fade.fading[::-1, ::-1]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("channel", [Fade, Rise, Scatter])
def test_a_channel_without_bounds(channel):
    words = load_words("original")
    belief = Posterior(words, channel=channel, prior=np.arange(len(words.answers)) < 9)
    some = np.arange(0, 12_000, 500)
    expected = best_of_all(belief, 5.0, "information_gain", 3, some)
    assert best_guesses(belief, 5.0, "information_gain", 3, guesses=some) == expected


@pytest.mark.parametrize("rule", ["letterwise", "counted"])
def test_a_list_that_is_too_long_for_a_matrix_has_the_same_best(rule, monkeypatch):
    words = load_words("original")
    some = words.answers[::40]
    few = WordList("few", some, tuple(sorted({*some, *words.guesses[::40]})))
    belief = Posterior(few, rule).update("hence", 13.0, "..i.c")
    asked = [
        (criterion, epsilon) for criterion in ("clue_entropy", "expected_remaining") for epsilon in (13.0, math.inf)
    ]
    expected = [best_of_all(belief, epsilon, criterion, 10) for criterion, epsilon in asked]
    monkeypatch.setattr(clues, "_MOST_BYTES", 2_000)
    monkeypatch.setattr(clues, "clue_matrix", None)
    found = [best_guesses(belief, epsilon, criterion) for criterion, epsilon in asked]
    assert found == expected
    assert score_guesses(belief, 13.0, guesses=[]).tolist() == []


@pytest.mark.usefixtures("eager")
@given(
    positions(), st.sampled_from(["information_gain", "expected_remaining", "parts"]), st.sampled_from([0.0, 0.05, 1.0])
)
def test_guesses_within_a_distance_of_the_best_tie(position, criterion, within):
    belief, epsilon = position
    ranks = score_guesses(belief, epsilon, criterion) * (1.0 if CRITERIA[criterion].larger_is_better else -1.0)
    behind, found = ranks.max() - ranks, set(tied_guesses(belief, epsilon, criterion, within=within).tolist())
    assert {*np.flatnonzero(behind <= within - 1e-9)} <= found <= {*np.flatnonzero(behind <= within + 1e-9)}
    assert int(ranks.argmax()) in found
