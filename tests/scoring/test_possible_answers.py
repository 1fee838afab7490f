"""Scores by how many answers are possible, against every noisy clue gone through."""

import math

import numpy as np
import pytest

from tests.support.helpers import SIX, SMALL, list_of
from tests.support.refusals import refusal
from wordpl import Fibble, Posterior, channel_family, clue
from wordpl.scoring import chances_in_three, counts_answers, expected_wins

EIGHT = list_of("eight", ("abcdefgh", "bacdefgh", "aaaaaaaa"), ("hgfedcba",))


def reached(words, lies, guess):
    """Whether each answer can give each noisy clue to a guess: [answers, clues]."""
    channel = Fibble(length=words.length, lies=lies)
    return np.array([channel.likelihood(int(clue(guess, answer, "counted"))) > 0 for answer in words.answers])


def belief_of(words, lies, turns=1, seed=0):
    """A posterior after some true games of an answer."""
    rng = np.random.default_rng(seed)
    belief = Posterior(words, "counted", channel_family(f"fibble:{lies}"), right_ends=True)
    answer = int(rng.integers(len(words.answers)))
    for guess in (words.guesses[int(rng.integers(len(words.guesses)))] for _ in range(turns)):
        if guess != words.answers[answer]:
            belief = belief.update(guess, math.inf, int(reached(words, lies, guess)[answer].argmax()))
    return belief


def after(belief, guess, lies):
    """The answers left after each noisy clue to a wrong guess: lists of indices."""
    clues = reached(belief.words, lies, guess)
    clues[[at for at, word in enumerate(belief.words.answers) if word == guess or at not in belief.possible]] = False
    return [np.flatnonzero(row).tolist() for row in clues.T]


@pytest.mark.parametrize("words", [SMALL, SIX, EIGHT], ids=lambda words: words.name)
@pytest.mark.parametrize("lies", [0, 1, 5])
def test_expected_wins_go_through_every_noisy_clue(words, lies):
    belief = belief_of(words, lies)
    values = np.random.default_rng(lies).random(len(words.answers) + 1)
    values[0] = 0.0
    tried = list(range(0, len(words.guesses), max(1, len(words.guesses) // 7)))
    each = Fibble(length=words.length, lies=lies).noisy_clues
    expected = []
    for guess in tried:
        word = words.guesses[guess]
        right = any(words.answers[answer] == word for answer in belief.possible)
        expected.append(right + sum(values[len(left)] for left in after(belief, word, lies)) / each)
    found = expected_wins(belief, math.inf, values, tried)
    assert found == pytest.approx(np.array(expected) / len(belief.possible), rel=1e-12)
    assert expected_wins(belief, math.inf, values)[tried].tolist() == found.tolist()


@pytest.mark.parametrize("lies", [0, 1, 3, 4, 5])
def test_chances_in_three_are_the_best_of_two_after_every_noisy_clue(lies):
    belief = next(b for b in (belief_of(SMALL, lies, turns=2 + s, seed=s) for s in range(99)) if len(b.possible) < 9)
    tried = [0, 7, int(SMALL.answers_as_guesses[belief.possible[0]])]
    one = np.minimum(np.arange(len(SMALL.answers) + 1.0), 1.0)
    each = Fibble(lies=lies).noisy_clues
    for guess, found in zip(tried, chances_in_three(belief, math.inf, tried), strict=True):
        word = SMALL.guesses[guess]
        wins = float(any(SMALL.answers[answer] == word for answer in belief.possible))
        for left in after(belief, word, lies):
            if left:
                prior = np.zeros(len(SMALL.answers))
                prior[left] = 1.0
                rest = Posterior(SMALL, belief.rule, belief.channel, prior, right_ends=True)
                wins += len(left) * expected_wins(rest, math.inf, one).max() / each
        assert found == pytest.approx(wins / len(belief.possible), rel=1e-12)


def test_only_possible_answers_that_are_equally_likely_can_be_counted():
    fibble = Posterior(SMALL, channel=Fibble, right_ends=True)
    assert counts_answers(fibble, math.inf)
    assert counts_answers(Posterior(SMALL), math.inf)
    weights = np.arange(1.0, len(SMALL.answers) + 1)
    for belief, epsilon in [(Posterior(SMALL), 12.0), (Posterior(SMALL, channel=Fibble, prior=weights), math.inf)]:
        assert not counts_answers(belief, epsilon)
        assert "equally likely" in refusal(expected_wins, belief, epsilon, np.ones(len(weights) + 1))
        assert "equally likely" in refusal(chances_in_three, belief, epsilon, [0])
    for values in ([1.0], np.full(len(weights) + 1, math.nan)):
        assert f"must be {len(weights) + 1} finite numbers" in refusal(expected_wins, fibble, math.inf, values)
    assert "indices" in refusal(chances_in_three, fibble, math.inf, [len(SMALL.guesses)])
