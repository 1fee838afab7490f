"""The file of a contest: opened, made, written to, and copied for everybody."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

from wordpl.base.displays import cut, line_of
from wordpl.base.errors import OtherFormatError, WordplError
from wordpl.base.files import StrPath, replaced
from wordpl.base.sqlite import is_empty, open_read_only, open_to_write, schema_faults
from wordpl.contest import cells
from wordpl.contest.judge.ranking import Records
from wordpl.contest.ledger import schema
from wordpl.contest.ledger.entries import SEEDED, Entry
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.seeds import canonical, commitment, entry_secret, scoring_seed
from wordpl.contest.reach import check_out_of_reach

_LARGEST_WRITTEN = 256 << 20
"""Bytes of a cell or a row; an upload has fewer."""


class LedgerFile(LedgerReader):
    """A contest's file. Creates it unless `must_exist`; only its owner can read it, since it holds the secret.

    With `read_only` no file is created or changed, so the file and its folder may be read-only. The file may then come
    from anybody: no code in it is run, and cells are bounded. Raises `ForeignSchemaError` for a file with other tables,
    triggers or views than a ledger has, and `WordplError` for any other file that is not a ledger.
    """

    def __init__(self, path: StrPath, *, must_exist: bool = False, read_only: bool = False) -> None:
        self.path = Path(path)
        if (must_exist or read_only) and not self.path.exists():
            raise WordplError(f"no contest file {str(self.path)!r}; wordpl contest submit makes one")
        if not self.path.exists():
            check_out_of_reach(self.path)  # of a submission's own places `enter` knows
        with self._opening(f"{str(self.path)!r} is not a contest file that can be opened"):
            if read_only:
                self._db = open_read_only(self.path, cells.LARGEST_CELL)
                self._check(self._db)
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            self._db = open_to_write(self.path, _LARGEST_WRITTEN, self._check_if_any)
            with self.transaction():
                if is_empty(self._db):
                    self._make()
                self._check(self._db)

    def __repr__(self) -> str:
        return line_of(self, cut(str(self.path), 160))

    def _make(self) -> None:
        for statement in schema.SCHEMA.split(";"):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA user_version = {schema.FORMAT}")
        self._db.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        secret = secrets.token_hex(32)
        records = canonical(Records().facts)
        self.insert("contest", {"one": 1, "secret": secret, "commitment": commitment(secret), "records": records})

    def insert(self, table: str, row: Mapping[str, object], how: str = "INSERT") -> None:
        marks = ", ".join(f":{column}" for column in row)
        self._db.execute(f"{how} INTO {table} ({', '.join(row)}) VALUES ({marks})", row)

    def update(self, table: str, key: int, **columns: object) -> None:
        marks = ", ".join(f"{column} = ?" for column in columns)
        self._db.execute(f"UPDATE {table} SET {marks} WHERE key = ?", (*columns.values(), key))  # noqa: S608

    def _check_if_any(self, database: sqlite3.Connection) -> None:
        if not is_empty(database):
            self._check(database)

    def _check(self, database: sqlite3.Connection) -> None:
        """Raise `WordplError` if the file is no ledger."""
        if database.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION:
            raise WordplError(f"{str(self.path)!r} is a database, but not of a contest")
        version = int(database.execute("PRAGMA user_version").fetchone()[0])
        if version != schema.FORMAT:
            raise OtherFormatError(repr(str(self.path)), "a ledger", version, schema.FORMAT)
        if faults := schema_faults(database, schema.SCHEMA):
            raise schema.ForeignSchemaError(str(self.path), faults)

    def check_open(self) -> None:
        """Raise `WordplError` if this contest takes no more entries: it is closed, or a copy without its secret."""
        if self.closed:
            raise WordplError("this contest is closed: its secret is published, and it takes no more entries")
        self._secret()

    def publish(self, target: StrPath) -> None:
        """Write a copy for anyone, without uploads, trials of running entries and, until the close, the secret."""
        if os.path.lexists(target):
            raise WordplError(f"{str(target)!r} is there already; nothing was written")
        try:
            with replaced(target, must_be_new=True, mode=0o600) as beside:
                with closing(sqlite3.connect(beside, isolation_level=None)) as copy:
                    self._db.backup(copy)
                    copy.execute("PRAGMA secure_delete = ON")
                    copy.execute("UPDATE contest SET secret = '' WHERE closed = ''")
                    for table in ("uploads", "tokens"):
                        copy.execute(f"DELETE FROM {table}")  # noqa: S608
                    copy.execute("DELETE FROM trials WHERE entry IN (SELECT key FROM entries WHERE state = 'running')")
                    copy.execute("VACUUM")  # what was deleted would stay in free pages
                beside.chmod(0o644)
        except (sqlite3.Error, OSError) as error:
            raise WordplError(f"cannot write {str(target)!r}: {error}") from None

    def _secret(self) -> str:
        secret = str(self._db.execute("SELECT secret FROM contest").fetchone()[0])
        if not secret:
            raise WordplError(f"{str(self.path)!r} is a copy without the contest's secret; it takes no entries")
        return secret

    def seed(self, entry: Entry) -> int:
        """The scoring seed of an entry, for the referee; before its run is over nobody else may know it."""
        return scoring_seed(entry_secret(self._secret(), entry.key), entry.facts(SEEDED))
