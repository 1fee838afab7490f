"""Channels: how a true clue becomes the noisy clue that the player sees.

A channel family makes the channel for an epsilon and a word length: it is any callable
`family(epsilon, length) -> Channel`, such as `RandomizedResponse` or `Fibble`. To add a channel, subclass `Channel` and
write `likelihood`, `sample` and `matrix`. If the channel treats each mark alone, override `mark_matrix` too; then every
score is a fast transform.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordpl.checks import non_negative, whole_number
from wordpl.errors import WordplError, nearest, one_line
from wordpl.model.clues import Clue
from wordpl.model.entropy import entropy, p_log2_p
from wordpl.model.lanes import lanes, least_float
from wordpl.model.words import MAX_LENGTH

if TYPE_CHECKING:
    import scipy.sparse

Floats = NDArray[np.float64]


@lru_cache(maxsize=16)
def _marks(length: int) -> NDArray[np.uint8]:
    """Return the marks of every clue code: uint8 [length, 3**length]."""
    codes = np.arange(3**length)
    return np.array([codes // 3**k % 3 for k in reversed(range(length))], dtype=np.uint8)


@lru_cache(maxsize=8192)
def differing_marks(code: int, length: int) -> NDArray[np.intp]:
    """Return the number of marks in which each clue code differs from `code`: [3**length]."""
    marks = _marks(length)
    return np.asarray((marks != marks[:, code, np.newaxis]).sum(axis=0, dtype=np.intp))


def check_epsilon(epsilon: object) -> float:
    """Return `epsilon` as a float. Raises `WordplError` unless it is a number from 0 to infinity."""
    return non_negative("epsilon", epsilon)


def _check_length(length: object) -> int:
    return whole_number("length", length, maximum=MAX_LENGTH)


class Channel(ABC):
    """P(noisy clue given true clue), for clues of one length at one epsilon."""

    epsilon: float
    """Budget of one clue, from 0 to inf."""
    length: int
    """Number of marks in a clue."""

    @abstractmethod
    def likelihood(self, clue: Clue | str | int) -> Floats:
        """Return P(this noisy clue given each true clue): [3**length]."""

    @abstractmethod
    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        """Return the noisy code for the true `code`, from `length` numbers uniform in [0, 1).

        Its running time should depend neither on the code nor on the numbers, because a contestant can time the reply
        (see `wordpl.model.lanes`).
        """

    @abstractmethod
    def matrix(self) -> scipy.sparse.csr_array:
        """Return P(noisy clue given true clue): sparse [noisy, true]. Columns sum to one."""

    @property
    def mark_matrix(self) -> Floats | None:
        """P(noisy mark given true mark) if all marks are treated alone and alike: [3, 3], noisy by true; else None."""
        return None

    @cached_property
    def _matrix(self) -> scipy.sparse.csr_array:
        return self.matrix()

    def transform(self, weights: NDArray[Any], power: int = 1) -> Floats:
        """Return the weights of the noisy clues, given the `weights` of the true ones: an array of the same shape.

        `weights` is [3**length], or [3**length, n] for n distributions at once. A distribution of the true clue is
        turned into the distribution of the noisy clue. With `power`, each entry of the channel is raised to that power
        first.
        """
        marks = self.mark_matrix
        if marks is None:
            return np.asarray(self._matrix.power(power) @ weights)
        noisy = np.asarray(weights, dtype=np.float64).reshape(3**self.length, -1)
        for _ in range(self.length):
            # Each pass takes the first mark through the channel and puts it last, so they end in order.
            passed = np.tensordot(marks**power, noisy.reshape(3, -1, noisy.shape[1]), 1)
            noisy = passed.swapaxes(0, 1).reshape(noisy.shape)
        return noisy.reshape(weights.shape)

    @cached_property
    def noise_entropy(self) -> Floats:
        """Entropy of the noisy clue in bits, for each true clue: [3**length]."""
        import scipy.sparse

        matrix = self.matrix()
        terms = scipy.sparse.csr_array((p_log2_p(matrix.data), matrix.indices, matrix.indptr), matrix.shape)
        return 0.0 - np.asarray(terms.sum(axis=0))

    @property
    def symmetric(self) -> bool:
        """Whether the noise entropy is the same for every true clue.

        Only then do clue entropy and information gain rank guesses in the same order.
        """
        return bool(np.ptp(self.noise_entropy) < 1e-9)

    @cached_property
    def capacity(self) -> float:
        """What one clue can tell, in bits, whatever the guess: the largest information between true and noisy clue.

        It is known only for channels whose noise does the same to every true clue, as that of all channels here does;
        others raise `WordplError`.
        """
        shares = self.transform(np.ones(3**self.length))
        if not self.symmetric or np.ptp(shares) > 1e-9:
            raise WordplError(f"the capacity of {self!r} is not known: its noise differs from clue to clue")
        # Clues that are all equally likely reach it: then the noisy ones are, too.
        return max(0.0, self.length * math.log2(3.0) - float(self.noise_entropy[0]))

    def log_likelihood(self, clue: Clue | str | int) -> Floats:
        """Return log P(this noisy clue given each true clue): [3**length]; -inf where it is impossible."""
        with np.errstate(divide="ignore"):
            return np.log(self.likelihood(clue))


class RandomizedResponse(Channel):
    """Randomized response: each mark is kept with probability e^x/(2+e^x), x = epsilon/length.

    Otherwise it becomes one of the other two marks, each with probability 1/(2+e^x). A clue is
    epsilon-differentially private in the answer, each mark epsilon/length-differentially private. `epsilon` is from 0
    (pure noise) to infinity (no noise), `length` from 1 to 8. Other values raise `WordplError`.

    >>> channel = RandomizedResponse(epsilon=12.3)
    >>> round(channel.keep, 4), round(channel.flip, 4), channel.likelihood("..icc").shape
    (0.8541, 0.073, (243,))
    """

    def __init__(self, epsilon: float, length: int = 5) -> None:
        self.epsilon, self.length = check_epsilon(epsilon), _check_length(length)
        per_mark = self.epsilon / self.length
        shrink = math.exp(-per_mark)
        self.keep = 1.0 / (1.0 + 2.0 * shrink)
        """P(a mark is kept)."""
        self.flip = shrink * self.keep
        """P(a mark becomes one given other mark)."""
        self._log_keep = -math.log1p(2.0 * shrink)
        self._log_flip = self._log_keep - per_mark

    def __repr__(self) -> str:
        return f"RandomizedResponse(epsilon={self.epsilon}, length={self.length})"

    @cached_property
    def _log_levels(self) -> Floats:
        """log P of a noisy clue that differs from the true one in 0, 1, .. length marks."""
        wrong = np.arange(1, self.length + 1)
        kept = (self.length - wrong) * self._log_keep
        return np.concatenate([[self.length * self._log_keep], kept + wrong * self._log_flip])

    @cached_property
    def _levels(self) -> Floats:
        # Not exp of the logs: products keep every digit.
        wrong = np.arange(self.length + 1)
        return np.asarray(self.keep ** (self.length - wrong) * self.flip**wrong, dtype=np.float64)

    def likelihood(self, clue: Clue | str | int) -> Floats:
        return self._levels.take(differing_marks(Clue.parse(clue, self.length).code, self.length))

    def log_likelihood(self, clue: Clue | str | int) -> Floats:
        return self._log_levels.take(differing_marks(Clue.parse(clue, self.length).code, self.length))

    @cached_property
    def _thresholds(self) -> tuple[int, int]:
        # A mark is changed from `keep` up; what lies above is split evenly between the other two marks.
        keep, half = self.keep, (1.0 - self.keep) / 2.0
        second = least_float(keep + half, lambda uniform: uniform - keep >= half)
        count, wide = self.length, lanes(self.length)
        return wide.least([keep] * count), wide.least([second] * count)

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        wide = lanes(self.length)
        first, second = self._thresholds
        bits = wide.bits(uniforms)
        return wide.rotate(code, wide.reached(bits, first) + wide.reached(bits, second))

    @cached_property
    def _mark_matrix(self) -> Floats:
        matrix = np.full((3, 3), self.flip)
        np.fill_diagonal(matrix, self.keep)
        return matrix

    @property
    def mark_matrix(self) -> Floats:
        return self._mark_matrix

    @cached_property
    def noise_entropy(self) -> Floats:
        # Marks are independent, so their entropies add up.
        return np.full(3**self.length, self.length * entropy(self._mark_matrix[0]))

    def matrix(self) -> scipy.sparse.csr_array:
        import scipy.sparse

        dense: Floats = np.ones((1, 1))
        for _ in range(self.length):
            dense = np.asarray(np.kron(dense, self._mark_matrix), dtype=np.float64)
        return scipy.sparse.csr_array(dense)


class Fibble(Channel):
    """A channel after Fibble (fibble.xyz): exactly one mark of each clue is false, even if the guess is right.

    Use it for a game that a proposal ends, as WORDPL's do: `score`, `sweep` and the bounds take it, under the name
    `fibble`. It treats all true clues alike. For a game that the right guess ends, as on fibble.xyz, and for more lies
    in a row, use `FibbleRows`.

    The position of the false mark is uniformly random, and both false marks are equally likely. A clue rules out most
    answers for certain, so its epsilon is infinite. Any other epsilon raises `WordplError`.
    """

    def __init__(self, epsilon: float = math.inf, length: int = 5) -> None:
        if check_epsilon(epsilon) != math.inf:
            raise WordplError(f"a Fibble clue has an infinite budget; epsilon {epsilon} is not allowed, use inf")
        self.epsilon, self.length = math.inf, _check_length(length)

    def __repr__(self) -> str:
        return f"Fibble(length={self.length})"

    def likelihood(self, clue: Clue | str | int) -> Floats:
        wrong = differing_marks(Clue.parse(clue, self.length).code, self.length)
        return np.where(wrong == 1, 1.0 / (2 * self.length), 0.0)

    @cached_property
    def _thresholds(self) -> tuple[int, int, int]:
        # The first number draws the place of the lie, counted from the last letter; each has an even share.
        count, wide = self.length, lanes(self.length)
        shares = [least_float(k / count, lambda uniform, k=k: uniform * count >= k) for k in range(1, count)]  # type: ignore[misc]
        return wide.least([*reversed(shares), 0.0]), wide.least([1.0, *reversed(shares)]), wide.least([0.5] * count)

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        wide = lanes(self.length)
        begin, end, half = self._thresholds
        place = wide.bits([uniforms[0]] * self.length)
        here = wide.reached(place, begin) + (wide.none - wide.reached(place, end))
        second = wide.reached(wide.bits([uniforms[1]] * self.length), half)
        return wide.rotate(code, here + (here & second))

    def matrix(self) -> scipy.sparse.csr_array:
        import scipy.sparse

        wrong = scipy.sparse.csr_array(np.ones((3, 3)) - np.eye(3))
        matrix = scipy.sparse.csr_array((3**self.length,) * 2)
        for k in range(self.length):
            before, after = scipy.sparse.eye_array(3**k), scipy.sparse.eye_array(3 ** (self.length - 1 - k))
            matrix = matrix + scipy.sparse.kron(scipy.sparse.kron(before, wrong), after)
        return scipy.sparse.csr_array(matrix / (2 * self.length))


ChannelFamily = Callable[[float, int], Channel]

CHANNELS: dict[str, ChannelFamily] = {"randomized_response": RandomizedResponse, "fibble": Fibble}


def channel_family(channel: ChannelFamily | str) -> ChannelFamily:
    """Return the family that a name in `CHANNELS` stands for, or `channel` itself if it is a family.

    Raises `WordplError` for an unknown name, with the nearest one, and for anything that cannot be called.
    """
    if isinstance(channel, str):
        if channel not in CHANNELS:
            raise WordplError(f"unknown channel {channel!r}: {nearest(channel, CHANNELS)}")
        return CHANNELS[channel]
    return check_family(channel)


def check_family(channel: object) -> ChannelFamily:
    """Return `channel` if it is a family. Raises `WordplError` if it is a name, a channel or cannot be called."""
    if isinstance(channel, str) or not callable(channel):
        raise WordplError(
            f"channel {one_line(repr(channel), 60)} is not allowed; a channel family such as wordpl.Fibble is expected"
        )
    return channel


@lru_cache(maxsize=1024)
def make_channel(family: ChannelFamily, epsilon: float, length: int) -> Channel:
    """Return `family(epsilon, length)`. The channels used last are kept, as a game needs the same one many times."""
    return family(epsilon, length)
