"""The tables of a ledger, and how one is opened that somebody else made.

Nothing in such a file is run, and nothing but a ledger's own tables is read. What SQLite advises for
files that are not trusted: https://www.sqlite.org/security.html
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl.contest.cells import LARGEST_CELL
from wordpl.errors import WordplError
from wordpl.text.sanitizing import visible

RANKING, WITH_UPLOADS = 5, 6
"""The formats. A ledger is of the first one until its first token is made; so is a published copy."""
APPLICATION = 0x57504C43  # "WPLC"

SCHEMA = """
CREATE TABLE contest (
    one INTEGER PRIMARY KEY CHECK (one = 1), secret TEXT NOT NULL, commitment TEXT NOT NULL, closed INTEGER);
CREATE TABLE events (number INTEGER PRIMARY KEY, payload TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE entries (
    key INTEGER PRIMARY KEY REFERENCES events(number), id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    digest TEXT NOT NULL, files TEXT NOT NULL, call TEXT NOT NULL, contest_files TEXT NOT NULL,
    words TEXT NOT NULL, words_digest TEXT NOT NULL,
    rule TEXT NOT NULL, channel TEXT NOT NULL, limits TEXT NOT NULL, stop TEXT NOT NULL, attempt INTEGER NOT NULL,
    engine INTEGER NOT NULL, nonce TEXT NOT NULL, commitment TEXT NOT NULL, sandbox TEXT NOT NULL,
    entered TEXT NOT NULL, author TEXT NOT NULL, link TEXT NOT NULL, source TEXT NOT NULL,
    strategy TEXT NOT NULL DEFAULT '', interface TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'running', reason TEXT NOT NULL DEFAULT '', trials INTEGER,
    flag TEXT NOT NULL DEFAULT '', cleared TEXT NOT NULL DEFAULT '', secret TEXT, seed TEXT,
    finished INTEGER REFERENCES events(number));
CREATE TABLE trials (
    entry INTEGER NOT NULL REFERENCES entries(key), trial INTEGER NOT NULL, answer TEXT NOT NULL, proposed TEXT,
    verdict TEXT NOT NULL, reason TEXT NOT NULL, budget REAL, chance REAL NOT NULL, evidence TEXT NOT NULL,
    log TEXT NOT NULL, errors TEXT NOT NULL, seconds REAL NOT NULL, slowest REAL NOT NULL,
    PRIMARY KEY (entry, trial)) WITHOUT ROWID;
CREATE TABLE standings (
    entry INTEGER NOT NULL REFERENCES entries(key), percentile REAL NOT NULL, budget REAL, win_rate REAL NOT NULL,
    low REAL NOT NULL, high REAL NOT NULL, wins INTEGER NOT NULL, sampled REAL, decided INTEGER NOT NULL,
    PRIMARY KEY (entry, percentile)) WITHOUT ROWID
"""

UPLOADS = """
CREATE TABLE tokens (
    key INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, per_day INTEGER NOT NULL, made TEXT NOT NULL,
    revoked TEXT);
CREATE TABLE uploads (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, token INTEGER NOT NULL REFERENCES tokens(key),
    file TEXT NOT NULL, call TEXT NOT NULL, author TEXT NOT NULL, link TEXT NOT NULL, shows_source INTEGER NOT NULL,
    nonce TEXT NOT NULL, received TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    games INTEGER NOT NULL DEFAULT 0, findings TEXT NOT NULL DEFAULT '[]', reason TEXT NOT NULL DEFAULT '',
    entry INTEGER REFERENCES entries(key), content BLOB);
CREATE INDEX uploads_by_token ON uploads(token, received);
CREATE INDEX uploads_by_state ON uploads(state)
"""

SCHEMAS = {RANKING: SCHEMA, WITH_UPLOADS: f"{SCHEMA};{UPLOADS}"}

_MOST_LINES = 10
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
    with path.open("rb") as file:
        is_wal = 2 in file.read(20)[18:]  # https://www.sqlite.org/fileformat.html, section 1.3
    database = (None if is_wal else _open_in_place(path)) or _load(path)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
        database.execute(f"PRAGMA {setting}").close()
    return database


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
        try:
            with closing(sqlite3.connect(Path(folder, path.name))) as copy:
                copy.execute("PRAGMA trusted_schema = OFF").close()
                copy.backup(database)
        except BaseException:
            database.close()
            raise
    return database


def _stamps(paths: list[Path]) -> list[tuple[int, int] | None]:
    states = [path.stat() if path.exists() else None for path in paths]
    return [state and (state.st_size, state.st_mtime_ns) for state in states]


def faults(database: sqlite3.Connection, schema: str) -> list[str]:
    """What a file has more, less or other than `schema` makes; one line each."""
    try:
        tables = _tables(database)
    except (sqlite3.Error, AttributeError) as error:
        return [f"its list of tables cannot be read: {visible(str(error))}"]
    expected = _schema_tables(schema)
    differing = [key for key in {**tables, **expected} if tables.get(key) != expected.get(key)]
    names = [f"{visible(str(kind), 20)} {visible(str(name), 60)!r}" for kind, name in differing]
    lines = [f"its {name} is not as a ledger has it" for name in names]
    return [*lines[:_MOST_LINES], *([f"and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else [])]


@cache
def _schema_tables(schema: str) -> dict[tuple[str, str], tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(schema)
        return _tables(database)


def _tables(database: sqlite3.Connection) -> dict[tuple[str, str], tuple[str, str]]:
    rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(kind, name): (table, " ".join((sql or "").split())) for kind, name, table, sql in rows}
