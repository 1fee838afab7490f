"""Entropy in bits against scipy, and where nothing is uncertain."""

import math

import numpy as np
import pytest
import scipy

from wordpl.model.entropy import entropy, p_log2_p


def test_entropy_of_all_and_along_an_axis():
    table = np.random.default_rng(1).dirichlet(np.ones(7), 5)
    table[0, :3] = 0.0
    table[0] /= table[0].sum()
    assert entropy(table, axis=1) == pytest.approx(scipy.stats.entropy(table, base=2, axis=1), rel=1e-12)
    assert entropy(table.T, axis=0) == pytest.approx(entropy(table, axis=1), rel=1e-12)
    assert float(entropy(table[1])) == pytest.approx(scipy.stats.entropy(table[1], base=2), rel=1e-12)
    assert float(entropy(np.full(8, 0.125))) == 3.0


def test_what_is_certain_has_none():
    certain = entropy(np.array([0.0, 1.0, 0.0]))
    assert float(certain) == 0.0 and math.copysign(1.0, float(certain)) == 1.0
    assert p_log2_p(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, -0.5, 0.0]
