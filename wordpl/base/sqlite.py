"""Our SQLite files, each kind a subclass of `Database`: the results file and a contest's ledger.

A stranger may have made a file, so it is opened as data: it must have our mark and exactly our tables, no function is
run from within it, and a reader writes nothing to it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType, UnionType
from typing import Any, ClassVar, Self, get_args, get_type_hints

from wordpl.base.errors import OtherFormatError, WordplError, one_line
from wordpl.base.files import StrPath

_SQL = {int: "INTEGER", bool: "INTEGER", float: "REAL"}


def sql_columns(record: type[Any], *left_out: str) -> dict[str, str]:
    """Return the columns that have the fields of a record, in order: name -> declaration. The `id` is unique. What may
    be None may be NULL. What is neither a number nor a truth value is text."""
    columns = {}
    for name, hint in get_type_hints(record).items():
        kind, *other = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        null = "" if other else " NOT NULL"
        columns[name] = _SQL.get(kind, "TEXT") + null + (" UNIQUE" if name == "id" else "")
    return {name: column for name, column in columns.items() if name not in left_out}


def read_as(columns: Mapping[str, str], names: Iterable[str] | None = None) -> str:
    """Return the columns of a query, or those of these `names`, each cell as its column declares it: SQLite keeps any
    type in any column."""
    return ", ".join(f"CAST({name} AS {columns[name].split()[0]})" for name in names or columns)


class Database:
    """An open SQLite file of one kind, for `with`: errors of SQLite in the block become one line.

    `_db` is its connection, in autocommit mode. A subclass that fills a new file overrides `_make`.
    """

    kind: ClassVar[str]
    """Its name in messages, such as "results file"."""
    application_id: ClassVar[int]
    """The mark in the header by which SQLite files of one program are known."""
    user_version: ClassVar[int]
    schema: ClassVar[str]
    """Statements that make its tables, with semicolons between them."""
    mended_by: ClassVar[str]
    """The commands that mend a file whose writer was stopped; `{path}` stands for the file."""

    def __init__(self, path: StrPath, *, read_only: bool = False) -> None:
        """Open the file at `path`; a missing one is made, with its folders, unless it is `read_only`. A file that was
        left half written is not read; SQLite mends it when it is opened to be written. Raises `WordplError` for a file
        that is missing, locked, damaged or of another kind."""
        self.path = Path(path)
        mended = self.mended_by.format(path=path)
        if read_only and not self.path.is_file():
            raise WordplError(f"there is no {self.kind} {self.path}")
        try:
            if not read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            address = f"{self.path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
            self._db = sqlite3.connect(address, timeout=2.0 if read_only else 60.0, isolation_level=None, uri=True)
            self._db.execute("PRAGMA trusted_schema = OFF")
            self._db.execute("PRAGMA cell_size_check = ON")
            if not read_only and not _declared(self._db):
                with self.transaction():
                    if not _declared(self._db):  # another process may have made it meanwhile
                        self._make()
            self._check_format()
            if not read_only:
                self._db.execute("PRAGMA journal_mode = DELETE")
            elif self._pragma("journal_mode") == "wal":
                raise WordplError(f"{self.path} is in SQLite's WAL mode; {mended}")
        except BaseException as error:
            if hasattr(self, "_db"):
                self._db.close()
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY_ROLLBACK:
                raise WordplError(f"{self.path} was left half written; {mended}") from None
            if isinstance(error, (sqlite3.Error, OSError)):
                raise WordplError(f"{self.path} is not a {self.kind} that can be opened: {error}") from None
            raise

    def _make(self) -> None:
        for statement in self.schema.split(";"):  # executescript would end the transaction
            self._db.execute(statement)
        self._db.execute(f"PRAGMA application_id = {self.application_id}")
        self._db.execute(f"PRAGMA user_version = {self.user_version}")

    def _pragma(self, name: str) -> Any:
        return self._db.execute(f"PRAGMA {name}").fetchone()[0]

    def _check_format(self) -> None:
        kind, version = f"a {self.kind}", self._pragma("user_version")
        if self._pragma("application_id") != self.application_id:
            raise WordplError(f"{self.path} is not {kind}, or an old wordpl made it; in that case make it anew")
        if version != self.user_version:
            raise OtherFormatError(self.path, kind, version, self.user_version)
        with closing(sqlite3.connect(":memory:")) as own:
            own.executescript(self.schema)
            if _declared(self._db) != _declared(own):
                raise WordplError(f"{self.path} has other tables than {kind}")

    def faults(self) -> list[str]:
        """Return what SQLite finds wrong with the file, a line for each fault."""
        return [one_line(line) for (line,) in self._db.execute("PRAGMA quick_check(10)") if line != "ok"]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Holds the write lock from the start; all that is written inside is kept, or nothing. A block may be within
        another."""
        if self._db.in_transaction:
            yield
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise WordplError(f"{self.path}: {error}") from error
        finally:
            if self._db.in_transaction:  # on a full disk SQLite may have ended it
                self._db.execute("ROLLBACK")

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        if isinstance(error, sqlite3.Error):
            raise WordplError(f"{self.path}: {error}") from error


def _declared(database: sqlite3.Connection) -> list[str]:
    """The statements of all tables, indexes, views and triggers."""
    return sorted(statement for (statement,) in database.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL"))
