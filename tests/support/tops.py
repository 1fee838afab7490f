"""The expected top weight by brute force, as arrays, and random small games to try it on.

Nothing here is from the package but the types: clues come from `tests.support.oracles`.
"""

import math
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.support.oracles import all_marks, clue_marks, code_of, keep_and_flip
from wordpl import RULES, WordList


@lru_cache(maxsize=64)
def noise_matrix(length: int, epsilon: float) -> np.ndarray:
    """P(noisy clue given true clue) under randomized response: [noisy, true]."""
    marks = np.array(all_marks(length))
    apart = (marks[:, np.newaxis] != marks).sum(axis=2)
    keep, flip = keep_and_flip(epsilon, length)
    return np.array([float(keep ** (length - d) * flip**d) for d in range(length + 1)])[apart]


def two_level_matrix(length: int, epsilon: float, distances: Collection[int]) -> np.ndarray:
    """P(noisy clue given true clue): those at these distances are e^epsilon times as likely. [noisy, true]."""
    marks = np.array(all_marks(length))
    likely = np.isin((marks[:, np.newaxis] != marks).sum(axis=2), list(distances))
    weights = np.where(likely, 1.0, math.exp(-epsilon))
    return weights / weights.sum(axis=0)


@lru_cache(maxsize=64)
def true_codes(words: WordList, rule: str) -> np.ndarray:
    """The clue matrix, clue by clue: [guesses, answers]."""
    return np.array([[code_of(clue_marks(g, a, rule)) for a in words.answers] for g in words.guesses])


def joint(weights: np.ndarray, codes: np.ndarray, epsilon: float, length: int) -> np.ndarray:
    """Joint weight of each noisy clue and answer: [noisy, answers]."""
    return noise_matrix(length, epsilon)[:, codes] * weights


def top_scores(weights: np.ndarray, words: WordList, rule: str, epsilon: float) -> np.ndarray:
    """Sum over noisy clues of the largest joint weight, of each guess: [guesses]."""
    return np.array([joint(weights, row, epsilon, words.length).max(axis=1).sum() for row in true_codes(words, rule)])


def value_of(belief, guess, epsilon, rest):
    """Chance to be right after this ask and the best last one."""
    words, rule = belief.words, belief.rule
    codes = true_codes(words, rule)[words.guess_index[guess]]
    after = joint(belief.probabilities, codes, epsilon, words.length)
    return math.fsum(top_scores(weights, words, rule, rest).max() for weights in after if weights.any())


def random_words(rng: np.random.Generator, length: int, answers: int, guesses: int, letters: int = 4) -> WordList:
    """Up to so many answers and guesses of few letters, so that clues repeat."""

    def some(n: int) -> set[str]:
        return {"".join(word) for word in rng.choice(list("abcdefgh"[:letters]), (n, length))}

    chosen = some(answers)
    return WordList("random", tuple(sorted(chosen)), tuple(sorted(chosen | some(guesses))))


class Case(NamedTuple):
    """A last clue to be chosen."""

    words: WordList
    rule: str
    weights: np.ndarray
    epsilon: float


EPSILONS = (0.0, 1e-3, 0.1, 1.0, 3.0, 4.5, 8.0, 15.0, 30.0, 60.0, 200.0, float("inf"))


@st.composite
def cases(draw, most_answers: int = 12, most_guesses: int = 150, lengths=(3, 4, 5, 6), epsilons=EPSILONS):
    """Small lists with more guesses than are scored side by side; weights even, skewed, tied, with zeros."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    length = draw(st.sampled_from(lengths))
    most = draw(st.integers(1, most_answers))
    words = random_words(rng, length, most, draw(st.integers(0, most_guesses)), draw(st.integers(2, 8)))
    n = len(words.answers)
    kind = draw(st.sampled_from(["even", "mild", "skewed", "tied"]))
    weights = {
        "even": np.ones(n),
        "mild": rng.random(n) + 0.05,
        "skewed": np.exp(-rng.random(n) * draw(st.sampled_from([5.0, 30.0, 100.0]))),
        "tied": np.exp(-rng.integers(0, 4, n) * 1.7),
    }[kind]
    if draw(st.booleans()):
        weights = weights * (rng.random(n) < 0.7)
    weights[rng.integers(n)] = 1.0
    return Case(words, draw(st.sampled_from(RULES)), weights, draw(st.sampled_from(epsilons)))
