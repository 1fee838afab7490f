"""Read a contest's file: the contest, its entries, trials and standings."""

import hashlib
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordpl.base.displays import cut, line_of
from wordpl.base.errors import OtherFormatError, WordplError
from wordpl.base.sanitizing import visible
from wordpl.base.sqlite import sql_columns
from wordpl.contest.judge.ranking import EntryTrials, RankStanding, Records, Row, outcomes_of
from wordpl.contest.ledger import cells, entries
from wordpl.contest.ledger.entries import Board, Entry
from wordpl.contest.ledger.opening import LedgerFile, open_read_only, schema_faults
from wordpl.play.referee import Verdict

FORMAT = 9
APPLICATION = 0x57504C43  # "WPLC"
_MATCHES = "id = :match OR instr(lower(name), lower(:match))"


@dataclass(frozen=True)
class Contest:
    """What a ledger says of its contest."""

    secret: str
    """Empty in a published copy of an open contest."""
    commitment: str
    """The hash of the secret."""
    records: Records
    """What new entries have to beat."""
    closed: str
    """When its secret was published, so that it takes no more entries: UTC, ISO 8601; empty while it is open."""


def _columns(record: type[Any], *left_out: str) -> str:
    declared = sql_columns(record, *left_out, nullable=cells.INFINITE)
    return ", ".join(f"{name} {declaration}" for name, declaration in declared.items())


SCHEMA = f"""
CREATE TABLE contest (one INTEGER PRIMARY KEY CHECK (one = 1), {_columns(Contest)});
CREATE TABLE entries (key INTEGER PRIMARY KEY, {_columns(Entry, "key")});
CREATE TABLE trials (
    entry INTEGER NOT NULL REFERENCES entries(key), {_columns(Row)}, PRIMARY KEY (entry, trial)) WITHOUT ROWID;
CREATE TABLE standings (
    entry INTEGER NOT NULL REFERENCES entries(key), {_columns(RankStanding)},
    PRIMARY KEY (entry, percentile)) WITHOUT ROWID
"""


class ForeignSchemaError(WordplError):
    """A contest file whose tables are not those of a ledger, or that holds more than these."""

    def __init__(self, path: str, faults: list[str]) -> None:
        super().__init__(f"{path!r} is not read: {'; '.join(faults)}")
        self.faults = faults
        """One line each."""


class LedgerReader(LedgerFile):
    """An open contest file. Methods raise `WordplError`, one line, for content that wordpl never writes."""

    path: Path

    def __repr__(self) -> str:
        return line_of(self, cut(str(self.path), 160))

    def _check(self, database: sqlite3.Connection) -> None:
        """Raise `WordplError` if the file is no ledger."""
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise WordplError(f"{str(self.path)!r} is a database, but not of a contest")
        version = int(database.execute("PRAGMA user_version").fetchone()[0])
        if version != FORMAT:
            raise OtherFormatError(repr(str(self.path)), "a ledger", version, FORMAT)
        if faults := schema_faults(database, SCHEMA):
            raise ForeignSchemaError(str(self.path), faults)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one state of the file inside this block, whatever others write meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):  # of a damaged file, which has been told of; nothing was written
                self._db.execute("ROLLBACK")

    @contextmanager
    def copied(self) -> Iterator[None]:
        """Read from a private copy of the file inside this block, so that writers do not have to wait."""
        with TemporaryDirectory(prefix="wordpl-") as folder:
            target = Path(folder) / "contest.sqlite"
            try:
                with closing(sqlite3.connect(target)) as copy:
                    self._db.backup(copy)
                original, self._db = self._db, open_read_only(target, cells.LARGEST_CELL)
            except sqlite3.Error as error:
                raise WordplError(f"{str(self.path)!r} cannot be copied: {error}") from None
            try:
                yield
            finally:
                self._db.close()
                self._db = original

    def read(self, query: str, values: Any = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query. Raises `WordplError` if a page is damaged or a cell is too large."""
        try:
            for row in self._db.execute(query, values):  # noqa: UP028 - that would close the cursor, maybe too late
                yield row
        except sqlite3.Error as error:
            raise WordplError(f"{str(self.path)!r} cannot be read: {error}") from None

    def damage(self) -> list[str]:
        """Return what SQLite finds wrong with the file, as rows out of order; one line for each fault."""
        try:
            lines = [str(line) for (line,) in self._db.execute("PRAGMA integrity_check(10)")]
        except sqlite3.Error as error:
            lines = [str(error)]
        return [f"the file is damaged: {visible(' '.join(line.split()))}" for line in lines if line != "ok"]

    # Entries.

    def _entries(self, where: str = "1", values: dict[str, Any] | None = None) -> list[Entry]:
        query = f"SELECT {entries.ENTRY_COLUMNS} FROM entries WHERE {where} ORDER BY key"  # noqa: S608
        return [entries.read_entry(row) for row in self.read(query, values or {})]

    def entries(self, match: str = "") -> list[Entry]:
        """Return the entries whose id is `match` or whose name contains it, in order of entry."""
        return self._entries(_MATCHES, {"match": match})

    def keys(self, match: str = "") -> list[int]:
        """Return the keys of the same entries, including malformed ones."""
        query = f"SELECT key FROM entries WHERE {_MATCHES} ORDER BY key"  # noqa: S608
        return [key for (key,) in self.read(query, {"match": match})]

    def by_key(self, key: int) -> Entry:
        """Return the entry with this number. Raises `MalformedError` if its row is malformed."""
        return self._entries("key = :key", {"key": key})[0]

    def entry(self, identity: str) -> Entry:
        """Return the entry with this id. Raises `WordplError` if there is none."""
        for entry in self._entries("id = :id", {"id": identity}):
            return entry
        raise WordplError(f"{str(self.path)!r} has no entry {identity!r}; wordpl contest board lists them")

    def standings(self, entry: Entry) -> list[RankStanding]:
        """Return the published standings; none while the run is not over."""
        return list(map(entries.read_standing, self.stored_standings(entry)))

    def stored_standings(self, entry: Entry) -> Iterator[tuple[Any, ...]]:
        """Yield the stored rows of the same standings."""
        query = f"SELECT {entries.STANDING_COLUMNS} FROM standings WHERE entry = ? ORDER BY percentile"  # noqa: S608
        return self.read(query, (entry.key,))

    def ranks(self) -> dict[tuple[int, float], int]:
        """Return the ranks by key and percentile, 1 plus the number of smaller budgets, where one reaches it."""
        budgets: dict[tuple[Board, float], dict[int, float]] = {}
        for entry in self.entries():
            for standing in self.standings(entry) if entry.ranked else []:
                if math.isfinite(standing.budget):
                    budgets.setdefault((entry.board, standing.percentile), {})[entry.key] = standing.budget
        return {
            (key, percentile): 1 + sum(other < budget for other in rivals.values())
            for (_, percentile), rivals in budgets.items()
            for key, budget in rivals.items()
        }

    # Trials.

    def rows(self, entry: Entry, start: int = -(2**63), count: int = -1) -> Iterator[Row]:
        """Yield the trials in order, from trial `start` on; at most `count` of them if that is not negative."""
        return map(entries.read_row, self.stored(entry, start, count))

    def stored(self, entry: Entry, start: int = -(2**63), count: int = -1) -> Iterator[tuple[Any, ...]]:
        """Yield the stored rows of the same trials, for `entries.read_row`."""
        query = f"SELECT {entries.ROW_COLUMNS} FROM trials WHERE entry = ? AND trial >= ? ORDER BY trial LIMIT ?"  # noqa: S608
        return self.read(query, (entry.key, start, count))

    def row(self, entry: Entry, trial: int) -> Row | None:
        """Return one trial, or None if it is missing."""
        return next((row for row in self.rows(entry, trial, 1) if row.trial == trial), None)

    def played(self, entry: Entry) -> int:
        """Return the number of trials before the first missing one."""
        trials = self.read("SELECT trial FROM trials WHERE entry = ? ORDER BY trial", (entry.key,))
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1][0], enumerate(trials)))

    def outcomes(self, entry: Entry, trials: int | None = None) -> EntryTrials:
        """Return the outcomes of the trials before the first missing one, of at most `trials` of them."""
        return outcomes_of(self.rows(entry, count=-1 if trials is None else trials))

    def trials_digest(self, entry: Entry) -> str:
        """Return the SHA-256 of all stored trials. Raises `MalformedError` for cells that wordpl never writes."""
        found = hashlib.sha256()
        for row in self.stored(entry):
            try:
                found.update(cells.canonical(row).encode() + b"\n")
            except (TypeError, ValueError):
                raise cells.MalformedError(f"trial {visible(str(row[0]), 20)} holds what cannot be digested") from None
        return found.hexdigest()

    def verdicts(self, entry: Entry, trials: int = cells.LARGEST_NUMBER) -> dict[str, int]:
        """Return the number of trials by verdict, of the first `trials` ones."""
        query = "SELECT verdict, count(*) FROM trials WHERE entry = ? AND trial < ? GROUP BY verdict"
        counts = dict(self.read(query, (entry.key, trials)))
        return {str(verdict): counts.get(str(verdict), 0) for verdict in Verdict}

    def reasons(self, entry: Entry) -> list[tuple[str, int]]:
        """Return the five commonest reasons for losing a trial other than a wrong proposal, with their counts."""
        where = "entry = ? AND reason <> '' GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 5"
        counts = self.read(f"SELECT reason, count(*) FROM trials WHERE {where}", (entry.key,))  # noqa: S608
        return [(visible(cells.typed(reason, str, "a reason")), n) for reason, n in counts]

    # The contest.

    @property
    def contest(self) -> Contest:
        rows = list(self.read("SELECT secret, commitment, records, closed FROM contest"))
        if len(rows) != 1:
            raise WordplError(f"{str(self.path)!r} holds {len(rows)} contests; one is expected")
        return cells.row(Contest, rows[0], "the contest")

    @property
    def version(self) -> str:
        """A digest that changes with what the leaderboard shows: entries, ends, cleared flags, records, the close."""
        contest = self.contest
        shown = hashlib.sha256(repr((contest.commitment, contest.records, contest.closed)).encode())
        for row in self.read("SELECT id, state, cleared FROM entries ORDER BY key"):
            shown.update(repr(row).encode())
        return shown.hexdigest()[:16]
