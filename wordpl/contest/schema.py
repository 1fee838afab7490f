"""Opening a ledger that somebody else made: nothing in it is run, and nothing but a ledger's own tables is read.

What SQLite advises for files that are not trusted: https://www.sqlite.org/security.html
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl.contest.cells import LARGEST_CELL
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError

_LISTED = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_MOST_SHOWN = 10
_TRIES = 20
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""Ends a journal that names a file in common with other databases (https://www.sqlite.org/fileformat.html, 3)."""


class ForeignSchemaError(WordplError):
    """A contest file whose tables are not those of a ledger, or that holds more than these."""

    def __init__(self, path: str, faults: list[str]) -> None:
        super().__init__(f"{path!r} is not read: {'; '.join(faults)}")
        self.faults = faults
        """One line each."""


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing, runs no function from within the file and reads no cell above 1 MiB.

    It neither creates nor changes a file beside the ledger, whoever owns the folder. So two kinds of file are read
    from a copy in memory: one whose last writer was killed in the middle of a transaction, which SQLite would have to
    roll back first, and one that somebody has put into WAL mode, whose readers create files.

    Raises `sqlite3.Error` for a file that SQLite cannot read, `OSError` for one that cannot be copied.
    """
    database = None if _is_wal(path) else _open_in_place(path)
    if database is None:
        database = _load(path)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
    database.text_factory = _text
    for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
        database.execute(f"PRAGMA {setting}").close()
    return database


def _is_wal(path: Path) -> bool:
    """Whether the header of a file says WAL mode (https://www.sqlite.org/fileformat.html, section 1.3)."""
    with path.open("rb") as file:
        return 2 in file.read(20)[18:]


def _open_in_place(path: Path) -> sqlite3.Connection | None:
    """A read-only connection; None if a transaction that nobody will finish has to be rolled back first."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=60.0, isolation_level=None, uri=True)
    try:
        database.execute("PRAGMA schema_version").close()  # reads the file, so that SQLite looks for such a transaction
    except sqlite3.Error as error:
        database.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK:
            return None
        raise
    return database


def _load(path: Path) -> sqlite3.Connection:
    """The content of a file in memory, without what no finished transaction has written."""
    beside = [path, path.with_name(path.name + "-journal"), path.with_name(path.name + "-wal")]
    with TemporaryDirectory(prefix="wordpl-") as folder:
        for _ in range(_TRIES):
            before = _stamps(beside)
            for source in beside:
                target = Path(folder, source.name)
                target.unlink(missing_ok=True)
                with suppress(FileNotFoundError):
                    shutil.copyfile(source, target)
            if _stamps(beside) == before:  # else somebody has written meanwhile, and the copies do not fit together
                break
        journal = Path(folder, beside[1].name)
        if journal.exists() and journal.read_bytes().endswith(_JOURNAL_MAGIC):
            raise sqlite3.DatabaseError("its journal names another file, which SQLite would delete")
        database = sqlite3.connect(":memory:", isolation_level=None)
        with closing(sqlite3.connect(Path(folder, path.name))) as copy:
            copy.execute("PRAGMA trusted_schema = OFF").close()
            copy.backup(database)
    return database


def _stamps(paths: list[Path]) -> list[tuple[int, int] | None]:
    found = [path.stat() if path.exists() else None for path in paths]
    return [state and (state.st_size, state.st_mtime_ns) for state in found]


def faults(database: sqlite3.Connection, schema: str) -> list[str]:
    """What a file has more, less or other than `schema` makes; one line each."""
    try:
        found = {(kind, name): (table, _plain(sql)) for kind, name, table, sql in database.execute(_LISTED)}
    except (sqlite3.Error, AttributeError) as error:
        return [f"its list of tables cannot be read: {visible(str(error))}"]
    made = _made(schema)
    wrong = [f"it holds {_named(*key)}, which no ledger has" for key in found if key not in made]
    wrong += [f"it has no {_named(*key)}" for key in made if key not in found]
    wrong += [f"its {_named(*key)} is not as a ledger has it" for key in made if found.get(key, made[key]) != made[key]]
    return [*wrong[:_MOST_SHOWN], *([f"and {len(wrong) - _MOST_SHOWN} more"] if len(wrong) > _MOST_SHOWN else [])]


def damage(database: sqlite3.Connection) -> list[str]:
    """What SQLite itself finds wrong with a file, as rows out of order or an index that does not fit; one line each."""
    try:
        lines = [str(line) for (line,) in database.execute(f"PRAGMA integrity_check({_MOST_SHOWN})")]
    except sqlite3.Error as error:
        lines = [str(error)]
    return [f"the file is damaged: {visible(' '.join(line.split()))}" for line in lines if line != "ok"]


@cache
def _made(schema: str) -> dict[tuple[str, str], tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as fresh:
        for statement in schema.split(";"):
            fresh.execute(statement)
        return {(kind, name): (table, _plain(sql)) for kind, name, table, sql in fresh.execute(_LISTED)}


def _plain(sql: str | None) -> str:
    return " ".join((sql or "").split())


def _named(kind: object, name: object) -> str:
    return f"{visible(str(kind), 20)} {visible(str(name), 60)!r}"


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
