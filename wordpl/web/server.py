"""What all requests share while a server runs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request

from wordpl.storage.lru_cache import LruCache
from wordpl.web.games import Games
from wordpl.web.pool import Pool
from wordpl.web.settings import Settings
from wordpl.web.word_lists import WordLists

_KEPT = 1000


@dataclass
class Server:
    """The state of one running server."""

    settings: Settings
    pool: Pool
    word_lists: WordLists = field(default_factory=WordLists)
    games: Games = field(default_factory=Games)
    made: LruCache[Hashable, Any] = field(default_factory=lambda: LruCache(_KEPT))
    """Answers that took long to work out, by what they are about."""


def server_of(request: Request) -> Server:
    """Return the server that a request came to."""
    found: Server = request.app.state.server
    return found


Here = Annotated[Server, Depends(server_of)]
"""The server, as a parameter of an endpoint."""
