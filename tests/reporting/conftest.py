"""What the tests of pictures share."""

from typing import Any

import pytest


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn, for a look at what is in them; each is written to its file, too."""
    from matplotlib.figure import Figure

    drawn: list[Any] = []
    whole = Figure.savefig

    def saved(figure: Any, *given: Any, **more: Any) -> None:
        whole(figure, *given, **more)
        drawn.append(figure)

    monkeypatch.setattr(Figure, "savefig", saved)
    return drawn
