"""The word lists of a server: those of the package, and those that users have pasted."""

from __future__ import annotations

from wordpl.model.words import BUNDLED, WordList, load_words, words_from_text
from wordpl.storage.lru_cache import LruCache
from wordpl.web.problems import FieldError

MAX_PASTED = 400_000
"""Characters of a pasted list."""
MAX_CELLS = 40_000_000
"""Guesses times answers of a pasted list, at most: its clue matrix is kept in memory."""
_KEPT = 8

_PREFIX = "list-"


class WordLists:
    """Lists by name. A pasted list is named by its words, so that a link to it means the same list everywhere.

    The server keeps the lists pasted last; a page that names one it has let go of pastes it again.
    """

    def __init__(self) -> None:
        self._pasted: LruCache[str, WordList] = LruCache(_KEPT)

    def get(self, name: str, field: str = "words") -> WordList:
        """Return a list by name. Raises `FieldError` with status 404 for one that is not here."""
        if name in BUNDLED:
            return load_words(name)
        words = self._pasted.get(name)
        if words is None:
            raise FieldError(
                f"There is no word list of that name here; choose from {', '.join(BUNDLED)}, or paste the list again.",
                field,
                404,
            )
        return words

    def paste(self, answers: str, guesses: str | None) -> WordList:
        """Keep a list given as text, one word per line, and return it under its name."""
        given = words_from_text("", answers, guesses)
        cells = len(given.answers) * len(given.guesses)
        if cells > MAX_CELLS:
            raise FieldError(f"the list is too long: guesses times answers are {cells}, at most {MAX_CELLS} can be had")
        words = WordList(_PREFIX + given.digest[:16], given.answers, given.guesses)
        self._pasted.put(words.name, words)
        return words
