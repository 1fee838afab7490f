"""Scores at tiny epsilons, against arithmetic of 60 digits."""

from typing import Any

import pytest
from mpmath import mp, mpf

from tests.support import oracles
from wordpl import Posterior, WordList, best_guess, best_guesses, score_guesses, score_word
from wordpl.model.channel import channel_family

WORDS = WordList("few", ("bad", "cab", "dab", "dad"), ("aaa", "abc", "bad", "cab", "dab", "dad", "ddc", "eee"))
PRIOR = (0.4, 0.3, 0.2, 0.1)
EPSILONS = (0.0, 1e-9, 4e-3)
CHANNELS = ("randomized_response", "whole_clue", "ball:1")


def belief(channel: str, right_ends: bool = False) -> Posterior:
    return Posterior(WORDS, "counted", prior=PRIOR, right_ends=right_ends, channel=channel_family(channel))


def weights_of(channel: str, epsilon: float) -> list[Any]:
    """What each noisy clue of three marks is in proportion to, by distance."""
    if channel == "randomized_response":
        return [mp.e ** (-mpf(epsilon) / 3 * wrong) for wrong in range(4)]
    return [mp.e ** mpf(epsilon) if wrong <= (channel == "ball:1") else mpf(1) for wrong in range(4)]


def exact_scores(channel: str, epsilon: float, criterion: str, right_ends: bool) -> list[Any]:
    """The scores of all guesses by their definitions; of order 2 for `renyi`."""
    with mp.workdps(60):
        weights, p = weights_of(channel, epsilon), [mpf(x) / sum(map(mpf, PRIOR)) for x in PRIOR]
        total = sum(weights[oracles.differences((0, 0, 0), noisy)] for noisy in oracles.all_marks(3))

        def noise(noisy, true):
            return weights[oracles.differences(noisy, true)] / total

        of = WORDS.answers, "counted", p
        return [oracles.score(criterion, *of, guess, noise, mpf(2), right_ends) for guess in WORDS.guesses]


@pytest.mark.filterwarnings("ignore:a right guess")
@pytest.mark.parametrize("right_ends", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_scores_are_right_to_a_trillionth(channel, epsilon, right_ends):
    of, asked = belief(channel, right_ends), epsilon
    for criterion in ("clue_entropy", "information_gain", "expected_top", "expected_remaining", "renyi"):
        scores, wanted = score_guesses(of, asked, criterion), exact_scores(channel, epsilon, criterion, right_ends)
        assert scores == pytest.approx([float(score) for score in wanted], rel=0.0, abs=1e-12)
        for guess, score in zip(WORDS.guesses, scores, strict=True):
            assert criterion == "renyi" or score_word(of, asked, guess)[criterion] == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("criterion", ["clue_entropy", "information_gain", "expected_top", "renyi"])
def test_where_nothing_is_told_the_first_word_wins(channel, criterion):
    of, asked = belief(channel), 1e-9
    assert best_guess(of, asked, criterion) == WORDS.guesses[0]
    assert [word for word, _ in best_guesses(of, asked, criterion, count=4)] == list(WORDS.guesses[:4])
