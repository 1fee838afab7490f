"""What a server is started with, and the bounds of what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MAX_BODY = 256 << 10
"""Bytes of a request's body. A pasted word list and an upload have bounds of their own."""
MAX_TARGET = 8 << 10
"""Bytes of a path with its query string."""
MAX_CONNECTIONS = 512
"""Connections of clients; beyond it the one that has kept the server waiting longest is closed."""
MAX_OF_ADDRESS = 256
"""Those of them that come from one address."""
MAX_TURNS = 100
"""Clues of a game."""
MAX_TEXT = 10_000
"""Characters of a text that is typed or pasted."""

UPLOAD_HOURS = 2.0
UPLOAD_GAME_SECONDS = 20.0
"""A strategy that sleeps must not hold up the uploads that wait behind it."""


@dataclass(frozen=True)
class Settings:
    """What a server is started with; `wordpl.web.run.make_page` says what each means."""

    results: tuple[Path, ...] = ()
    ledger: Path | None = None
    accept: bool = False
    workers: int = 1
    upload_hours: float = UPLOAD_HOURS
    upload_game_seconds: float = UPLOAD_GAME_SECONDS
    hosts: frozenset[str] = frozenset()
