"""The posterior against Bayes' rule in plain products, to 50 digits."""

import math
import operator
import re

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.generators import RULE, Scatter, beliefs, epsilons, histories, priors, small_words, words_of
from tests.support.helpers import SMALL
from tests.support.oracles import bayes, clue_marks, code_of, slack
from tests.support.refusals import refusal
from wordpl import Clue, ContradictionError, Posterior, RandomizedResponse, WordList, clue_row, load_words

WORDS = WordList("five", ("add", "bad", "cab", "dab", "dad"), ("abc", "add", "bad", "cab", "dab", "dad"))


def update_all(belief, history):
    for guess, epsilon, clue in history:
        belief = belief.update(guess, epsilon, clue)
    return belief


def test_a_guess_that_has_not_ended_the_game_is_not_the_answer():
    prior = np.arange(1.0, 6.0)
    start, ends = (Posterior(WORDS, prior=prior, right_ends=ends) for ends in (False, True))
    prior[0] = 100.0  # which changes nothing
    before, after = (belief.update("cab", 2.0, "ci.") for belief in (start, ends))
    left = np.where(np.array(WORDS.answers) == "cab", 0.0, before.probabilities)
    for found in (after, before.without("cab"), before.without("CAB")):
        np.testing.assert_allclose(found.probabilities, left / left.sum(), rtol=1e-13)
    assert start.without("zzz") is start
    for array in (start.probabilities, start.log_weights, after.probabilities, after.log_weights):
        assert not array.flags.writeable
    np.testing.assert_allclose(start.probabilities, np.arange(1, 6) / 15)
    with pytest.raises(ContradictionError, match="only 'aaa' fits the clues"):
        Posterior(WordList("one", ("aaa",), ("aaa", "bbb"))).without("aaa")


@pytest.mark.heavy
@settings(max_examples=40)
@given(small_words(), RULE, st.data())
def test_posterior_is_bayes(words, rule, data):
    prior = data.draw(st.none() | priors(len(words.answers)))
    history = data.draw(histories(words.length))
    start = Posterior(words, rule, prior=prior)
    expected = bayes(words.answers, rule, [(g, e, c.marks) for g, e, c in history], prior)
    if expected is None:
        with pytest.raises(ContradictionError, match=r"^no answer fits the clue [ci.]+ to '\w+' and the clues before"):
            update_all(start, history)
        return
    belief = update_all(start, history)
    found = belief.probabilities
    np.testing.assert_allclose(found, [float(p) for p in expected], rtol=slack(history), atol=1e-300)
    assert found.sum() == pytest.approx(1, abs=1e-14)
    logs = [float(mpmath.log(p)) if p > 0 else -math.inf for p in expected]
    np.testing.assert_allclose(belief.log_weights, np.array(logs) - max(logs), rtol=1e-14, atol=slack(history))
    assert belief.possible.tolist() == [i for i, p in enumerate(expected) if p > 0]
    assert belief.entropy == pytest.approx(scipy.stats.entropy(found, base=2), abs=1e-12)


def test_the_most_probable_answers():
    # At one price, answers whose clues agree with as many of the marks seen are level, but for rounding.
    words, seen = load_words("original"), [("salet", 13.0, "c...c"), ("corny", 13.0, "...ii"), ("dough", 13.0, "i....")]
    belief, shown = update_all(Posterior(words), seen), [mark for *_, clue in seen for mark in Clue.parse(clue).marks]
    true = [[mark for guess, *_ in seen for mark in clue_marks(guess, word, "letterwise")] for word in words.answers]
    order = sorted(range(2315), key=lambda i: -sum(map(operator.eq, shown, true[i])))
    assert belief.likeliest().tolist() == order and belief.top[0] == words.answers[order[0]] == "midst"
    assert list(belief.most_probable(9).items()) == [(words.answers[i], belief.probabilities[i]) for i in order[:9]]
    # And what a notebook shows of them, with their shares.
    page = Posterior(WORDS, prior=[0, 2, 4, 1, 0])._repr_html_()
    assert re.findall(r">(\w+)</td><td[^>]*>([\d.]+)</td><td[^>]*><div style=\"width:([\d.]+)em", page) == [
        ("cab", "0.5714", "12.00"), ("bad", "0.2857", "6.00"), ("dab", "0.1429", "3.00")
    ]  # fmt: skip
    assert "Posterior over 3 answers of five: 1.379 bits" in page
    words = re.findall(r">(\w+)</td><td", Posterior(SMALL)._repr_html_())
    assert words == list(SMALL.answers[:10]), "the likeliest ten of many"


def test_bad_priors_and_updates():
    for prior in ([[1, 1, 1, 1, 1]], [1, 1, 1, 1, -1e-9], [1, 1, 1, 1, math.nan], [1, 1, 1, 1, math.inf], [0] * 5):
        said = f"of shape {np.shape(prior)}, is not allowed; a number from 0 up for each of the 5 answers, not all zero"
        assert said in refusal(Posterior, WORDS, prior=prior)
    for guess, clue, said in (("crate", "...", "guess 'crate' has 5 letters"), ("cab", ".....", "'.....' has 5 marks")):
        assert said in refusal(Posterior(WORDS).update, guess, 5.0, clue)


@given(small_words(), RULE, st.sampled_from([0.0, 1e-9, 0.01, 0.3, 1.0]), st.data())
def test_trimmed_leaves_out_the_improbable(words, rule, least, data):
    belief = Posterior(words, rule, prior=data.draw(priors(len(words.answers))))
    p = belief.probabilities
    # Away from the limit, where rounding decides.
    near = np.isclose(p, least * p.max(), rtol=1e-9, atol=0.0) & (belief.log_weights < 0)
    kept = np.where(p >= least * p.max(), p, 0.0)
    truncated = belief.truncate(least)
    if not near.any():
        np.testing.assert_allclose(truncated.probabilities, kept / kept.sum(), rtol=1e-12)
    assert truncated.top[0] == belief.top[0]
    assert (truncated.words, truncated.rule, truncated.channel) == (belief.words, belief.rule, belief.channel)
    assert np.array_equal(belief.probabilities, p)


@settings(max_examples=40)
@given(beliefs(max_length=4), epsilons(), st.booleans(), st.data())
def test_the_probability_and_the_largest_one_of_a_clue_are_those_of_all_answers(start, epsilon, ends, data):
    """If the right guess ends the game, it has no clue."""
    belief = Posterior(start.words, start.rule, prior=start.probabilities, right_ends=ends)
    guess = data.draw(words_of(belief.words.length))
    law = RandomizedResponse(epsilon, belief.words.length).matrix().toarray()
    noisy, largest = np.zeros(belief.words.n_clues), np.zeros(belief.words.n_clues)
    for answer, p in zip(belief.words.answers, belief.probabilities, strict=True):
        code = code_of(clue_marks(guess, answer, belief.rule))
        if not (ends and answer == guess):
            largest[code] = max(largest[code], p)
            noisy += p * law[:, code]
    assert belief.largest_by_clue(guess).tolist() == largest.tolist()
    np.testing.assert_allclose(belief.clue_probabilities(guess, epsilon), noisy, atol=1e-12)
    assert "letters" in refusal(belief.largest_by_clue, guess + "a")


@pytest.mark.parametrize("form", ["..i.i", Clue.parse("..i.i"), 10])
def test_a_channel_that_reads_codes_alone_gets_codes(form):
    weights = Scatter(1.0, 5).dense[10, clue_row("crate", SMALL, "letterwise")]
    belief = Posterior(SMALL, channel=Scatter).update("crate", 1.0, form)
    np.testing.assert_allclose(belief.probabilities, weights / weights.sum(), atol=1e-15)
