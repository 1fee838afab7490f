"""What the results file and the contest's ledger have in common: an SQLite file written in whole transactions."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from wordpl.errors import WordplError

_OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}


def is_outside_fault(error: sqlite3.Error) -> bool:
    """Whether an error is the disk's, the file's or another process's, and not a mistake in a statement of ours."""
    # Errors of Python's own module, such as text that is not UTF-8, have no code.
    code = getattr(error, "sqlite_errorcode", None)
    return "decode" in str(error) if code is None else code & 0xFF in _OUTSIDE


def check_file(path: Path) -> None:
    """Raise `sqlite3.DatabaseError` or `OSError` for a path that SQLite would wait for; one that is missing passes.

    That is a pipe, a device, or a stream of the kernel's such as /proc/kmsg, which passes for an empty file.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise sqlite3.DatabaseError("it is not a file")
    if found.st_size:  # closing it again would end the locks that SQLite holds on it in this process
        return
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as file:
        # A file that another process has begun in between has a size now; a stream has none, whatever it holds.
        if file.read(1) != b"" and not os.fstat(file.fileno()).st_size:
            raise sqlite3.DatabaseError("it is a stream, not a file")


class Database:
    """An open SQLite file, for `with`: an error of the file within the block is a `WordplError` that names it.

    A subclass opens `_db`, in autocommit mode.
    """

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
