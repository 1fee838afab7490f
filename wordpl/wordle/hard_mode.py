"""Official hard mode: which words may follow a clue.

Correct letters stay where they are. A letter that was marked is used as often as it was marked. Under the letterwise
rule, several copies of a letter can be marked for one letter of the answer; so there a present mark only asks for the
letter to be used once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordpl.base.errors import WordplError
from wordpl.model.clues import Clue
from wordpl.model.words import letters_of
from wordpl.play.setting import History


def check_hard_mode(hard: bool, exact: bool) -> bool:
    """Return `hard`, whether hard mode is wanted. Raises `WordplError` if it is and clues are not all `exact`."""
    if hard and not exact:
        raise WordplError("hard mode goes by true clues, as ordinary Wordle has them; leave hard mode out")
    return hard


def legal_after(
    letters: NDArray[np.uint32], guess: str, marks: Sequence[int], rule: str = "counted"
) -> NDArray[np.bool_]:
    """Return which words, given by their `letters` [words, length], hard mode allows after a clue: bool [words]."""
    marked = list(zip(guess, marks, strict=True))
    legal = np.ones(len(letters), dtype=bool)
    for k, (letter, mark) in enumerate(marked):
        if mark == 2:
            legal &= letters[:, k] == ord(letter)
    for letter in {letter for letter, mark in marked if mark}:
        correct, present = marked.count((letter, 2)), marked.count((letter, 1))
        needed = correct + present if rule == "counted" else max(correct, 1)
        legal &= (letters == ord(letter)).sum(axis=1) >= needed
    return legal


def legal_guesses(words: Sequence[str], rule: str, turns: History) -> NDArray[np.bool_]:
    """Which words official hard mode allows after these turns: [words]."""
    letters = letters_of(words)
    legal = np.ones(len(words), dtype=bool)
    for turn in turns:
        legal &= legal_after(letters, turn.guess, Clue(turn.clue, len(turn.guess)).marks, rule)
    return legal
