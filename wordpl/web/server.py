"""What all requests share while a server runs: its state, and the word lists that users have pasted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from wordpl.model.words import BUNDLED, WordList, load_words, words_from_text
from wordpl.storage.lru_cache import LruCache
from wordpl.web.audits import Audits
from wordpl.web.games import Games
from wordpl.web.key import server_key
from wordpl.web.pool import Pool
from wordpl.web.problems import FieldError
from wordpl.web.result_files import ResultFiles
from wordpl.web.settings import Settings
from wordpl.web.uploads import Uploads

MAX_PASTED = 400_000
"""Characters of a pasted list."""
MAX_CELLS = 40_000_000
"""Guesses times answers of a pasted list, at most: its clue matrix is kept in memory."""


class WordLists:
    """Lists by name. A pasted list is named by its words, so that a link to it means the same list everywhere.

    The server keeps the lists pasted last; a page that names one it has let go of pastes it again.
    """

    def __init__(self) -> None:
        self._pasted: LruCache[str, WordList] = LruCache(8)

    def get(self, name: str, field: str = "words") -> WordList:
        """Return a list by name. Raises `FieldError` with status 404 for one that is not here."""
        if name in BUNDLED:
            return load_words(name)
        words = self._pasted.get(name)
        if words is None:
            lists = ", ".join(BUNDLED)
            message = f"There is no word list of that name here; choose from {lists}, or paste the list again."
            raise FieldError(message, field, 404)
        return words

    def paste(self, answers: str, guesses: str | None) -> WordList:
        """Keep a list given as text, one word per line, and return it under its name."""
        draft = words_from_text("", answers, guesses)
        cells = len(draft.answers) * len(draft.guesses)
        if cells > MAX_CELLS:
            raise FieldError(f"the list is too long: guesses times answers are {cells}, at most {MAX_CELLS} can be had")
        words = WordList(f"list-{draft.digest[:16]}", draft.answers, draft.guesses)
        self._pasted.put(words.name, words)
        return words


@dataclass
class Server:
    settings: Settings
    uploads: Uploads
    results: ResultFiles
    pool: Pool = field(default_factory=lambda: Pool(2, 64))
    """For numeric work."""
    slow: Pool = field(default_factory=lambda: Pool(1, 1))
    """For what may take more than a second: one runs, one waits."""
    word_lists: WordLists = field(default_factory=WordLists)
    audits: Audits = field(default_factory=Audits)
    games: Games = field(init=False)

    def __post_init__(self) -> None:
        self.games = Games(server_key(), self.word_lists.get)


async def _server(request: Request) -> Server:
    # Not a plain function, for which a thread would be taken.
    return request.app.state.server  # type: ignore[no-any-return]


Here = Annotated[Server, Depends(_server)]
