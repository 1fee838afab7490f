"""Channels: how a true clue becomes the noisy clue that the player sees.

To add a channel, subclass `DistanceChannel` if the probability of a noisy clue depends only on how many of its marks
are wrong, and define its levels; then scores are computed fast. For any other channel, subclass `Channel` and write
`likelihood` and `sample`, and also `mark_matrix` if it adds noise to each mark alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordpl.base.errors import WordplError
from wordpl.base.user_files import written_name
from wordpl.model.clues import Clue, add_marks, by_distance, differing_marks
from wordpl.model.entropy import Floats, entropy

if TYPE_CHECKING:
    import scipy.sparse


LARGEST_LOG_ODDS = 700.0
"""Odds above e to this number are beyond the floats, and infinite."""


class Channel(ABC):
    """P(noisy clue given true clue), for clues of one length at one epsilon."""

    epsilon: float
    """Budget of one clue, from 0 to inf."""
    length: int
    """Number of marks in a clue."""
    false_marks: int | None = None
    """Number of false marks in each clue, if that is fixed and all such clues are equally likely; else None."""

    def __repr__(self) -> str:
        return f"<{written_name(type(self))} at epsilon {self.epsilon:g}>"

    @abstractmethod
    def likelihood(self, clue: Clue | str | int) -> Floats:
        """Return P(this noisy `clue` given each true clue): [3**length]. The clue is a `Clue`, its text or its code."""

    @abstractmethod
    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        """Return the noisy code for the true `code`, from `uniforms`: `length` numbers uniform in [0, 1)."""

    def matrix(self) -> scipy.sparse.csr_array:
        """Return P(noisy clue given true clue): sparse [noisy, true]. Columns sum to one."""
        import scipy.sparse

        rows = [np.broadcast_to(self.likelihood(code), 3**self.length) for code in range(3**self.length)]
        return scipy.sparse.csr_array(np.array(rows))

    @property
    def mark_matrix(self) -> Floats | None:
        """P(noisy mark given true mark), noisy by true, if each mark gets the same noise alone: [3, 3]; else None."""
        return None

    @property
    def exact(self) -> bool:
        """True if the noisy clue is always the true clue."""
        marks = self.mark_matrix
        return marks is not None and np.array_equal(marks, np.eye(3))

    @cached_property
    def _matrix(self) -> scipy.sparse.csr_array:
        return self.matrix()

    def transform(self, weights: NDArray[Any], power: int = 1, *, largest: bool = False) -> Floats:
        """Return the weights of the noisy clues, given the `weights` of the true ones: an array of the same shape.

        `weights` is [3**length], or [3**length, n] for n distributions at once. With `power`, each entry of the
        channel is raised to that power first. `largest` gives the largest term, of weights from 0 up, in place of
        the sum of all: the joint weight of each noisy clue with its likeliest true one.
        """
        if self.exact:
            return weights.astype(np.float64)
        shape, marks = weights.shape, self.mark_matrix
        noisy = np.asarray(weights, dtype=np.float64).reshape(3**self.length, -1)
        if marks is None:
            matrix = self._matrix.power(power)
            if largest:
                columns = [matrix.multiply(column).max(axis=1).toarray() for column in noisy.T]
                return np.stack(columns, axis=-1).reshape(shape)
            return np.asarray(matrix @ noisy).reshape(shape)
        for _ in range(self.length):
            # Each pass takes the first mark through the channel and puts it last, so they end in order.
            axis = noisy.reshape(3, -1, noisy.shape[1])
            if largest:
                passed = (marks[:, :, np.newaxis, np.newaxis] ** power * axis).max(axis=1)
            else:
                passed = np.tensordot(marks**power, axis, 1)
            noisy = passed.swapaxes(0, 1).reshape(noisy.shape)
        return noisy.reshape(shape)

    @property
    def odds(self) -> float:
        """The largest factor by which a clue changes the odds of two answers: e^epsilon if the channel keeps it."""
        return _largest_ratio(self._matrix.max(axis=1).toarray(), self._matrix.min(axis=1).toarray())

    @cached_property
    def noise_entropy(self) -> Floats:
        """Entropy of the noisy clue in bits, for each true clue: [3**length]."""
        return entropy(self._matrix.toarray(), axis=0)

    @property
    def symmetric(self) -> bool:
        """True if the noise entropy is the same for every true clue.

        Only then do clue entropy and information gain rank guesses in the same order.
        """
        return bool(np.ptp(self.noise_entropy) < 1e-9)

    @cached_property
    def capacity(self) -> float:
        """The most that a clue to any guess can tell, in bits: the largest information between true and noisy clue.

        Raises `WordplError` for a channel that is not equally noisy for every true clue, because it is not known then.
        """
        shares = self.transform(np.ones(3**self.length))
        if not self.symmetric or np.ptp(shares) > 1e-9:
            raise WordplError(f"the capacity of {self!r} is not known: its noise differs from clue to clue")
        # Clues that are all equally likely reach it: then the noisy ones are, too.
        return max(0.0, self.length * math.log2(3.0) - float(self.noise_entropy[0]))

    def log_likelihood(self, clue: Clue | str | int) -> Floats:
        """Return log P(this noisy `clue` given each true clue): [3**length]; -inf where it is impossible."""
        with np.errstate(divide="ignore"):
            return np.log(self.likelihood(clue))


class DistanceChannel(Channel):
    """A channel in which the probability of a noisy clue depends only on the number of its marks that are wrong.

    `epsilon` is the privacy budget of a clue, 0 to inf; `length` is the number of letters in a word, 1 to 8.

    `levels` [length + 1] has the probability of one noisy clue for each number of wrong marks. Over all 3**length
    clues, these probabilities sum to 1.
    """

    def __init__(self, epsilon: float, length: int, levels: Floats) -> None:
        self.epsilon, self.length, self.levels = epsilon, length, levels

    def likelihood(self, clue: Clue | str | int) -> Floats:
        return self.levels.take(differing_marks(Clue.parse(clue, self.length).code, self.length))

    def log_likelihood(self, clue: Clue | str | int) -> Floats:
        return self.log_levels.take(differing_marks(Clue.parse(clue, self.length).code, self.length))

    @property
    def odds(self) -> float:
        return _largest_ratio(self.levels.max(), self.levels.min())

    @cached_property
    def log_levels(self) -> Floats:
        """Natural log of the levels: [length + 1]; -inf where a clue is impossible."""
        with np.errstate(divide="ignore"):
            return np.log(self.levels)

    def transform(self, weights: NDArray[Any], power: int = 1, *, largest: bool = False) -> Floats:
        if self.mark_matrix is not None:
            return super().transform(weights, power, largest=largest)
        true = np.asarray(weights, dtype=np.float64).reshape(3**self.length, -1)
        combine, levels = np.maximum if largest else np.add, self.levels**power
        farthest = int(np.flatnonzero(levels)[-1])
        terms = zip(levels, by_distance(true, self.length, farthest, combine), strict=False)
        noisy: Floats = reduce(combine, (level * term for level, term in terms if level))
        return noisy.reshape(weights.shape)

    @cached_property
    def _noises(self) -> tuple[NDArray[np.int64], Floats]:
        """Noises that can be added to the marks, those that change few first, and where their shares of [0, 1) end."""
        changed = differing_marks(0, self.length)
        noises = np.argsort(changed, kind="stable")
        noises = noises[self.levels[changed[noises]] > 0.0]
        return noises, np.cumsum(self.levels[changed[noises]])[:-1]

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        noises, ends = self._noises
        return add_marks(int(code), int(noises[np.searchsorted(ends, uniforms[0], side="right")]))

    @property
    def mark_matrix(self) -> Floats | None:
        # Only if no mark is false or all are do the marks not depend on each other.
        match np.flatnonzero(self.levels).tolist():
            case [0]:
                return np.eye(3)
            case [self.length]:
                return (np.ones((3, 3)) - np.eye(3)) / 2.0
        return None

    @cached_property
    def noise_entropy(self) -> Floats:
        return np.full(3**self.length, entropy(self.likelihood(0)))  # all true clues get the same noise


def _largest_ratio(largest: Floats, smallest: Floats) -> float:
    """The largest ratio of probabilities; inf if one is 0 or below the floats (`LARGEST_LOG_ODDS`)."""
    with np.errstate(divide="ignore", over="ignore"):
        return float(np.divide(largest, smallest, where=largest > 0, out=np.zeros_like(largest)).max())
