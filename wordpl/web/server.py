"""What all requests share while a server runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from wordpl.web.contest_state import Contest
from wordpl.web.games import Games
from wordpl.web.pool import Pool
from wordpl.web.result_files import ResultFiles
from wordpl.web.settings import Settings
from wordpl.web.uploads import Uploads
from wordpl.web.word_lists import WordLists


@dataclass
class Server:
    """The state of one running server."""

    settings: Settings
    pool: Pool
    uploads: Uploads
    word_lists: WordLists = field(default_factory=WordLists)
    contest: Contest = field(default_factory=Contest)
    games: Games = field(default_factory=Games)
    results: ResultFiles = field(init=False)

    def __post_init__(self) -> None:
        self.results = ResultFiles(self.settings.results)


async def server_of(request: Request) -> Server:
    """Return the server that a request came to. Not a plain function, for which a thread would be taken."""
    found: Server = request.app.state.server
    return found


Here = Annotated[Server, Depends(server_of)]
"""The server, as a parameter of an endpoint."""
