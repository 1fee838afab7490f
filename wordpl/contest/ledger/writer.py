"""The contest's results: one SQLite file of entries, trials with their moves and clues, standings, and events.

Written by the referee alone, in whole transactions; only a running entry takes trials, and only one referee can
finish it. Every event (`receipt.py`) is a link of a chain of hashes, to which nothing is ever done but adding.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from wordpl.base.checks import instance
from wordpl.base.displays import cut, line_of
from wordpl.base.errors import OtherFormatError, WordplError
from wordpl.base.files import StrPath, replaced
from wordpl.base.sanitizing import check_name, same_name, visible
from wordpl.base.sqlite import is_empty, open_read_only, open_to_write, schema_faults
from wordpl.contest import cells
from wordpl.contest.entrant.checkout import check_lists
from wordpl.contest.entrant.submission import Submission, call_key
from wordpl.contest.judge.evidence import Flag
from wordpl.contest.judge.ranking import RankStanding, Records, StopRule
from wordpl.contest.ledger import entries, schema
from wordpl.contest.ledger.entries import Credit, Entry, Played
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.receipt import Event, canonical, check_nonce, commitment, entry_secret, now, scoring_seed
from wordpl.contest.limits import Limits
from wordpl.contest.reach import check_out_of_reach
from wordpl.play.setting import Setting

_LARGEST_WRITTEN = 256 << 20
"""Bytes of a cell or a row; an upload has fewer."""


class NameTakenError(WordplError):
    """The name is another submission's."""


class Ledger(LedgerReader):
    """The contest's file at `path`. Creates it unless `must_exist`; only its owner can read it, since it holds the
    secret.

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
            self._db = open_to_write(self.path, _LARGEST_WRITTEN, lambda found: is_empty(found) or self._check(found))
            with self.transaction():
                if is_empty(self._db):
                    self._make()
                self._check(self._db)

    def __repr__(self) -> str:
        return line_of(self, cut(str(self.path), 160))

    def _make(self) -> None:
        self._add_tables(schema.SCHEMA, schema.RANKING)
        self._db.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        secret = secrets.token_hex(32)
        self._db.execute("INSERT INTO contest VALUES (1, ?, ?, NULL)", (secret, commitment(secret)))
        self._append("open", {"format": schema.RANKING, "commitment": commitment(secret), **Records().facts})

    def _add_tables(self, statements: str, file_format: int) -> None:
        for statement in statements.split(";"):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA user_version = {file_format}")

    def take_uploads(self) -> None:
        """Add the tables of tokens and uploads, unless they are there."""
        with self._named_errors(), self.transaction():
            if self._check(self._db) == schema.RANKING:
                self._add_tables(schema.UPLOADS, schema.WITH_UPLOADS)

    def insert(self, table: str, row: Mapping[str, object], how: str = "INSERT") -> None:
        """Insert `row`, by column, into `table`; `how` is the statement's verb."""
        marks = ", ".join(f":{column}" for column in row)
        self._db.execute(f"{how} INTO {table} ({', '.join(row)}) VALUES ({marks})", row)

    def update(self, table: str, key: int, **columns: object) -> None:
        """Set `columns` of the row with the key `key` in `table`."""
        marks = ", ".join(f"{column} = ?" for column in columns)
        self._db.execute(f"UPDATE {table} SET {marks} WHERE key = ?", (*columns.values(), key))  # noqa: S608

    def _check(self, database: sqlite3.Connection) -> int:
        """Return the format of the file. Raises `WordplError` if it is no ledger."""
        if database.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION:
            raise WordplError(f"{str(self.path)!r} is a database, but not of a contest")
        version = int(database.execute("PRAGMA user_version").fetchone()[0])
        if version not in schema.SCHEMAS:
            raise OtherFormatError(repr(str(self.path)), "a ledger", version, *schema.SCHEMAS)
        if faults := schema_faults(database, schema.SCHEMAS[version]):
            raise schema.ForeignSchemaError(str(self.path), faults)
        return version

    def check_open(self) -> None:
        """Raise `WordplError` if this contest takes no more entries: it is closed, or a copy without its secret."""
        if self.closed:
            raise WordplError("this contest is closed: its secret is published, and it takes no more entries")
        self._secret()

    # What the referee writes.

    def enter(
        self,
        name: str,
        submission: Submission,
        setting: Setting,
        limits: Limits,
        sandbox: str,
        *,
        stop: StopRule | None = None,
        nonce: str = "",
        credit: Credit | None = None,
    ) -> Entry:
        """Return the entry of `submission` on these terms: the existing one, whatever its `name`, or a new one.

        The terms are `setting`, `limits` and the `stop` rule. `sandbox` says in what it runs, and `credit` names the
        author.

        `nonce` is the participant's part of the seed; it is drawn at random if empty. An existing entry keeps its stop
        rule, nonce and credit. Raises `WordplError` for another nonce, for another stop rule while the entry runs, for
        a name that another submission has, for a checkout of the contest with other words, and for a ledger that lies
        where the submission was read.
        """
        instance("setting", setting, Setting)
        submission.check_out_of_reach(self.path)
        draft = self.draft(name, submission, setting, limits, sandbox, stop=stop, nonce=nonce, credit=credit)
        with self.transaction():
            kin, entry = self._kin(draft)
            if entry is None:
                return self._insert(replace(draft, attempt=len(kin) + 1))
            if nonce and entry.nonce != nonce:
                raise WordplError(f"entry {entry.id} has the nonce {entry.nonce!r}; leave --nonce out")
            return entry

    @staticmethod
    def draft(
        name: str,
        submission: Submission,
        setting: Setting,
        limits: Limits,
        sandbox: str = "",
        *,
        stop: StopRule | None = None,
        nonce: str = "",
        credit: Credit | None = None,
    ) -> Entry:
        """Return the entry that `enter` would make in a new ledger, without a number. Raises what that does.

        `name`, `submission`, `setting`, `limits`, `sandbox`, `stop`, `nonce` and `credit` are as in `enter`.
        """
        instance("setting", setting, Setting)
        check_lists(submission.companions, submission.checkout, setting.words)
        credit = credit or Credit()
        return replace(
            Entry.draft(submission, setting, limits, stop or StopRule()),
            name=check_name(name),
            nonce=check_nonce(nonce) if nonce else secrets.token_hex(16),
            sandbox=sandbox,
            author=credit.author,
            link=credit.link,
            source=credit.source(submission),
        )

    def find(
        self, submission: Submission, setting: Setting, limits: Limits, stop: StopRule | None = None
    ) -> Entry | None:
        """Return the entry that `enter` would return for this `submission`, `setting`, `limits` and `stop` rule, None
        if it would make one. Raises `WordplError` as that does."""
        instance("setting", setting, Setting)
        return self._kin(Entry.draft(submission, setting, limits, stop or StopRule()))[1]

    def _kin(self, draft: Entry) -> tuple[list[Entry], Entry | None]:
        """Return the entries of the same content in the same game, and the one of this very call on these terms.

        Raises `WordplError` if one runs that only its stop rule tells apart: without that, a run could be cut short, or
        started over, by naming another stop rule.
        """
        game = "files = :files AND words_digest = :words_digest AND rule = :rule AND channel = :channel"
        kin = [entry for entry in self._entries(game, vars(draft)) if entries.same_strategy(entry.call, draft.call)]
        terms = (call_key(draft.call), draft.limits, draft.engine)
        matches = [entry for entry in kin if (call_key(entry.call), entry.limits, entry.engine) == terms]
        for entry in sorted(matches, key=lambda entry: entry.stop != draft.stop):
            if entry.stop == draft.stop:
                return kin, entry
            if entry.running:
                raise WordplError(
                    f"entry {entry.id} of this submission runs with another stop rule,"
                    f" --max-trials {entry.stop_rule.max_trials}; run it to its end first"
                )
        return kin, None

    def _insert(self, draft: Entry) -> Entry:
        """Make an entry of a draft. It gets its number, and with it its secret, from the chain."""
        self.check_open()
        for other in self._entries():
            # A name belongs to the first submission that took it, and so do all that look alike.
            if (other.name, other.digest) != (draft.name, draft.digest) and same_name(other.name, draft.name):
                raise NameTakenError(
                    f"name {draft.name!r} is taken by {other.name!r} ({other.id}); names that differ in case,"
                    " accents, signs, spaces or look-alike letters are one name, so choose another"
                )
        key = self._last()[0] + 1
        draft = replace(draft, key=key, commitment=commitment(entry_secret(self._secret(), key)))
        event = self._append("enter", draft.facts(entries.ENTERED))
        entry = replace(draft, id=event.id, entered=event.facts["time"])
        self.insert("entries", vars(entry))
        return entry

    def add(self, entry: Entry, played: Sequence[Played]) -> bool:
        """Store finished trials of `entry`, `played`, unless they are there or the entry is over; returns whether it is
        still running."""
        with self.transaction():
            running = self.by_key(entry.key).running
            for record in played if running else ():
                self.insert("trials", {"entry": entry.key, **record.row}, "INSERT OR IGNORE")
        return running

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
                self.insert("standings", {"entry": entry.key, **entries.stored_standing(standing)})
            secret = entry_secret(self._secret(), entry.key)
            changes: dict[str, Any] = {
                "state": entries.ENDED if ended else entries.FINISHED,
                "reason": visible(ended),
                "trials": trials,
                "flag": canonical(asdict(flag)) if flag is not None else "",
                "secret": secret,
                "seed": str(scoring_seed(secret, entry.facts(entries.SEEDED))),
            }
            facts = replace(entry, **changes).facts(entries.ENDING) | {
                "entry": self._event(entry.key).hash,
                "trials_digest": self.trials_digest(entry),
                "standings_digest": self.standings_digest(entry),
            }
            changes["finished"] = self._append("finish", facts).facts["number"]
            self.update("entries", entry.key, **changes)
            return replace(entry, **changes)

    def clear(self, entry: Entry, reason: str) -> Entry:
        """Clear the flag of `entry`, so that it is ranked. `reason` says why and is recorded in the chain."""
        if not reason.strip() or visible(reason) != reason:
            raise WordplError("a reason is needed to clear a flag: one line of visible characters")
        with self.transaction():
            current = self.by_key(entry.key)
            if not current.flagged:
                raise WordplError(f"entry {current.id} has no flag to clear")
            self._append("clear", {"entry": self._event(current.key).hash, "reason": reason})
            self.update("entries", current.key, cleared=reason)
            return replace(current, cleared=reason)

    def set_records(self, budgets: Mapping[float, float], margin: float | None = None) -> Records:
        """Put new records into the chain, for entries from now on: `budgets` by percentile, and the `margin`. Those
        that are not named stay. Returns them all."""
        with self.transaction():
            current = self.records()
            records = Records({**current.budgets, **budgets}, current.margin if margin is None else margin)
            if records != current:
                self._append("records", records.facts)
            return records

    def close_contest(self) -> str:
        """Publish the contest's secret, and return it; end running entries without a rank, and take no more."""
        with self.transaction():
            if not self.closed:
                for entry in self._entries("state = :state", {"state": entries.RUNNING}):
                    self.finish(entry, self.played(entry), ended="the contest was closed before the run was over")
                event = self._append("close", {"secret": self._secret()})
                self._db.execute("UPDATE contest SET closed = ?", (event.facts["number"],))
            return self._secret()

    def publish(self, target: StrPath) -> None:
        """Write a copy for anyone to the file `target`, without uploads, trials of running entries and, until the
        close, the secret."""
        if os.path.lexists(target):
            raise WordplError(f"{str(target)!r} is there already; nothing was written")
        try:
            with replaced(target, must_be_new=True, mode=0o600) as beside:
                with closing(sqlite3.connect(beside, isolation_level=None)) as copy:
                    self._db.backup(copy)
                    copy.execute("PRAGMA secure_delete = ON")
                    copy.execute("UPDATE contest SET secret = '' WHERE closed IS NULL")
                    for table in ("uploads", "tokens"):
                        copy.execute(f"DROP TABLE IF EXISTS {table}")
                    copy.execute(f"PRAGMA user_version = {schema.RANKING}")
                    copy.execute("DELETE FROM trials WHERE entry IN (SELECT key FROM entries WHERE state = 'running')")
                    copy.execute("VACUUM")  # what was deleted would stay in free pages
                beside.chmod(0o644)
        except (sqlite3.Error, OSError) as error:
            raise WordplError(f"cannot write {str(target)!r}: {error}") from None

    # What the referee alone reads.

    def _secret(self) -> str:
        secret = str(self._db.execute("SELECT secret FROM contest").fetchone()[0])
        if not secret:
            raise WordplError(f"{str(self.path)!r} is a copy without the contest's secret; it takes no entries")
        return secret

    def seed(self, entry: Entry) -> int:
        """The scoring seed of `entry`, for the referee; before its run is over nobody else may know it."""
        return scoring_seed(entry_secret(self._secret(), entry.key), entry.facts(entries.SEEDED))

    # The chain.

    def _append(self, kind: str, facts: dict[str, Any]) -> Event:
        number, previous, last = self._last()
        # Never before the event before it, whatever the machine's clock does.
        event = Event.make(kind, number + 1, previous, max(now(), last), facts)
        self._db.execute("INSERT INTO events VALUES (?, ?, ?)", (number + 1, event.payload, event.hash))
        return event
