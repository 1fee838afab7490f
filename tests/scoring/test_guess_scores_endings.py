"""Scores under any number of lies, and where the right guess ends the game, against enumeration."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.generators import Fade, Scatter, beliefs, epsilons, words_of
from tests.support.oracles import fibble, from_matrix, randomized_response, score
from tests.support.refusals import refusal
from wordpl import CRITERIA, Posterior, WordList, best_guess, best_guesses, score_guesses, score_word
from wordpl.base.errors import ContradictionError, WordplError
from wordpl.model.channel import RandomizedResponse, channel_family, row_epsilon
from wordpl.scoring.guess_statistics import statistics_of
from wordpl.scoring.lookahead import best_ask
from wordpl.wordle.ranking import ranking

ALL_OF_ABC = tuple(a + b + c for a in "abc" for b in "abc" for c in "abc")
WORDS = WordList("abc", ALL_OF_ABC[::2], ALL_OF_ABC)
PRIOR = np.random.default_rng(3).random(len(WORDS.answers)) ** 3
ORDERS = (0.1, 0.5, 1.0, 2.0, 20.0, math.inf)

pytestmark = pytest.mark.filterwarnings("ignore:.*so clue entropy does not rank")


def lies(k):
    return channel_family(f"fibble:{k}")


@st.composite
def games(draw, **sizes):
    """A posterior of a game that the right guess ends or not, the epsilon of a clue, and its noise for the oracle."""
    belief = draw(beliefs(**sizes))
    length, ends = belief.words.length, draw(st.booleans())
    kind = draw(st.sampled_from(["lies", "marks", "levels", "other"]))
    epsilon = draw(epsilons()) if kind == "marks" else math.inf
    if kind == "lies":
        k = draw(st.integers(0, length))
        family, noise = lies(k), fibble(length, k)
    elif kind == "marks":
        family, noise = RandomizedResponse, randomized_response(epsilon, length)
    else:
        weights = st.lists(st.sampled_from([0.0, 1e-9, 0.5, 1.0, 3.0]), min_size=length + 1, max_size=length + 1)
        levels = channel_family(f"levels:{','.join(map(str, draw(weights.filter(any))))}")
        family = levels if kind == "levels" else draw(st.sampled_from([Fade, Scatter]))
        epsilon = row_epsilon(family)
        noise = from_matrix(family(epsilon, length).matrix().toarray().tolist())
    return Posterior(belief.words, belief.rule, family, belief.probabilities, ends), epsilon, noise


def enumerated(belief, criterion, noise, order=2.0):
    words, p = belief.words, belief.probabilities.tolist()
    return [
        score(criterion, words.answers, belief.rule, p, guess, noise, order, belief.right_ends)
        for guess in words.guesses
    ]


def agree(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=15)
@given(game=games(max_length=4, max_others=12))
def test_scores_are_those_of_enumeration(criterion, game):
    belief, epsilon, noise = game
    agree(score_guesses(belief, epsilon, criterion), enumerated(belief, criterion, noise))


@settings(max_examples=15)
@given(games(max_length=4, max_answers=6, max_others=4), st.sampled_from(ORDERS) | st.floats(0.1, 20))
def test_renyi_of_every_order(game, order):
    belief, epsilon, noise = game
    found = score_guesses(belief, epsilon, "renyi", order=order)
    # Near order 1 both sides divide a small difference by a small number.
    slack = 1e-11 / min(1.0, abs(order - 1.0) or 1.0)
    np.testing.assert_allclose(found, enumerated(belief, "renyi", noise, order), rtol=slack, atol=slack)


@settings(max_examples=8)
@given(games(min_length=5, max_length=6, max_answers=4, max_others=2))
def test_scores_of_longer_words(game):
    belief, epsilon, noise = game
    for criterion in CRITERIA:
        agree(score_guesses(belief, epsilon, criterion), enumerated(belief, criterion, noise))


@settings(max_examples=20)
@given(games(max_length=4, max_answers=6, max_others=8), st.data())
def test_figures_of_any_word_and_the_ranking_without_the_kernels(game, data):
    belief, epsilon, noise = game
    guess = data.draw(words_of(belief.words.length) | st.sampled_from(belief.words.guesses))
    of_word = score_word(belief, epsilon, guess)
    assert of_word.keys() == CRITERIA.keys() - {"renyi"}
    words, p = belief.words, belief.probabilities.tolist()
    for criterion, found in of_word.items():
        agree(found, score(criterion, words.answers, belief.rule, p, guess, noise, right_ends=belief.right_ends))
    at = words.answer_index.get(guess)
    assert statistics_of(belief, epsilon, guess).chance == (0.0 if at is None else p[at])
    plain, compiled = (ranking(belief, epsilon, kernels=kernels) for kernels in (False, True))
    gain = score_guesses(belief, epsilon, "information_gain")
    np.testing.assert_allclose(gain[plain], gain[compiled], atol=2e-9)


@pytest.mark.parametrize(
    ("family", "epsilon", "ends", "said"),
    [
        *((family, 1.0, False, "is not symmetric") for family in (Fade, Scatter)),
        *((lies(k), math.inf, True, "a right guess is told without noise") for k in (1, 3)),
        (RandomizedResponse, 3.0, True, "a right guess is told without noise"),
    ],
)
def test_clue_entropy_is_questioned_where_noise_is_uneven(family, epsilon, ends, said):
    belief = Posterior(WORDS, channel=family, right_ends=ends)
    with pytest.warns(UserWarning, match=f"{said}, so clue entropy does not rank"):
        score_guesses(belief, epsilon, "clue_entropy")
    for best in (best_guess, best_guesses):
        assert f"{said}; rank by information_gain" in refusal(best, belief, epsilon, "clue_entropy")
    assert best_guess(belief, epsilon, "information_gain") in WORDS.guesses


@pytest.mark.parametrize("family", [RandomizedResponse, lies(0)])
def test_clue_entropy_is_not_questioned_without_noise(family):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score_guesses(Posterior(WORDS, "counted", family, PRIOR, right_ends=True), math.inf, "clue_entropy")


def test_what_is_not_for_games_that_the_right_guess_ends():
    belief = Posterior(WORDS, right_ends=True)
    with pytest.raises(WordplError, match="games that the right guess does not end"):
        score_guesses(belief, 3.0, draws=9, separate_draws=True)
    one, other = (Posterior(WORDS, right_ends=ends) for ends in (False, True))
    agree(*(score_guesses(each, math.inf, draws=9, separate_draws=True, rng=1) for each in (one, other)))
    assert "games that the right guess does not end" in refusal(best_ask, belief, [("abc", 2.0)], 5.0)


@given(beliefs(max_length=4), epsilons(zero=False), st.data())
def test_a_clue_that_is_known_beforehand_tells_nothing_exactly(belief, epsilon, data):
    """Probabilities that add up to 1 but for a rounding make no bits."""
    guess = data.draw(words_of(belief.words.length))
    for at in (epsilon, math.inf):
        found = statistics_of(belief, at, guess)
        if found.parts == 1:
            assert found.bits == 0.0 and (at != math.inf or found.clue_entropy == 0.0)


def test_without():
    belief = Posterior(WORDS, prior=PRIOR)
    for word in (WORDS.answers[3], WORDS.answers[3].upper()):
        left = belief.without(word)
        expected = PRIOR.copy()
        expected[3] = 0.0
        np.testing.assert_allclose(left.probabilities, expected / expected.sum(), rtol=1e-12)
    assert belief.without("zzz") is belief
    with pytest.raises(ContradictionError, match="only 'aaa' fits the clues"):
        Posterior(WordList("one", ("aaa",), ("aaa", "bbb"))).without("aaa")
