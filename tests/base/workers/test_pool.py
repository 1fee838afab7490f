"""Work that is given up in the middle, as where the disk is full: nothing is said of the results that nobody takes."""

from __future__ import annotations

import warnings

import pytest
from joblib import delayed

from wordpl.base.workers import pool


@pytest.mark.heavy
def test_results_that_are_left_are_not_warned_of() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        results = pool.run_unordered(2, (delayed(abs)(-n) for n in range(1, 41)))
        assert next(results) > 0  # while others are being worked on, or done
        results.close()  # type: ignore[attr-defined]
    assert [str(warning.message) for warning in said] == []
