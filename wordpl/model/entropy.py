"""Entropy in bits, the one formula that everything outside the compiled kernels uses."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def p_log2_p(p: Floats) -> Floats:
    """Return p log2 p of each entry, 0 where p is 0: an array of the shape of `p`."""
    return np.asarray(p * np.log2(p, where=p > 0, out=np.zeros_like(p)))


def entropy(p: Floats, axis: int | None = None) -> Floats:
    """Return the entropy in bits of `p`, not normalised here, or of each distribution along `axis` (it is removed)."""
    # From 0.0, so that a certain outcome has entropy 0.0 and not -0.0.
    return np.asarray(0.0 - p_log2_p(p).sum(axis=axis))
