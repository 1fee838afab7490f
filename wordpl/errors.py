"""Errors that are the user's to mend: one line, what was wrong and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WordplError(ValueError):
    """A mistake in what the user gave; its text is one line and names what is allowed."""


class ContradictionError(WordplError):
    """A noiseless clue that leaves no possible answer."""


class MissingExtraError(WordplError):
    """An optional dependency is not installed; the text names the extra to install."""


class WordplWarning(UserWarning):
    """Something was passed over that the user would want to know of; its text is one line."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """`"did you mean 'x'? "` plus the choices, for the end of an error about an unknown name."""
    names = sorted(choices)
    close = difflib.get_close_matches(word.lower(), [name.lower() for name in names], n=1, cutoff=0.5)
    hint = ""
    if close:
        match = next(name for name in names if name.lower() == close[0])
        hint = f"did you mean {match!r}? "
    return f"{hint}choose from {', '.join(names)}"
