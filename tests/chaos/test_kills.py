"""Kills at an event, kills at a byte, and full disks: what is struck ends as in peace."""

from pathlib import Path

import pytest

from tests.chaos import kills


@pytest.mark.heavy
@pytest.mark.parametrize("work", kills.WORKS)
def test_what_is_killed_ends_as_in_peace(work: str, tmp_path: Path) -> None:
    assert kills.strikes(work, len(kills.KINDS), 0, tmp_path) == []
