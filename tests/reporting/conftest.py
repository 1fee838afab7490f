"""What the tests of pictures share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.plain import Made
from wordpl import Store


@pytest.fixture
def made(kept: tuple[Path, list[Made]]) -> list[Made]:
    """The tasks of the results file of a module, with the trials that were made for them."""
    return kept[1]


@pytest.fixture
def store(kept: tuple[Path, list[Made]]) -> Iterator[Store]:
    with Store(kept[0], read_only=True) as opened:
        yield opened


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn, for a look at what is in them; their files are empty."""
    from matplotlib.figure import Figure

    drawn: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, file, **more: drawn.append(figure))
    return drawn
