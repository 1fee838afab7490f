"""Opening the ledger. A stranger may have made it, and files beside it.

Nothing in a file is run, no file beside it is believed, and nothing is written before the file is known to have our
tables and nothing else (https://www.sqlite.org/security.html).
"""

import os
import shutil
import sqlite3
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible

_WAITS = 60.0
"""Seconds for which another process may hold the file."""
_MOST_LINES = 10
_TRIES = 20
_JOURNAL, _WAL, _SHM = "-journal", "-wal", "-shm"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""Ends a journal that names a file in common with other databases (https://www.sqlite.org/fileformat.html, 3)."""


def is_outside_fault(error: sqlite3.Error) -> bool:
    """Whether the disk, the file or another process caused an error, and not a mistake in a statement of ours."""
    kinds = (sqlite3.OperationalError, sqlite3.DatabaseError)
    # Errors of Python's own module, such as text that is not UTF-8, have no code.
    return type(error) in kinds and getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR


def open_read_only(path: Path, largest_cell: int, waits: float = _WAITS) -> sqlite3.Connection:
    """Return a connection that writes nothing, runs no function from within the file and reads no larger cell.

    It neither creates nor changes a file beside the database. So two kinds of file are read from a private copy: one
    whose last writer was killed in a transaction, which SQLite rolls back first, and one in WAL mode, whose readers
    create files. `waits` is how many seconds another process may hold the file.

    Raises `sqlite3.Error` for a file that SQLite cannot read, `OSError` for one that cannot be copied.
    """
    path = _checked(path)
    return _restricted(_open_in_place(path, waits) or _open_copy(path), largest_cell, "query_only = ON")


def open_to_write(path: Path, largest_cell: int, check: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """Return a connection that writes to a file, which is made if it is not there.

    `check` raises for a database that is neither empty nor ours. It gets a read-only connection first, because SQLite
    writes to a file as soon as it opens it, to roll back what a killed writer has left. The caller checks again in its
    first transaction.
    """
    path = _checked(path)
    if path.exists():
        with closing(open_read_only(path, largest_cell)) as database:
            check(database)
    database = sqlite3.connect(path, timeout=_WAITS, isolation_level=None)
    return _restricted(database, largest_cell, "foreign_keys = ON")


def schema_faults(database: sqlite3.Connection, schema: str) -> list[str]:
    """Return one line for each table or other object in which a file differs from `schema`."""
    try:
        found, expected = _declared(database), _declared_by(schema)
    except (sqlite3.Error, AttributeError) as error:
        return [f"its list of tables cannot be read: {visible(str(error))}"]
    # A name that is there twice differs, too.
    names = dict.fromkeys(key[:2] for key in [*found, *expected] if found[key] != expected[key])
    lines = [f"its {visible(str(kind), 20)} {visible(str(name), 60)!r} is not as expected" for kind, name in names]
    return [*lines[:_MOST_LINES], *([f"and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else [])]


def is_empty(database: sqlite3.Connection) -> bool:
    """Whether a database is one that nobody has written to."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return not version and not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


class LedgerFile:
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


def _checked(path: Path) -> Path:
    """The real path of `path`, beside which SQLite looks for other files.

    Raises `sqlite3.DatabaseError` if one of them is no ordinary file, since SQLite might wait for it, and for a journal
    that names another file, which SQLite would delete.
    """
    path = Path(os.path.realpath(path))
    if Path("/proc") in path.parents:
        raise sqlite3.DatabaseError("it is not a file")
    for ending in ("", _JOURNAL, _WAL, _SHM):
        beside = Path(f"{path}{ending}")
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(beside.lstat().st_mode):
                raise sqlite3.DatabaseError(f"{beside.name} beside it is not a file" if ending else "it is not a file")
    with suppress(FileNotFoundError), Path(f"{path}{_JOURNAL}").open("rb") as journal:
        journal.seek(max(0, os.fstat(journal.fileno()).st_size - len(_JOURNAL_MAGIC)))
        _check_journal(journal.read())
    return path


def _check_journal(content: bytes) -> None:
    if content.endswith(_JOURNAL_MAGIC):
        raise sqlite3.DatabaseError("its journal names another file, which SQLite would delete")


def _restricted(database: sqlite3.Connection, largest_cell: int, *settings: str) -> sqlite3.Connection:
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, largest_cell)
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", *settings):
        database.execute(f"PRAGMA {setting}").close()
    return database


def _uri(path: Path, options: str) -> str:
    return f"{path.as_uri()}?{options}"


def _open_in_place(path: Path, waits: float) -> sqlite3.Connection | None:
    """A read-only connection; None for a file that has to be read from a copy."""
    if os.path.lexists(f"{path}{_WAL}"):
        return None
    # Without locks SQLite opens no file in WAL mode. (To read the first bytes of a file, and close it, would take the
    # locks away that other connections of this process hold.)
    with suppress(sqlite3.Error), closing(sqlite3.connect(_uri(path, "mode=ro&nolock=1"), uri=True)) as probe:
        try:
            probe.execute("PRAGMA schema_version").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN:
                return None
    database = sqlite3.connect(_uri(path, "mode=ro"), timeout=waits, isolation_level=None, uri=True)
    try:
        database.execute("PRAGMA schema_version").close()  # reads the file, so that SQLite looks for a journal
    except sqlite3.Error as error:
        database.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK:
            return None
        raise
    return database


def _open_copy(path: Path) -> sqlite3.Connection:
    """A connection to a private copy, without what no finished transaction has written. Nobody finds it any more."""
    beside = [path, Path(f"{path}{_JOURNAL}"), Path(f"{path}{_WAL}")]
    with TemporaryDirectory(prefix="wordpl-") as folder:
        copy = Path(folder, "copy")
        copies = [copy, Path(f"{copy}{_JOURNAL}"), Path(f"{copy}{_WAL}")]
        for _ in range(_TRIES):
            before = _stamps(beside)
            for source, target in zip(beside, copies, strict=True):
                _copy(source, target)
            if _stamps(beside) == before:  # else somebody has written meanwhile, and the copies do not fit together
                break
        if copies[1].exists():
            _check_journal(copies[1].read_bytes())
        with closing(sqlite3.connect(copy, isolation_level=None)) as database:
            database.execute("PRAGMA trusted_schema = OFF").close()
            database.execute("PRAGMA journal_mode = DELETE").close()  # rolls back, and ends WAL mode
        return sqlite3.connect(_uri(copy, "immutable=1"), isolation_level=None, uri=True)


def _copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file, target.open("xb") as copy:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise sqlite3.DatabaseError(f"{source.name} is not a file")
            shutil.copyfileobj(file, copy)


def _stamps(paths: list[Path]) -> list[tuple[int, int] | None]:
    states = [path.stat() if path.exists() else None for path in paths]
    return [state and (state.st_size, state.st_mtime_ns) for state in states]


@cache
def _declared_by(schema: str) -> Counter[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(schema)
        return _declared(database)


def _declared(database: sqlite3.Connection) -> Counter[tuple[str, ...]]:
    rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return Counter((kind, name, table, " ".join((sql or "").split())) for kind, name, table, sql in rows)
