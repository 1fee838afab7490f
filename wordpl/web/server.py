"""State that all requests share while a server runs: the key of its games, and the lists that users paste."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import platformdirs
from fastapi import Depends, Request

from wordpl.base.errors import WordplError
from wordpl.base.files import reason
from wordpl.model.names import BUNDLED
from wordpl.model.words import WordList, load_words, words_from_text
from wordpl.web.games import SealedGames
from wordpl.web.problems import FieldError
from wordpl.web.result_files import ResultFiles
from wordpl.web.settings import Settings

LOG = logging.getLogger("wordpl.web")

KEY_BYTES = 32

MAX_CELLS = 40_000_000
"""Guesses times answers of a pasted list, at most: its clue matrix is kept in memory."""

MOST_LISTS = 8
"""Pasted lists that are kept."""


class WordLists:
    """Lists by name. A pasted list is named by its words, so that a link to it means the same list everywhere.

    The server keeps the lists used last; a page that names one it has let go of pastes it again.
    """

    def __init__(self) -> None:
        self._pasted = OrderedDict[str, WordList]()

    def get(self, name: str) -> WordList:
        """Return a list by name. Raises `FieldError` with status 404 for one that is not here."""
        if name in BUNDLED:
            return load_words(name)
        with suppress(KeyError):
            self._pasted.move_to_end(name)
            return self._pasted[name]
        lists = ", ".join(BUNDLED)
        message = f"There is no word list of that name here; choose from {lists}, or paste the list again."
        raise FieldError(message, "words", 404)

    def paste(self, answers: str, guesses: str | None) -> WordList:
        """Keep a list given as text, one word per line, and return it under its name."""
        draft = words_from_text("", answers, guesses)
        cells = len(draft.answers) * len(draft.guesses)
        if cells > MAX_CELLS:
            raise FieldError(f"the list is too long: guesses times answers are {cells}, at most {MAX_CELLS} can be had")
        words = WordList(f"list-{draft.digest[:16]}", draft.answers, draft.guesses)
        self._pasted[words.name] = words
        self._pasted.move_to_end(words.name)
        while len(self._pasted) > MOST_LISTS:
            self._pasted.popitem(last=False)
        return words


def server_key() -> bytes:
    """Return the key that seals games. It is made once and kept in a file of the user's, so games outlast the server;
    where no file can be had, it is a key for this process alone. Raises `WordplError` for a file that is no key."""
    try:
        path = Path(platformdirs.user_state_dir("wordpl"), "games.key")
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), path.open("xb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        key = path.read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
        LOG.warning("games end with this server, because it cannot keep its key: %s", reason(error))
        return secrets.token_bytes(KEY_BYTES)
    if len(key) != KEY_BYTES:
        raise WordplError(f"the key of games {path} does not have {KEY_BYTES} bytes; delete it, and start again")
    return key


@dataclass
class Server:
    settings: Settings
    results: ResultFiles
    compiled: bool = False
    """True once all kernels are compiled. Until then numpy does what it can, and the rest is refused by `ready`."""
    word_lists: WordLists = field(default_factory=WordLists)
    games: SealedGames = field(init=False)

    def __post_init__(self) -> None:
        self.games = SealedGames(server_key(), self.word_lists.get)

    def ready(self) -> None:
        """Raise `FieldError` with status 503 until all kernels are compiled: no request waits for a compiler, and the
        page asks again once they are."""
        if not self.compiled:
            raise FieldError("The server still compiles its code; ask again in a minute.", None, 503)


async def _server(request: Request) -> Server:
    # Not a plain function, for which a thread would be taken.
    return request.app.state.server  # type: ignore[no-any-return]


Here = Annotated[Server, Depends(_server)]
