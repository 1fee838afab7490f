"""The messages of calls that are refused."""

from collections.abc import Callable
from typing import Any

import pytest

from wordpl import WordplError


def refusal(call: Callable[..., object], *arguments: Any, **keywords: Any) -> str:
    """The message of the `WordplError` that a call raises: one line of printable characters."""
    with pytest.raises(WordplError) as caught:
        call(*arguments, **keywords)
    message = str(caught.value)
    assert message.isprintable() and 0 < len(message) < 600, message
    return message
