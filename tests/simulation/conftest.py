"""What tests of many games share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wordpl import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty results file."""
    with Store(tmp_path / "results.sqlite") as opened:
        yield opened
