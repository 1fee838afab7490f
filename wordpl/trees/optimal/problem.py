"""The problem the exact solvers work on: a word list, its clue matrix, and lookups made from them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.clues import clue_matrix
from wordpl.model.words import WordList, letters_of

Indices = NDArray[np.int32]


class Problem:
    """All answers of a list, to be told apart by its guesses under a repeat rule."""

    def __init__(self, words: WordList, rule: str = "counted") -> None:
        self.words, self.rule = words, rule
        self.clues = clue_matrix(words, rule)
        self.guess_of_answer: Indices = words.answers_as_guesses.astype(np.int32)

    @property
    def code_count(self) -> int:
        """Number of clue codes, the all-correct one being the last."""
        return self.words.n_clues

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """A small number for each letter of each guess: [guesses, length]."""
        numbered = np.unique(letters_of(self.words.guesses), return_inverse=True)[1].astype(np.uint8)
        return numbered.reshape(len(self.words.guesses), self.words.length)

    @cached_property
    def columns(self) -> Indices:
        """Guess of each column of `table`: the answers in order, then all other guesses."""
        every = np.arange(len(self.words.guesses), dtype=np.int32)
        return np.concatenate([self.guess_of_answer, np.setdiff1d(every, self.guess_of_answer)]).astype(np.int32)

    @cached_property
    def table(self) -> NDArray[np.unsignedinteger[Any]]:
        """Clue codes [answers, columns]: one contiguous row of guesses per answer."""
        return np.ascontiguousarray(self.clues[self.columns].T)
