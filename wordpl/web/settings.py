"""Settings of a server, and bounds on requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MAX_PASTED = 400_000
"""Characters of a pasted list."""
MAX_BODY = 3 * MAX_PASTED
"""Bytes of a request's body."""
THREADS = 8
"""Requests that are computed at a time; each may take tens of MiB."""
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
    """Settings of a server, as `wordpl.web.run.make_page` explains them."""

    results: tuple[Path, ...] = ()
    ledger: Path | None = None
    how_to_submit: str = ""
    hosts: frozenset[str] = frozenset()
