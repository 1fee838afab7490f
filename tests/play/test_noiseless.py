"""Turns make the limit exact: without noise a game is ordinary Wordle, turn for turn."""

from collections import Counter
from functools import cache

import pytest

from tests.helpers import SIX, SMALL
from wordpl import RULES, Posterior, best_guess, clue, evaluate, parse_strategy

marks = cache(clue)


def first_left(words, rule, left):
    """The guess rule of plain greedy play: the first word that can still be right."""
    return left[0]


@cache
def most_entropy(words, rule, left):
    """The guess rule of maximum entropy, for the answers that are left."""
    prior = [float(answer in left) for answer in words.answers]
    return best_guess(Posterior(words, rule, prior=prior), float("inf"), guesses=words.answers_as_guesses)


def solve(words, rule, answer, choose, opener=None):
    """How many guesses an ordinary solver needs: guess, look at the clue, strike out, until it is right."""
    left, turns, guess = words.answers, 0, opener
    while True:
        turns += 1
        if len(left) == 1 or guess is None:
            guess = left[0] if len(left) == 1 else choose(words, rule, left)
        if guess == answer:
            return turns
        seen = marks(guess, answer, rule)
        left = tuple(word for word in left if word != guess and marks(guess, word, rule) == seen)
        guess = None


def turns_of(spec, words, rule, trials):
    found = evaluate(parse_strategy(spec), trials, seed=6, words=words, rule=rule)
    assert found.win_rate == 1.0
    assert found.posterior_win_rate == pytest.approx(1.0)
    return found.turns, found.frame["answer"].tolist()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("words", [SMALL, SIX])
def test_greedy_on_small_lists(words, rule):
    turns, answers = turns_of("Greedy(epsilon=inf)", words, rule, 300)
    assert set(answers) == set(words.answers)
    assert turns == Counter(solve(words, rule, answer, first_left) for answer in answers)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("words", [SMALL, SIX])
def test_maximum_entropy_on_small_lists(words, rule):
    spec = "MaxClueEntropy(n_guesses=20, epsilon=inf, monte_carlo=None, first_guess=None)"
    turns, answers = turns_of(spec, words, rule, 300)
    assert turns == Counter(solve(words, rule, answer, most_entropy) for answer in answers)
