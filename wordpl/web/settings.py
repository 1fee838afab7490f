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
MAX_LIES = 5
"""False marks in each row of a game of Fibble."""
MAX_TEXT = 10_000
"""Characters of a text that is typed or pasted."""

UPLOAD_HOURS = 2.0
UPLOAD_GAME_SECONDS = 20.0
"""A strategy that sleeps must not hold up the uploads that wait behind it."""


@dataclass(frozen=True)
class Settings:
    """What `wordpl serve` was told."""

    results: tuple[Path, ...] = ()
    ledger: Path | None = None
    accept: bool = False
    """Whether submissions are taken."""
    workers: int = 1
    """Processes that score submissions."""
    upload_hours: float = UPLOAD_HOURS
    """Wall clock of a run that scores a submission, at a time; it is resumed once."""
    upload_game_seconds: float = UPLOAD_GAME_SECONDS
    """Wall clock of each of its games."""
    hosts: frozenset[str] = frozenset()
    """Names, beside localhost and plain addresses, under which browsers may reach the server."""
    threads: int = 2
    """Threads for numeric work."""
    waiting: int = 64
    """Numeric work that may wait for a thread; beyond it the server says that it is busy."""
