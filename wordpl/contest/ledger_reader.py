"""Reading a contest's file: what `Ledger` says of entries, trials, standings and the chain of events."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.contest.entries import ROW_COLUMNS, STANDING_COLUMNS, Entry, Row, read_row, read_standing
from wordpl.contest.evidence import COLUMNS
from wordpl.contest.ranking import Outcomes, Standing
from wordpl.contest.receipt import NO_EVENT, Event, Receipt, canonical
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError
from wordpl.play.referee import Verdict
from wordpl.storage.sqlite import Database

_COLUMNS = ", ".join(Entry.__dataclass_fields__)


class LedgerReader(Database):
    """An open contest file."""

    path: Path

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, whatever others write meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")

    # Entries.

    def _entries(self, where: str = "1", values: dict[str, Any] | None = None) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entries WHERE {where} ORDER BY key"  # noqa: S608
        return [Entry(*row) for row in self._db.execute(query, values or {})]

    def _by_key(self, key: int) -> Entry:
        return self._entries("key = :key", {"key": key})[0]

    def entries(self, match: str = "") -> list[Entry]:
        """The entries whose id is, or whose name contains, `match`, in order of entry."""
        return self._entries("id = :match OR instr(lower(name), lower(:match))", {"match": match})

    def entry(self, identity: str) -> Entry:
        """The entry with this id. Raises `WordplError` if there is none."""
        found = self._entries("id = :id", {"id": identity})
        if not found:
            raise WordplError(f"{str(self.path)!r} has no entry {identity!r}; wordpl leaderboard lists them")
        return found[0]

    def standings(self, entry: Entry) -> list[Standing]:
        """The standings that were published; none for a run that is not over."""
        query = f"SELECT {STANDING_COLUMNS} FROM standings WHERE entry = ? ORDER BY percentile"  # noqa: S608
        return [read_standing(row, entry.trials or 0) for row in self._db.execute(query, (entry.key,))]

    # Trials.

    def rows(self, entry: Entry) -> Iterator[Row]:
        """The trials, in order."""
        return map(read_row, self._rows(entry))

    def _rows(self, entry: Entry) -> Iterable[tuple[Any, ...]]:
        return self._db.execute(f"SELECT {ROW_COLUMNS} FROM trials WHERE entry = ? ORDER BY trial", (entry.key,))  # noqa: S608

    def missing(self, entry: Entry, trials: int) -> list[int]:
        """Trials below `trials` that are not there yet."""
        query = "SELECT trial FROM trials WHERE entry = ? AND trial < ?"
        there = {row[0] for row in self._db.execute(query, (entry.key, trials))}
        return [trial for trial in range(trials) if trial not in there]

    def played(self, entry: Entry) -> int:
        """How many trials there are before the first one that is missing."""
        done = 0
        for (trial,) in self._db.execute("SELECT trial FROM trials WHERE entry = ? ORDER BY trial", (entry.key,)):
            if trial != done:
                break
            done += 1
        return done

    def outcomes(self, entry: Entry, trials: int | None = None) -> Outcomes:
        """What ranks an entry: its trials before the first one that is missing, at most `trials` of them."""
        query = "SELECT trial, budget, chance, verdict, evidence FROM trials WHERE entry = ? ORDER BY trial LIMIT ?"
        found = []
        for i, (trial, *row) in enumerate(self._db.execute(query, (entry.key, -1 if trials is None else trials))):
            if trial != i:
                break
            found.append(row)
        budgets = [math.inf if budget is None else budget for budget, *_ in found]
        evidence = np.array([json.loads(row[3]) for row in found], dtype=np.float64)
        return Outcomes(
            np.array(budgets, dtype=np.float64),
            np.array([row[1] for row in found], dtype=np.float64),
            np.array([row[2] == Verdict.WIN for row in found], dtype=np.bool_),
            evidence.reshape(len(found), COLUMNS),
        )

    def verdicts(self, entry: Entry) -> dict[str, int]:
        """How many trials ended in each way."""
        query = "SELECT verdict, count(*) FROM trials WHERE entry = ? GROUP BY verdict"
        counts = dict(self._db.execute(query, (entry.key,)).fetchall())
        return {str(verdict): counts.get(str(verdict), 0) for verdict in Verdict}

    def reasons(self, entry: Entry) -> list[tuple[str, int]]:
        """Why trials were lost by anything but a wrong proposal, the commonest first."""
        query = (
            "SELECT reason, count(*) FROM trials WHERE entry = ? AND reason <> ''"
            " GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 5"
        )
        return [(visible(reason), n) for reason, n in self._db.execute(query, (entry.key,))]

    # The chain.

    def events(self) -> list[tuple[int, str, str]]:
        """Number, payload and stored hash of every event, in order: what `receipt.chain_faults` takes."""
        return self._db.execute("SELECT number, payload, hash FROM events ORDER BY number").fetchall()

    def _event(self, number: int) -> Event:
        return Event(self._db.execute("SELECT payload FROM events WHERE number = ?", (number,)).fetchone()[0])

    def _last(self) -> tuple[int, str, str]:
        """Number, hash and time of the last event."""
        row = self._db.execute("SELECT number, payload, hash FROM events ORDER BY number DESC LIMIT 1").fetchone()
        return (row[0], row[2], str(Event(row[1]).facts.get("time", ""))) if row else (-1, NO_EVENT, "")

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
        return _digest(self._rows(entry))

    def standings_digest(self, entry: Entry) -> str:
        """SHA-256 of the standings as they are stored: part of the `finish` event."""
        query = f"SELECT {STANDING_COLUMNS} FROM standings WHERE entry = ? ORDER BY percentile"  # noqa: S608
        return _digest(self._db.execute(query, (entry.key,)))

    @property
    def commitment(self) -> str:
        """To the contest's secret."""
        return str(self._db.execute("SELECT commitment FROM contest").fetchone()[0])

    @property
    def closed(self) -> bool:
        """Whether the contest's secret is published, so that no more entries are taken."""
        return self._db.execute("SELECT closed FROM contest").fetchone()[0] is not None


def _digest(rows: Iterable[tuple[Any, ...]]) -> str:
    found = hashlib.sha256()
    for row in rows:
        found.update(canonical(row).encode() + b"\n")
    return found.hexdigest()
