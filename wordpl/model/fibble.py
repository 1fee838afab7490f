"""The channel of a game of Fibble (fibble.xyz): some marks of each row are false, but a right guess is not lied about.

`wordpl.model.channel.Fibble` lies about the right guess as well, so no clue ends a game. Here an all-correct clue is
always true: it wins. So the guess of any other clue is ruled out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordpl.checks import whole_number
from wordpl.errors import WordplError
from wordpl.model.channel import Channel, ChannelFamily, Floats, check_epsilon, differing_marks
from wordpl.model.clues import Clue
from wordpl.model.lies import sums_at_distance
from wordpl.model.words import MAX_LENGTH

if TYPE_CHECKING:
    import scipy.sparse

MAX_LIES = 5


class FibbleRows(Channel):
    """The channel of a game on fibble.xyz: exactly `lies` marks of each clue are false, unless the guess is right.

    Use it where the right guess ends the game: to play Fibble, and to help or judge a player of it. Where a proposal
    ends the game, and a clue must not tell for certain that the guess was right, use `wordpl.Fibble`.

    All such clues are equally likely, but for the all-correct one, which is never a lie. A clue rules out most answers
    for certain, so its epsilon is infinite. Raises `WordplError` for any other epsilon, and for a number of lies that
    is not from 1 to 5, or more than the letters.

    >>> channel = FibbleRows(lies=2)
    >>> int((channel.likelihood("..icc") > 0).sum())  # true clues that two lies can turn into this one
    40
    """

    def __init__(self, epsilon: float = math.inf, length: int = 5, lies: int = 1) -> None:
        if check_epsilon(epsilon) != math.inf:
            raise WordplError(f"a Fibble clue has an infinite budget; epsilon {epsilon} is not allowed, use inf")
        self.epsilon, self.length = math.inf, whole_number("length", length, maximum=MAX_LENGTH)
        self.lies = whole_number("lies", lies, maximum=min(MAX_LIES, self.length))

    def __repr__(self) -> str:
        return f"FibbleRows(length={self.length}, lies={self.lies})"

    @property
    def _right(self) -> int:
        return int(3**self.length - 1)

    @cached_property
    def _shares(self) -> Floats:
        """P of each clue that can be shown, given each true clue: [3**length]."""
        lied = math.comb(self.length, self.lies) * 2**self.lies
        shown = lied - (differing_marks(self._right, self.length) == self.lies)
        shown[self._right] = 1
        return np.asarray(1.0 / shown, dtype=np.float64)

    def likelihood(self, clue: Clue | str | int) -> Floats:
        code = Clue.parse(clue, self.length).code
        possible = differing_marks(code, self.length) == self.lies
        if code == self._right:
            possible = np.zeros_like(possible)
        possible[self._right] = code == self._right
        return np.where(possible, self._shares, 0.0)

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        # A game of Fibble has no score that timing its host could better, so the time need not be the same.
        if code == self._right:
            return code
        shown = np.flatnonzero(differing_marks(code, self.length) == self.lies)
        shown = shown[shown != self._right]
        return int(shown[int(uniforms[0] * len(shown))])

    def transform(self, weights: NDArray[Any], power: int = 1) -> Floats:
        true = np.asarray(weights, dtype=np.float64).reshape(3**self.length, -1)
        sent = true * (self._shares**power)[:, np.newaxis]
        sent[self._right] = 0.0
        noisy = sums_at_distance(sent, self.length, self.lies)
        noisy[self._right] = true[self._right]
        return noisy.reshape(weights.shape)

    @cached_property
    def noise_entropy(self) -> Floats:
        return -np.log2(self._shares) + 0.0

    def matrix(self) -> scipy.sparse.csr_array:
        import scipy.sparse

        return scipy.sparse.csr_array(self.transform(np.eye(3**self.length)))


_FAMILIES = tuple(partial(FibbleRows, lies=lies) for lies in range(1, MAX_LIES + 1))


def fibble_rows(lies: int) -> ChannelFamily:
    """Return the family of `FibbleRows` with so many lies: the same object for the same number.

    Raises `WordplError` for a number of lies that is not from 1 to 5.
    """
    return _FAMILIES[whole_number("lies", lies, maximum=MAX_LIES) - 1]
