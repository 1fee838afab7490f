"""The contest's results: one SQLite file of entries, trials with their moves and clues, and standings.

Written by the referee alone, in whole transactions; only a running entry takes trials, and only one referee can
finish it. What was entered and what was finished is never changed.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath, replaced
from wordpl.base.sanitizing import same_name, visible
from wordpl.contest.judge.evidence import Flag
from wordpl.contest.judge.ranking import RankStanding, Records, Row
from wordpl.contest.ledger import cells, entries
from wordpl.contest.ledger.cells import stored
from wordpl.contest.ledger.entries import SEEDED, Entry
from wordpl.contest.ledger.opening import is_empty, open_read_only, open_to_write
from wordpl.contest.ledger.reader import APPLICATION, FORMAT, SCHEMA, Contest, LedgerReader
from wordpl.contest.ledger.seeds import commitment, entry_secret, now, scoring_seed
from wordpl.contest.permissions import check_hidden
from wordpl.contest.submission import Submission, call_key

_LARGEST_WRITTEN = 256 << 20
"""Bytes of a cell or a row."""


class NameTakenError(WordplError):
    """The name is another submission's."""


class Ledger(LedgerReader):
    """A contest's file at `path`, which its referee writes. Made unless `must_exist`; only its owner can read it.

    With `read_only` no file is made or changed, as in `LedgerReader`.
    """

    def __init__(self, path: StrPath, *, must_exist: bool = False, read_only: bool = False) -> None:
        self.path = Path(path)
        if (must_exist or read_only) and not self.path.exists():
            raise WordplError(f"no contest file {str(self.path)!r}; wordpl contest submit makes one")
        if not self.path.exists():
            check_hidden(self.path)  # of a submission's own places `enter` knows
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

    def _make(self) -> None:
        for statement in SCHEMA.split(";"):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA user_version = {FORMAT}")
        self._db.execute(f"PRAGMA application_id = {APPLICATION}")
        secret = secrets.token_hex(32)
        self.insert("contest", {"one": 1, **vars(Contest(secret, commitment(secret), Records(), closed=""))})

    def insert(self, table: str, row: Mapping[str, object], how: str = "INSERT") -> None:
        """Insert a `row`, cells by column, into `table`; `how` is the statement's begin."""
        marks = ", ".join(f":{column}" for column in row)
        cells_of_row = {column: stored(value) for column, value in row.items()}
        self._db.execute(f"{how} INTO {table} ({', '.join(row)}) VALUES ({marks})", cells_of_row)

    def update(self, table: str, key: int, **columns: object) -> None:
        """Set `columns` of the row of `table` with this `key`."""
        marks = ", ".join(f"{column} = ?" for column in columns)
        self._db.execute(f"UPDATE {table} SET {marks} WHERE key = ?", (*map(stored, columns.values()), key))  # noqa: S608

    def _check_if_any(self, database: sqlite3.Connection) -> None:
        if not is_empty(database):
            self._check(database)

    def check_open(self) -> None:
        """Raise `WordplError` if this contest takes no more entries: it is closed, or a copy without its secret."""
        if self.contest.closed:
            raise WordplError("this contest is closed: its secret is published, and it takes no more entries")
        self._secret()

    def publish(self, target: StrPath) -> None:
        """Write a copy for anyone to `target`: no trials of running entries, until the close no secret."""
        if os.path.lexists(target):
            raise WordplError(f"{str(target)!r} is there already; nothing was written")
        try:
            with (
                replaced(target, must_be_new=True, mode=0o644) as beside,
                TemporaryDirectory(prefix="wordpl-") as folder,  # a kill must not leave the secret beside the target
                closing(sqlite3.connect(Path(folder, "copy"), isolation_level=None)) as copy,
            ):
                self._db.backup(copy)
                copy.execute("UPDATE contest SET secret = '' WHERE closed = ''")
                copy.execute("DELETE FROM trials WHERE entry IN (SELECT key FROM entries WHERE state = 'running')")
                copy.execute("VACUUM INTO ?", (str(beside),))  # without what was deleted
        except (sqlite3.Error, OSError) as error:
            raise WordplError(f"cannot write {str(target)!r}: {error}") from None

    def _secret(self) -> str:
        secret = str(self._db.execute("SELECT secret FROM contest").fetchone()[0])
        if not secret:
            raise WordplError(f"{str(self.path)!r} is a copy without the contest's secret; it takes no entries")
        return secret

    def seed(self, entry: Entry) -> int:
        """Return the scoring seed of `entry`; before its run is over nobody but the referee may know it."""
        return scoring_seed(entry_secret(self._secret(), entry.key), entry.facts(SEEDED))

    def enter(self, draft: Entry, submission: Submission) -> Entry:
        """Return the entry of `submission` by its `draft`: an existing one on these terms, or a new one.

        An existing entry keeps its stop rule, nonce and credit. Raises `WordplError` as `find` does, for another nonce,
        for a name that another submission has, and for a ledger that lies where the submission was read.
        """
        submission.check_hidden(self.path)
        with self.transaction():
            entry = self.find(draft)
            if entry is None:
                return self._insert(draft)
            if draft.nonce not in ("", entry.nonce):
                raise WordplError(f"entry {entry.id} has the nonce {entry.nonce!r}; leave --nonce out")
            return entry

    def _kin(self, draft: Entry) -> list[Entry]:
        """The entries of the same content in the same game."""
        game = "files = :files AND words_digest = :words_digest AND rule = :rule AND channel = :channel"
        return [entry for entry in self._entries(game, vars(draft)) if entries.same_strategy(entry.call, draft.call)]

    def find(self, draft: Entry) -> Entry | None:
        """Return the entry of this very call on the terms of `draft`; None if there is none yet.

        Raises `WordplError` if one runs that only its stop rule tells apart: without that, a run could be cut short, or
        started over, by naming another stop rule.
        """
        terms = (call_key(draft.call), draft.limits, draft.engine)
        matches = [e for e in self._kin(draft) if (call_key(e.call), e.limits, e.engine) == terms]
        for entry in sorted(matches, key=lambda entry: entry.stop != draft.stop):
            if entry.stop == draft.stop:
                return entry
            if entry.running:
                raise WordplError(
                    f"entry {entry.id} of this submission runs with another stop rule,"
                    f" --max-trials {entry.stop_rule.max_trials}; run it to its end first"
                )
        return None

    def _insert(self, draft: Entry) -> Entry:
        """Make an entry of a draft, with the next number, from which its secret follows."""
        self.check_open()
        for other in self._entries():
            # A name belongs to the first submission that took it, and so do all that look alike.
            if (other.name, other.digest) != (draft.name, draft.digest) and same_name(other.name, draft.name):
                raise NameTakenError(
                    f"name {draft.name!r} is taken by {other.name!r} ({other.id}); names that differ in case,"
                    " accents, signs, spaces or look-alike letters are one name, so choose another"
                )
        (last,) = next(self.read("SELECT ifnull(max(key), 0) FROM entries"))
        hidden = commitment(entry_secret(self._secret(), last + 1))
        nonce, attempt = draft.nonce or secrets.token_hex(16), len(self._kin(draft)) + 1
        entry = replace(draft, key=last + 1, nonce=nonce, attempt=attempt, commitment=hidden, entered=now())
        entry = replace(entry, records=self.contest.records)  # before the id, which is a hash of these, too
        entry = replace(entry, id=entry.own_id)
        self.insert("entries", vars(entry))
        return entry

    def add(self, entry: Entry, rows: Iterable[Row]) -> int | None:
        """Store `rows`, finished trials of `entry`; returns how many are new, or None if the entry is over."""
        with self.transaction():
            if not self.by_key(entry.key).running:
                return None
            before = self._db.total_changes
            for row in rows:
                self.insert("trials", {"entry": entry.key, **vars(row)}, "INSERT OR IGNORE")
            return self._db.total_changes - before

    def describe(self, entry: Entry, strategy: str, interface: str) -> None:
        """Store what the `strategy` of a running `entry` calls itself, and its `interface`."""
        change = "UPDATE entries SET strategy = ?, interface = ? WHERE key = ? AND state = ?"
        self._db.execute(change, (visible(strategy), interface, entry.key, entries.RUNNING))

    def finish(
        self,
        entry: Entry,
        trials: int,
        standings: Sequence[RankStanding] = (),
        flag: Flag | None = None,
        ended: str = "",
    ) -> Entry:
        """End a running `entry` with its first `trials` trials, delete later ones, and publish its secret and its seed.

        `standings` and `flag` follow from these trials, or `ended` says why there are none. An entry that is over
        already is returned unchanged. Raises `ValueError` if trials are missing. A caller's transaction goes on.
        """
        with nullcontext() if self._db.in_transaction else self.transaction():
            entry = self.by_key(entry.key)
            if not entry.running:
                return entry
            if self.played(entry) < trials:
                raise ValueError(f"entry {entry.id} has fewer than {trials} trials")
            self._db.execute("DELETE FROM trials WHERE entry = ? AND trial >= ?", (entry.key, trials))
            for standing in standings:
                self.insert("standings", {"entry": entry.key, **vars(standing)})
            secret = entry_secret(self._secret(), entry.key)
            changes: dict[str, Any] = {
                "state": entries.ENDED if ended else entries.FINISHED,
                "reason": visible(ended),
                "trials": trials,
                "flag": flag,
                "secret": secret,
                "seed": str(scoring_seed(secret, entry.facts(entries.SEEDED))),
                "finished": now(),
                "trials_digest": self.trials_digest(entry),
            }
            changes["results_digest"] = entries.digest_of_results(
                replace(entry, **changes), self.stored_standings(entry)
            )
            self.update("entries", entry.key, **changes)
            return replace(entry, **changes)

    def clear(self, entry: Entry, reason: str) -> Entry:
        """Clear the flag of `entry`, so that it is ranked. `reason` says why and is shown."""
        if not reason.strip() or visible(reason) != reason:
            raise WordplError("a reason is needed to clear a flag: one line of visible characters")
        with self.transaction():
            current = self.by_key(entry.key)
            if not current.flagged:
                raise WordplError(f"entry {current.id} has no flag to clear")
            self.update("entries", current.key, cleared=reason)
            return replace(current, cleared=reason)

    def set_records(self, budgets: Mapping[float, float], margin: float | None = None) -> Records:
        """Set the records for entries from now on: `budgets` by percentile, and the `margin`. What is not named stays.

        Returns them all.
        """
        with self.transaction():
            current = self.contest.records
            records = Records({**current.budgets, **budgets}, current.margin if margin is None else margin)
            self._db.execute("UPDATE contest SET records = ?", (stored(records),))
            return records

    def close_contest(self) -> str:
        """Publish the contest's secret, and return it; end running entries without a rank, and take no more."""
        with self.transaction():
            if not self.contest.closed:
                for entry in self._entries("state = :state", {"state": entries.RUNNING}):
                    self.finish(entry, self.played(entry), ended="the contest was closed before the run was over")
                self._secret()  # which a copy has not
                self._db.execute("UPDATE contest SET closed = ?", (now(),))
            return self._secret()
