"""What the results file and the contest's ledger have in common: an SQLite file written in whole transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self


class Database:
    """An open SQLite file, for `with`. A subclass opens `_db`, in autocommit mode."""

    _db: sqlite3.Connection

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Holds the write lock from the start; all that is written inside is kept, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
