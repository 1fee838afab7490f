"""Entropy in bits, the one formula that everything outside the compiled kernels uses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def p_log2_p(p: Floats) -> Floats:
    """p log2 p of each entry, 0 where p is 0: the shape of `p`."""
    return np.asarray(p * np.log2(p, where=p > 0, out=np.zeros_like(p)))


def entropy(p: Floats, axis: int | None = None) -> Floats:
    """Entropy in bits of the distribution `p`, or of each one along `axis`: the shape of `p` without that axis.

    Entries are probabilities; they are not normalised here.
    """
    # From 0.0, so that a certain outcome has entropy 0.0 and not -0.0.
    return np.asarray(0.0 - p_log2_p(p).sum(axis=axis))
