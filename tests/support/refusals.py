"""What is said of what is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from wordpl import WordplError


def refusal(call: Callable[..., object], *given: Any, **named: Any) -> str:
    """What is said: one line, and none of the signs that act on a terminal."""
    with pytest.raises(WordplError) as caught:
        call(*given, **named)
    said = str(caught.value)
    assert said.isprintable() and 0 < len(said) < 600, said
    return said
