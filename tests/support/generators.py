"""Hypothesis strategies for small games, and channels that no game has."""

import math

import numpy as np
from hypothesis import strategies as st

from wordpl import RULES, Channel, Clue, History, Posterior, RandomizedResponse, WordList

RULE = st.sampled_from(RULES)

# From no information to no noise, with those of the contest between.
EPSILONS = (0.0, 1e-9, 0.01, 1.0, 5.0, 12.3, 25.0, 50.0, 700.0, 1e4, 1e6, math.inf)


def epsilons(*, zero: bool = True, infinite: bool = True):
    """Budgets: the marked ones, and any between 1e-9 and 1e6 evenly on a log scale."""
    marked = [e for e in EPSILONS if (zero or e > 0) and (infinite or e < math.inf)]
    return st.sampled_from(marked) | st.floats(-9, 6).map(lambda power: 10.0**power)


def words_of(length: int, alphabet: str = "abcd"):
    """One word; the alphabet is small so that letters repeat."""
    return st.text(alphabet, min_size=length, max_size=length)


@st.composite
def small_words(draw, min_length: int = 3, max_length: int = 6, max_answers: int = 10, max_others: int = 10):
    """A word list: some answers, and some words that can only be guessed."""
    words = words_of(draw(st.integers(min_length, max_length)))
    answers = draw(st.sets(words, min_size=1, max_size=max_answers))
    others = draw(st.sets(words, max_size=max_others))
    return WordList("small", tuple(sorted(answers)), tuple(sorted(answers | others)))


@st.composite
def priors(draw, n: int):
    """Weights of n answers, often zero for some, sometimes tiny, on any scale."""
    weight = st.floats(0.01, 1.0) | st.sampled_from([0.0, 1.0, 1e-6, 1e-200])
    weights = draw(st.lists(weight, min_size=n, max_size=n))
    weights[draw(st.integers(0, n - 1))] = 1.0
    return np.array(weights)


@st.composite
def beliefs(draw, channel=RandomizedResponse, **sizes):
    """A posterior that is not uniform, over a small word list."""
    words = draw(small_words(**sizes))
    return Posterior(words, draw(RULE), channel, draw(priors(len(words.answers))))


def clues(length: int):
    """Any clue, possible or not."""
    return st.builds(Clue, st.integers(0, 3**length - 1), st.just(length))


@st.composite
def histories(draw, length: int, max_size: int = 4, **limits):
    """Noisy clues so far: (guess, epsilon, clue)."""
    turn = st.tuples(words_of(length), epsilons(**limits), clues(length))
    return draw(st.lists(turn, max_size=max_size))


def ended(turns: History, length: int = 5) -> History:
    """The turns of an ordinary game, up to the right word; all those of a noisy one."""
    right = [at for at, turn in enumerate(turns, start=1) if turn.clue == 3**length - 1]
    return turns[: right[0]] if right and is_exact(turns) else turns


def is_exact(turns: History) -> bool:
    """Whether no clue is noisy."""
    return all(turn.epsilon == math.inf for turn in turns)


class MatrixChannel(Channel):
    """A channel given by its matrix alone; a subclass says which. It reads codes alone, as a user's may."""

    def __init__(self, epsilon: float, length: int) -> None:
        self.epsilon, self.length = epsilon, length
        self.dense = self.make()

    def make(self) -> np.ndarray:
        raise NotImplementedError

    def likelihood(self, clue):
        return self.dense[clue]

    def sample(self, code, uniforms):
        return int(np.searchsorted(np.cumsum(self.dense[:, code]), uniforms[0], side="right"))


class Scatter(MatrixChannel):
    """Every true clue is seen as one of a few others: random columns with many zeros."""

    def make(self):
        rng = np.random.default_rng(5)
        weights = rng.random((3**self.length,) * 2) * (rng.random((3**self.length,) * 2) < 0.2)
        np.fill_diagonal(weights, 1.0)
        return weights / weights.sum(axis=0)


class Fade(MatrixChannel):
    """Each mark fades by itself: correct to present, present to absent; absent stays. Uneven noise."""

    fading = np.array([[1.0, 0.4, 0.0], [0.0, 0.6, 0.3], [0.0, 0.0, 0.7]])

    def make(self):
        dense = np.ones((1, 1))
        for _ in range(self.length):
            dense = np.kron(dense, self.fading)
        return dense

    @property
    def mark_matrix(self):
        return self.fading


class Drift(Fade):
    """Each mark may drop by one: as noisy for every true clue, but some noisy clues are seen more often."""

    fading = np.array([[0.8, 0.2, 0.0], [0.2, 0.8, 0.2], [0.0, 0.0, 0.8]])
