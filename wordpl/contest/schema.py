"""Opening a ledger that somebody else made: nothing in it is run, and nothing but a ledger's own tables is read.

What SQLite advises for files that are not trusted: https://www.sqlite.org/security.html
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from wordpl.contest.cells import LARGEST_CELL
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError

_LISTED = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_MOST_SHOWN = 10


class ForeignSchemaError(WordplError):
    """A contest file whose tables are not those of a ledger, or that holds more than these."""

    def __init__(self, path: str, faults: list[str]) -> None:
        super().__init__(f"{path!r} is not read: {'; '.join(faults)}")
        self.faults = faults
        """One line each."""


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing, runs no function from within the file and reads no cell above 1 MiB."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=60.0, isolation_level=None, uri=True)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
    database.text_factory = _text
    for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
        database.execute(f"PRAGMA {setting}").close()
    return database


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
