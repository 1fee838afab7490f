"""Scores at tiny epsilons, against arithmetic of 60 digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from tests import oracles
from wordpl import Posterior, WordList, best_guess, score_guesses, score_word
from wordpl.model.channel import RandomizedResponse
from wordpl.scoring import guess_figures
from wordpl.scoring.faint import faint

WORDS = WordList("few", ("bad", "cab", "dab", "dad"), ("aaa", "abc", "bad", "cab", "dab", "dad", "ddc", "eee"))
PRIOR = (0.4, 0.3, 0.2, 0.1)
EPSILONS = (1e-9, 1e-7, 1e-5, 1e-3, 4e-3)


def belief(right_ends: bool = False) -> Posterior:
    return Posterior(WORDS, "counted", prior=PRIOR, right_ends=right_ends)


def exact(epsilon: float, guess: str, right_ends: bool) -> dict[str, Any]:
    """The scores of a guess by their definitions; of order 2 for `renyi`."""
    with mp.workdps(60):
        growth = mp.e ** (mpf(epsilon) / 3)
        total = sum(map(mpf, PRIOR))
        p = [mpf(x) / total for x in PRIOR]
        table = [[p[k] if right_ends and word == guess else mpf(0) for k, word in enumerate(WORDS.answers)]]
        for noisy in np.ndindex(3, 3, 3):
            row = []
            for k, word in enumerate(WORDS.answers):
                wrong = oracles.differences(noisy, oracles.clue_marks(guess, word, "counted"))
                row.append(mpf(0) if table[0][k] else p[k] * growth ** (3 - wrong) / (2 + growth) ** 3)
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


@pytest.mark.filterwarnings("ignore:a right guess")
@pytest.mark.parametrize("right_ends", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_scores_keep_their_digits(epsilon: float, right_ends: bool) -> None:
    expected = [exact(epsilon, guess, right_ends) for guess in WORDS.guesses]
    for criterion, order in (("information_gain", 1.0), ("renyi", 2.0)):
        scores = score_guesses(belief(right_ends), epsilon, criterion, order=order)
        wanted = [float(one[criterion]) for one in expected]
        assert scores == pytest.approx(wanted, rel=1e-9, abs=1e-13 * max(wanted))
    for criterion in ("clue_entropy", "expected_top", "expected_remaining"):
        scores = score_guesses(belief(right_ends), epsilon, criterion)
        assert scores == pytest.approx([float(one[criterion]) for one in expected], rel=1e-12)
    for guess, one in zip(WORDS.guesses, expected, strict=True):
        of_word = score_word(belief(right_ends), epsilon, guess)
        gain = float(one["information_gain"])
        assert of_word["information_gain"] == pytest.approx(gain, rel=1e-9, abs=1e-13 * epsilon**2)


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_guesses_rank_as_exact_arithmetic_ranks_them(epsilon: float, kernels: bool) -> None:
    """The entropy of a clue ranks as its information does, whatever is left of its digits."""
    bits = [exact(epsilon, guess, False)["information_gain"] for guess in WORDS.guesses]
    order = sorted(range(len(bits)), key=lambda k: -bits[k])
    for criterion in ("information_gain", "clue_entropy"):
        ranked = guess_figures.ranking(belief(), epsilon, criterion, kernels=kernels)
        assert [float(bits[k]) for k in ranked] == pytest.approx([float(bits[k]) for k in order])
        assert best_guess(belief(), epsilon, criterion) == WORDS.guesses[order[0]]


def test_the_series_meets_the_ordinary_formula() -> None:
    """Where one takes over from the other, information is as the square of epsilon for both."""
    assert faint(RandomizedResponse(0.00449, 3)) is not None
    assert faint(RandomizedResponse(0.00451, 3)) is None
    series = score_guesses(belief(), 0.00449, "information_gain")
    ordinary = score_guesses(belief(), 0.00451, "information_gain")
    assert ordinary == pytest.approx(series * (451 / 449) ** 2, rel=1e-4, abs=1e-14)
