"""A few of each: kills and full disks, generated inputs. `make chaos` and `make fuzz` try many."""

from pathlib import Path

import pytest

from tests.chaos import fuzz, kills

COUNT = 10


@pytest.mark.heavy
@pytest.mark.parametrize("work", kills.WORKS)
def test_what_is_killed_ends_as_in_peace(work: str, tmp_path: Path) -> None:
    """By a kill at an event, one at a byte, and a full disk."""
    assert kills.strikes(work, len(kills.KINDS), 0, tmp_path) == []


@pytest.mark.parametrize("reader", fuzz.READERS)
def test_any_input_is_read_or_refused_in_a_line(reader: str) -> None:
    assert fuzz.faults(reader, 3 * COUNT, 0) == []


@pytest.mark.parametrize(("reader", "text"), fuzz.FAULTS)
def test_what_was_a_fault(reader: str, text: str) -> None:
    assert fuzz.fault(reader, text) == ""
