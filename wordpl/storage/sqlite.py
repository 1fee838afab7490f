"""What the results file and the contest's ledger have in common: an SQLite file written in whole transactions."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from wordpl.errors import WordplError


def is_outside_fault(error: sqlite3.Error) -> bool:
    """Whether an error is the disk's, the file's or another process's, and not a mistake in a statement of ours."""
    kinds = (sqlite3.OperationalError, sqlite3.DatabaseError)
    # Errors of Python's own module, such as text that is not UTF-8, have no code.
    return type(error) in kinds and getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR


def check_file(path: Path) -> None:
    """Raise `sqlite3.DatabaseError` or `OSError` for a pipe, a device or a file of /proc: SQLite may wait for these."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode) or Path("/proc") in path.resolve().parents:
            raise sqlite3.DatabaseError("it is not a file")


class Database:
    """An open SQLite file, for `with`: its errors in the block name it. A subclass opens `_db`, in autocommit mode."""

    path: Path
    _db: sqlite3.Connection

    @contextmanager
    def _opening(self, refusal: str) -> Iterator[None]:
        """For a block that opens the file: if it raises, the file is closed. Its errors begin with `refusal`."""
        try:
            yield
        except BaseException as error:
            if hasattr(self, "_db"):
                self._db.close()
            if isinstance(error, (sqlite3.DatabaseError, OSError, UnicodeDecodeError)):
                raise WordplError(f"{refusal}: {error}") from None
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Holds the write lock from the start; all that is written inside is kept, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # on a full disk SQLite may have ended it
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Raises an error of the file in the block as a `WordplError` that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            if is_outside_fault(error):
                raise WordplError(f"{self.path}: {error}") from error
            raise

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        with self._named_errors():
            if isinstance(error, sqlite3.Error):
                raise error
