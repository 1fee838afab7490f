"""What a server is started with, and the bounds of what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MAX_BODY = 256 << 10
"""Bytes of a request's body. A pasted word list has a bound of its own."""
BODY_SECONDS = 120.0
"""For all of a request's body to come."""
MAX_HEAD = 16 << 10
"""Bytes of a request's head."""
MAX_CONNECTIONS = 512
"""Connections of clients; beyond it, requests are answered with 503."""
MAX_TURNS = 100
"""Clues of a game."""
MAX_TEXT = 10_000
"""Characters of a text that is typed or pasted."""


@dataclass(frozen=True)
class Settings:
    """What a server is started with; `wordpl.web.run.make_page` says what each means."""

    results: tuple[Path, ...] = ()
    ledger: Path | None = None
    how_to_submit: str = ""
    hosts: frozenset[str] = frozenset()
