"""About how many seconds work takes at most, by its size, on a machine half as fast as those it was measured on."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from wordpl.model.words import BUNDLED, WordList

LITTLE = 0.0
"""For what is bounded so that it is quick whatever is asked."""
MUCH = 10.0
"""For what may take seconds whatever is asked."""

_OF_CELL = 3e-8
"""For each guess and answer of a clue matrix that has to be made first."""
_OF_SCORE = 2e-9
"""For each guess, with each answer and each clue, whenever all guesses are scored."""
_OF_BYTE = 2e-8


def playing(words: WordList) -> float:
    """Of clues to the words of a list. The matrices of lists that users paste are not there before they are used."""
    return 0.0 if words.name in BUNDLED else _OF_CELL * len(words.guesses) * len(words.answers)


def scoring(words: WordList, turns: int = 1) -> float:
    """Of scoring all guesses of a list once, or after each of some turns."""
    clues: int = 3**words.length
    return playing(words) + _OF_SCORE * turns * len(words.guesses) * (len(words.answers) + clues)


def reading(*files: Path) -> float:
    """Of reading files whole. One that is not there costs nothing."""
    size = 0
    for file in files:
        with suppress(OSError):
            size += file.stat().st_size
    return _OF_BYTE * size
