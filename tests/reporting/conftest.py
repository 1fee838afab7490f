"""What the tests of pictures share."""

from typing import Any

import pytest


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn, for a look at what is in them; their files are empty."""
    from matplotlib.figure import Figure

    drawn: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, file, **more: drawn.append(figure))
    return drawn
