"""A channel as the kernels take it. In a file of its own, so that it loads no kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordpl.model.distance_channel import Channel, DistanceChannel

LANES = 8
"""Number of guesses that are scored side by side."""

IDENTITY, PER_MARK, GENERAL, LEVELS = 0, 1, 2, 3


class Noise(NamedTuple):
    """A channel as the kernels take it."""

    kind: int
    """`IDENTITY`, `PER_MARK` (use `marks`), `GENERAL` (use the three parts of a CSR matrix), or `LEVELS`."""
    marks: NDArray[np.float64]
    """[3, 3], noisy mark by true mark."""
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.float64]
    """For `LEVELS`, the probability of a clue by distance, as far as it differs from `floor`."""
    floor: float
    """For `LEVELS`, the probability of each clue that is farther away; no level from `nearest` up is below it."""
    nearest: int
    """For `LEVELS`, the smallest distance at which a clue is more likely than `floor`; none that is nearer is less."""
    right_ends: bool
    """True if the right guess ends the game, so that its clue is none: it becomes no noisy clue."""


def noise_of(channel: Channel, power: float = 1.0, right_ends: bool = False) -> tuple[Noise, float]:
    """Return the channel, each entry raised to `power`, and the factor that was taken out to keep it in range."""
    empty, marks = np.empty(0, dtype=np.int64), channel.mark_matrix
    if marks is not None:
        kind = IDENTITY if channel.exact else PER_MARK
        top = 1.0 if power == 1.0 else float(marks.max())
        return Noise(kind, (marks / top) ** power, empty, empty, np.empty(0), 0.0, 0, right_ends), top**channel.length
    if isinstance(channel, DistanceChannel):
        top = 1.0 if power == 1.0 else float(channel.levels.max())
        levels = (channel.levels / top) ** power
        floor = float(levels[-1]) if levels.max() > levels.min() == levels[-1] else 0.0
        apart = np.flatnonzero(levels > floor)
        return Noise(LEVELS, np.eye(3), empty, empty, levels[: apart[-1] + 1], floor, int(apart[0]), right_ends), top
    matrix = channel.matrix()
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return Noise(GENERAL, np.eye(3), indptr, indices, matrix.data**power, 0.0, 0, right_ends), 1.0
