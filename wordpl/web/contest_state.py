"""What a server keeps of its contest from one request to the next."""

from __future__ import annotations

from typing import TypeAlias

from wordpl.storage.lru_cache import LruCache
from wordpl.web.audits import Audits
from wordpl.web.contest_models import EntryCurve, Leaderboard

Ranks: TypeAlias = dict[tuple[int, float], int]
"""What `LedgerReader.ranks` returns."""


class Contest:
    """Audits, and answers that took time. The boards and ranks of a ledger are kept by its last event."""

    def __init__(self) -> None:
        self.audits = Audits()
        self.boards: LruCache[tuple[str, int, str], Leaderboard] = LruCache(32)
        self.ranks: LruCache[str, Ranks] = LruCache(2)
        self.curves: LruCache[str, EntryCurve] = LruCache(200)

    def close(self) -> None:
        """Give up what audits run."""
        self.audits.close()
