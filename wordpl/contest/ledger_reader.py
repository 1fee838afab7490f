"""Reading a contest's file: what `Ledger` says of entries, trials, standings and the chain of events."""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wordpl.contest import cells, schema
from wordpl.contest.entries import (
    ROW_COLUMNS,
    STANDING_COLUMNS,
    Board,
    Entry,
    Row,
    read_entry,
    read_evidence,
    read_row,
    read_standing,
    read_verdict,
)
from wordpl.contest.evidence import COLUMNS
from wordpl.contest.ranking import Outcomes, Standing
from wordpl.contest.receipt import NO_EVENT, Event, Receipt, canonical
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError
from wordpl.play.referee import Verdict
from wordpl.storage.sqlite import Database

_MATCHES = "id = :match OR instr(lower(name), lower(:match))"
_COLUMNS = ", ".join(Entry.__dataclass_fields__)


class LedgerReader(Database):
    """An open contest file. Raises `WordplError`, one line, wherever it holds what no wordpl has written."""

    path: Path

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, whatever others write meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):  # of a damaged file, which has been told of; nothing was written
                self._db.execute("ROLLBACK")

    @contextmanager
    def copied(self) -> Iterator[None]:
        """All that is read inside is of one moment, read from a private copy: nobody who writes has to wait for it."""
        with TemporaryDirectory(prefix="wordpl-") as folder:
            target = Path(folder) / "contest.sqlite"
            try:
                with closing(sqlite3.connect(target)) as copy:
                    self._db.backup(copy)
                own, self._db = self._db, schema.open_read_only(target)
            except sqlite3.Error as error:
                raise WordplError(f"{str(self.path)!r} cannot be copied: {error}") from None
            try:
                yield
            finally:
                self._db.close()
                self._db = own

    def _read(self, query: str, values: Any = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query. Raises `WordplError` for what cannot be read: a damaged page, too large a cell."""
        try:
            for row in self._db.execute(query, values):  # noqa: UP028 - that would close the cursor, maybe too late
                yield row
        except sqlite3.Error as error:
            raise WordplError(f"{str(self.path)!r} cannot be read: {error}") from None

    def damage(self) -> list[str]:
        """What is wrong with the file as SQLite sees it; one line each."""
        return schema.damage(self._db)

    # Entries.

    def _entries(self, where: str = "1", values: dict[str, Any] | None = None) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entries WHERE {where} ORDER BY key"  # noqa: S608
        return [read_entry(row) for row in self._read(query, values or {})]

    def _by_key(self, key: int) -> Entry:
        return self._entries("key = :key", {"key": key})[0]

    def entries(self, match: str = "") -> list[Entry]:
        """The entries whose id is, or whose name contains, `match`, in order of entry."""
        return self._entries(_MATCHES, {"match": match})

    def keys(self, match: str = "") -> list[int]:
        """The keys of the same entries, those included that are malformed."""
        query = f"SELECT key FROM entries WHERE {_MATCHES} ORDER BY key"  # noqa: S608
        return [key for (key,) in self._read(query, {"match": match})]

    def by_key(self, key: int) -> Entry:
        """The entry whose `enter` event has this number. Raises `MalformedError` if it cannot be one."""
        return self._by_key(key)

    def entry(self, identity: str) -> Entry:
        """The entry with this id. Raises `WordplError` if there is none."""
        found = self._entries("id = :id", {"id": identity})
        if not found:
            raise WordplError(f"{str(self.path)!r} has no entry {identity!r}; wordpl leaderboard lists them")
        return found[0]

    def standings(self, entry: Entry) -> list[Standing]:
        """The standings that were published; none for a run that is not over."""
        query = f"SELECT {STANDING_COLUMNS} FROM standings WHERE entry = ? ORDER BY percentile"  # noqa: S608
        return [read_standing(row, entry.trials or 0) for row in self._read(query, (entry.key,))]

    def ranks(self) -> dict[tuple[int, float], int]:
        """The rank of each entry on its board, by its key and percentile: 1 and one more for each smaller budget.

        Entries that are not ranked, or that surely reach a percentile within no budget, have none there.
        """
        budgets: dict[tuple[Board, float], dict[int, float]] = {}
        for entry in self.entries():
            for standing in self.standings(entry) if entry.ranked else []:
                if math.isfinite(standing.budget):
                    budgets.setdefault((entry.board, standing.percentile), {})[entry.key] = standing.budget
        return {
            (key, percentile): 1 + sum(other < budget for other in found.values())
            for (_, percentile), found in budgets.items()
            for key, budget in found.items()
        }

    # Trials.

    def rows(self, entry: Entry) -> Iterator[Row]:
        """The trials, in order."""
        return map(read_row, self.stored(entry))

    def stored(self, entry: Entry) -> Iterator[tuple[Any, ...]]:
        """The trials as they are stored, in order, for `read_row`."""
        return self._read(f"SELECT {ROW_COLUMNS} FROM trials WHERE entry = ? ORDER BY trial", (entry.key,))  # noqa: S608

    def row(self, entry: Entry, trial: int) -> Row | None:
        """One trial; None if it is not there."""
        query = f"SELECT {ROW_COLUMNS} FROM trials WHERE entry = ? AND trial = ?"  # noqa: S608
        return next((read_row(row) for row in self._read(query, (entry.key, trial))), None)

    def missing(self, entry: Entry, trials: int) -> list[int]:
        """Trials below `trials` that are not there yet."""
        query = "SELECT trial FROM trials WHERE entry = ? AND trial < ?"
        there = {row[0] for row in self._read(query, (entry.key, trials))}
        return [trial for trial in range(trials) if trial not in there]

    def played(self, entry: Entry) -> int:
        """How many trials there are before the first one that is missing."""
        done = 0
        for (trial,) in self._read("SELECT trial FROM trials WHERE entry = ? ORDER BY trial", (entry.key,)):
            if trial != done:
                break
            done += 1
        return done

    def outcomes(self, entry: Entry, trials: int | None = None) -> Outcomes:
        """What ranks an entry: its trials before the first one that is missing, at most `trials` of them."""
        query = "SELECT trial, budget, chance, verdict, evidence FROM trials WHERE entry = ? ORDER BY trial LIMIT ?"
        budgets, chances, won, evidence = [], [], [], []
        for i, (trial, budget, chance, verdict, logs) in enumerate(
            self._read(query, (entry.key, -1 if trials is None else trials))
        ):
            if trial != i:
                break
            label = f"trial {i}: "
            budgets.append(math.inf if budget is None else cells.real(budget, label + "budget"))
            chances.append(cells.real(chance, label + "chance"))
            won.append(read_verdict(verdict, label) == Verdict.WIN)
            evidence.append(read_evidence(logs, label))
        return Outcomes(
            np.array(budgets, dtype=np.float64),
            np.array(chances, dtype=np.float64),
            np.array(won, dtype=np.bool_),
            np.array(evidence, dtype=np.float64).reshape(len(won), COLUMNS),
        )

    def verdicts(self, entry: Entry) -> dict[str, int]:
        """How many trials ended in each way."""
        query = "SELECT verdict, count(*) FROM trials WHERE entry = ? GROUP BY verdict"
        counts = dict(self._read(query, (entry.key,)))
        return {str(verdict): counts.get(str(verdict), 0) for verdict in Verdict}

    def reasons(self, entry: Entry) -> list[tuple[str, int]]:
        """Why trials were lost by anything but a wrong proposal, the commonest first."""
        query = (
            "SELECT reason, count(*) FROM trials WHERE entry = ? AND reason <> ''"
            " GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 5"
        )
        return [(visible(cells.text(reason, "a reason")), n) for reason, n in self._read(query, (entry.key,))]

    # The chain.

    def events(self) -> list[tuple[int, str, str]]:
        """Number, payload and stored hash of every event, in order: what `receipt.chain_faults` takes."""
        return [self._link(row) for row in self._read("SELECT number, payload, hash FROM events ORDER BY number")]

    @staticmethod
    def _link(row: tuple[Any, ...]) -> tuple[int, str, str]:
        number, payload, stored = row
        label = f"event {visible(str(number), 20)} of the chain: "
        return cells.whole(number, label + "number"), cells.text(payload, label + "payload"), cells.text(stored, "hash")

    def _event(self, number: int) -> Event:
        found = list(self._read("SELECT number, payload, hash FROM events WHERE number = ?", (number,)))
        if not found:
            raise WordplError(f"{str(self.path)!r} has no event {number}")
        return Event(self._link(found[0])[1])

    def _last(self) -> tuple[int, str, str]:
        """Number, hash and time of the last event."""
        for row in self._read("SELECT number, payload, hash FROM events ORDER BY number DESC LIMIT 1"):
            number, payload, stored = self._link(row)
            return number, stored, str(Event(payload).facts.get("time", ""))
        return -1, NO_EVENT, ""

    @property
    def head(self) -> str:
        """The hash of the last event: who notes it can tell later whether anything before it was changed."""
        return self._last()[1]

    def receipt(self, entry: Entry) -> Receipt:
        """What the participant keeps of an entry, as far as its run has come."""
        now = self._by_key(entry.key)
        finished = None if now.finished is None else self._event(now.finished)
        return Receipt(self._event(0), self._event(now.key), finished)

    def trials_digest(self, entry: Entry) -> str:
        """SHA-256 of all trials as they are stored, in order: part of the `finish` event."""
        return _digest(self.stored(entry))

    def standings_digest(self, entry: Entry) -> str:
        """SHA-256 of the standings as they are stored: part of the `finish` event."""
        query = f"SELECT {STANDING_COLUMNS} FROM standings WHERE entry = ? ORDER BY percentile"  # noqa: S608
        return _digest(self._read(query, (entry.key,)))

    @property
    def contest(self) -> tuple[str, str, int | None]:
        """The contest's secret, empty in a published copy; the commitment to it; the number of its `close` event."""
        found = list(self._read("SELECT secret, commitment, closed FROM contest"))
        if len(found) != 1:
            raise WordplError(f"{str(self.path)!r} holds {len(found)} contests; one is expected")
        secret, committed, closed = found[0]
        return (
            cells.text(secret, "the contest's secret"),
            cells.text(committed, "the contest's commitment"),
            None if closed is None else cells.whole(closed, "the contest's close event"),
        )

    @property
    def commitment(self) -> str:
        """To the contest's secret."""
        return self.contest[1]

    @property
    def closed(self) -> bool:
        """Whether the contest's secret is published, so that no more entries are taken."""
        return self.contest[2] is not None


def _digest(rows: Iterable[tuple[Any, ...]]) -> str:
    found = hashlib.sha256()
    for row in rows:
        try:
            found.update(canonical(row).encode() + b"\n")
        except (TypeError, ValueError):  # bytes, infinities: no wordpl writes them
            raise cells.MalformedError("a row holds what cannot be digested") from None
    return found.hexdigest()
