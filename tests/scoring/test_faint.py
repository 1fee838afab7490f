"""Scores at tiny epsilons, against arithmetic of 60 digits."""

import itertools
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from tests.support import oracles
from wordpl import CRITERIA, Posterior, WordList, best_guess, score_guesses, score_word
from wordpl.model.channel import ChannelFamily, channel_family, row_epsilon
from wordpl.scoring import guess_scores
from wordpl.wordle.ranking import ranking

WORDS = WordList("few", ("bad", "cab", "dab", "dad"), ("aaa", "abc", "bad", "cab", "dab", "dad", "ddc", "eee"))
PRIOR, STEEP = (0.4, 0.3, 0.2, 0.1), (1.0, 0.01, 1e-5, 0.0)
EPSILONS = (1e-9, 1e-5, 4e-3)


LETTERWISE = "randomized_response"
CHANNELS = (LETTERWISE, "whole_clue", "ball:1", "levels")


def family_of(channel: str, epsilon: float) -> ChannelFamily:
    """The family, and of `levels` the one whose weights have that epsilon, but for rounding."""
    if channel == "levels":
        channel += f":{1.0 + epsilon / 2},{1.0 + epsilon},1.0,{1.0 + epsilon / 3}"
    return channel_family(channel)


def belief(channel: str, epsilon: float, right_ends: bool = False, even: bool = False) -> Posterior:
    family = family_of(channel, epsilon)
    return Posterior(WORDS, "counted", prior=None if even else PRIOR, right_ends=right_ends, channel=family)


def budget(channel: str, epsilon: float) -> float:
    return row_epsilon(family_of(channel, epsilon)) if channel == "levels" else epsilon


def weights_of(channel: str, epsilon: float) -> list[Any]:
    """What each noisy clue of three marks is in proportion to, by distance."""
    if channel == "levels":
        return [mpf(1.0 + epsilon / 2), mpf(1.0 + epsilon), mpf(1), mpf(1.0 + epsilon / 3)]
    if channel == LETTERWISE:
        return [mp.e ** (-mpf(epsilon) / 3 * wrong) for wrong in range(4)]
    return [mp.e ** mpf(epsilon) if wrong <= (channel == "ball:1") else mpf(1) for wrong in range(4)]


@lru_cache
def exact(channel: str, epsilon: float, guess: str, right_ends: bool, even: bool = False) -> dict[str, Any]:
    """The scores of a guess by their definitions; of order 2 for `renyi`."""
    with mp.workdps(60):
        prior = [mpf(1) if even else mpf(x) for x in PRIOR]
        p = [x / sum(prior) for x in prior]
        weights = weights_of(channel, epsilon)
        total = sum(weights[oracles.differences((0, 0, 0), noisy)] for noisy in np.ndindex(3, 3, 3))
        table = [[p[k] if right_ends and word == guess else mpf(0) for k, word in enumerate(WORDS.answers)]]
        for noisy in np.ndindex(3, 3, 3):
            row = []
            for k, word in enumerate(WORDS.answers):
                wrong = oracles.differences(noisy, oracles.clue_marks(guess, word, "counted"))
                row.append(mpf(0) if table[0][k] else p[k] * weights[wrong] / total)
            table.append(row)

        def entropy(values):
            return -sum(x * mp.log(x, 2) for x in values if x)

        totals = [sum(row) for row in table]
        norms = [mp.sqrt(sum(x * x for x in row)) for row in table]
        return {
            "clue_entropy": entropy(totals),
            "information_gain": entropy(p) + entropy(totals) - entropy(x for row in table for x in row),
            "expected_top": sum(map(max, table)),
            "expected_remaining": sum(t**3 / n**2 for t, n in zip(totals, norms, strict=True) if n),
            "renyi": 2 * mp.log(sum(norms) / mp.sqrt(sum(x * x for x in p)), 2),
        }


def exact_scores(channel: str, epsilon: float, criterion: str, right_ends: bool, even: bool = False) -> list[Any]:
    return [exact(channel, epsilon, guess, right_ends, even)[criterion] for guess in WORDS.guesses]


@pytest.mark.filterwarnings("ignore:a right guess")
@pytest.mark.parametrize("right_ends", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_scores_keep_their_digits(channel, epsilon, right_ends):
    of, asked = belief(channel, epsilon, right_ends), budget(channel, epsilon)
    for criterion, order in (("information_gain", 1.0), ("renyi", 2.0)):
        scores = score_guesses(of, asked, criterion, order=order)
        wanted = [float(score) for score in exact_scores(channel, epsilon, criterion, right_ends)]
        assert scores == pytest.approx(wanted, rel=1e-9, abs=1e-12 * epsilon**2)
    for criterion in ("clue_entropy", "expected_top", "expected_remaining"):
        scores = score_guesses(of, asked, criterion)
        wanted = [float(score) for score in exact_scores(channel, epsilon, criterion, right_ends)]
        assert scores == pytest.approx(wanted, rel=1e-12)
    gains = exact_scores(channel, epsilon, "information_gain", right_ends)
    for guess, gain in zip(WORDS.guesses, gains, strict=True):
        of_word = score_word(of, asked, guess)
        assert of_word["information_gain"] == pytest.approx(float(gain), rel=1e-9, abs=1e-12 * float(max(gains)))


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_guesses_rank_as_exact_arithmetic_ranks_them(channel, epsilon, even):
    """The entropy of a clue ranks as its information does, whatever is left of its digits; ties are ties."""
    of, asked = belief(channel, epsilon, even=even), budget(channel, epsilon)
    chances = [dict(zip(WORDS.answers, of.probabilities, strict=True)).get(guess, 0.0) for guess in WORDS.guesses]
    for criterion, shown in CRITERIA.items():
        # The entropies themselves differ in digits that no double has.
        by = "information_gain" if criterion == "clue_entropy" else criterion
        if by not in ("information_gain", "renyi", "expected_top", "expected_remaining"):
            continue
        scores, found = exact_scores(channel, epsilon, by, False, even), score_guesses(of, asked, by)
        unit = max(map(abs, scores)) * (1e-8 if shown.unit == "bits" else 1e-12)
        best = WORDS.guesses.index(best_guess(of, asked, criterion))
        orders = [ranking(of, asked, criterion, kernels=kernels).tolist() for kernels in (False, True)]
        for i, j in itertools.permutations(range(len(scores)), 2):
            ahead = (scores[i] - scores[j]) * (1 if shown.larger_is_better else -1)
            tied = abs(ahead) < unit * mpf(10) ** -30
            if ahead > unit or (tied and (-chances[i], i) < (-chances[j], j)):
                assert all(order.index(i) < order.index(j) for order in orders)
            if ahead > unit:
                assert best != j
            if tied and channel != LETTERWISE:
                assert found[i] == found[j]
                assert best != max(i, j)


@pytest.mark.parametrize("channel", [LETTERWISE, "whole_clue", "ball:1", "ball:2"])
@given(st.floats(0.002, 0.0999), st.sampled_from([0.5, 1.0, 2.0, 20.0]), st.booleans(), st.sampled_from([PRIOR, STEEP]))
def test_the_series_agrees_with_the_ordinary_formula(channel, epsilon, order, right_ends, prior):
    of = Posterior(WORDS, "counted", channel, prior, right_ends)
    series = score_guesses(of, epsilon, "renyi", order=order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guess_scores, "faint", lambda *_: None)
        assert score_guesses(of, epsilon, "renyi", order=order) == pytest.approx(series, rel=1e-9, abs=2e-13)


@pytest.mark.parametrize("channel", CHANNELS)
def test_clues_of_pure_noise_tell_nothing(channel):
    for criterion in ("information_gain", "renyi"):
        assert not score_guesses(belief(channel, 0.0), 0.0, criterion).any()
    assert score_guesses(belief(channel, 0.0), 0.0, "expected_top") == pytest.approx(max(PRIOR))
