"""The contest's results: one SQLite file of entries, trials with their moves and clues, standings, and events.

Written by the referee alone, in whole transactions; only a running entry takes trials, and only one referee can
finish it. Every event (`receipt.py`) is a link of a chain of hashes, to which nothing is ever done but adding.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.contest import schema
from wordpl.contest.checkout import check_lists
from wordpl.contest.credit import Credit
from wordpl.contest.entries import (
    ENDED,
    FINISHED,
    ROW_COLUMNS,
    RUNNING,
    STANDING_COLUMNS,
    Entry,
    entered_facts,
    same_draws,
    stored_row,
    stored_standing,
    terms_now,
)
from wordpl.contest.evidence import Flag
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.limits import Limits
from wordpl.contest.ranking import Records, Standing, StopRule
from wordpl.contest.receipt import (
    Event,
    canonical,
    check_nonce,
    commitment,
    entry_secret,
    make_event,
    scoring_seed,
)
from wordpl.contest.sanitizing import check_name, same_name, visible
from wordpl.contest.schema import ForeignSchemaError
from wordpl.contest.submission import Submission, call_key
from wordpl.contest.tables import APPLICATION, RANKING, SCHEMA, SCHEMAS
from wordpl.displays import counted, cut, line_of
from wordpl.errors import WordplError
from wordpl.play.strategy import Setting
from wordpl.storage.files import StrPath, replaced
from wordpl.storage.sqlite import check_file

if TYPE_CHECKING:  # it comes with the sandbox, which reading a ledger does not need
    from wordpl.contest.scoring import Played


class NameTakenError(WordplError):
    """The name is another submission's."""


class Ledger(LedgerReader):
    """A contest's file. Creates it unless `must_exist`; only its owner can read it, since it holds the secret.

    With `read_only` no file is created or changed, so the file and its folder may be read-only. The file may then come
    from anybody: no code in it is run, and cells are bounded. Raises `ForeignSchemaError` for a file with other tables,
    triggers or views than a ledger has, and `WordplError` for any other file that is not a ledger.
    """

    def __init__(self, path: StrPath, *, must_exist: bool = False, read_only: bool = False) -> None:
        self.path = Path(path)
        if (must_exist or read_only) and not self.path.exists():
            raise WordplError(f"no contest file {str(self.path)!r}; wordpl submit makes one")
        try:
            check_file(self.path)
            if read_only:
                self._db = schema.open_read_only(self.path)
                self._check()
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            self._db = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
            self._db.execute("PRAGMA foreign_keys = ON")
            with self._transaction():
                if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    self._make()
                self._check()
        except (sqlite3.DatabaseError, OSError) as error:
            raise WordplError(f"{str(self.path)!r} is not a contest file that can be opened: {error}") from None

    def __repr__(self) -> str:
        try:
            n = self._db.execute("SELECT count(*) FROM entries").fetchone()[0]
        except sqlite3.Error:  # closed, or another thread's
            return line_of(self, cut(str(self.path), 160))
        return line_of(self, f"{cut(str(self.path), 160)}: {counted(n, 'entry', 'entries')}")

    def _make(self) -> None:
        self._add_tables(SCHEMA, RANKING)
        self._db.execute(f"PRAGMA application_id = {APPLICATION}")
        secret = secrets.token_hex(32)
        self._db.execute("INSERT INTO contest VALUES (1, ?, ?, NULL)", (secret, commitment(secret)))
        self._append("open", {"format": RANKING, "commitment": commitment(secret), **Records().facts})

    def _add_tables(self, statements: str, file_format: int) -> None:
        for statement in statements.split(";"):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA user_version = {file_format}")

    def _check(self) -> int:
        """Return the format of the file."""
        if self._db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise WordplError(f"{str(self.path)!r} is a database, but not of a contest")
        found = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if found not in SCHEMAS:
            raise WordplError(
                f"{str(self.path)!r} is of format {found}, which this wordpl does not read (it reads"
                f" {' and '.join(map(str, SCHEMAS))}); name a new file with --ledger"
            )
        faults = schema.faults(self._db, SCHEMAS[found])
        if faults:
            raise ForeignSchemaError(str(self.path), faults)
        return found

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
        """Return the entry of a submission on these terms: the existing one, whatever its name, or a new one.

        A new entry gets its number, and with it its secret, from the chain. `nonce` is the participant's part of the
        seed; it is drawn at random if empty. An existing entry keeps its stop rule, nonce and credit. Raises
        `WordplError` for another nonce, for another stop rule while the entry runs, for a name that another submission
        has, and for a checkout of the contest with other words.
        """
        check_lists(submission.companions, submission.checkout, setting.words)
        given = {"name": check_name(name), "sandbox": sandbox, **terms_now(setting, limits, stop or StopRule())}
        given["nonce"] = check_nonce(nonce) if nonce else secrets.token_hex(16)
        credit = credit or Credit()
        given |= {"author": credit.author, "link": credit.link, "source": credit.source(submission)}
        with self._transaction():
            kin = self._kin(submission, given)
            found = _same(kin, submission, given)
            if found is not None:
                if nonce and found.nonce != nonce:
                    raise WordplError(f"entry {found.id} has the nonce {found.nonce!r}; leave --nonce out")
                return found
            self._refuse(given, submission)
            given |= {"digest": submission.digest, "files": submission.files_digest, "call": submission.call}
            given["contest_files"] = submission.contest_files
            return self._insert({**given, "draw": len(kin) + 1})

    def _kin(self, submission: Submission, terms: dict[str, Any]) -> list[Entry]:
        """Return the entries of the same content in the same game, on whatever terms."""
        where = {"files": submission.files_digest} | {c: terms[c] for c in ("words_digest", "rule", "channel")}
        found = self._entries(" AND ".join(f"{column} = :{column}" for column in where), where)
        return [entry for entry in found if same_draws(entry.call, submission.call)]

    def _refuse(self, terms: dict[str, Any], submission: Submission) -> None:
        if self.closed:
            raise WordplError("this contest is closed: its secret is published; name a new file with --ledger")
        for other in self._entries():
            # A name belongs to the first submission that took it, and so do all that look alike.
            if (other.name, other.digest) != (terms["name"], submission.digest) and same_name(
                other.name, terms["name"]
            ):
                raise NameTakenError(
                    f"name {terms['name']!r} is taken by {other.name!r} ({other.id}); names that differ in case,"
                    " accents, signs, spaces or look-alike letters are one name, so choose another"
                )

    def _insert(self, columns: dict[str, Any]) -> Entry:
        number = self._last()[0] + 1
        secret = entry_secret(self._secret(), number)
        columns = {**columns, "commitment": commitment(secret)}
        event = self._append("enter", entered_facts(columns))
        columns |= {"key": number, "id": event.hash[:12], "entered": event.facts["time"]}
        marks = ", ".join(f":{column}" for column in columns)
        self._db.execute(f"INSERT INTO entries ({', '.join(columns)}) VALUES ({marks})", columns)  # noqa: S608
        return self._by_key(number)

    def add(self, entry: Entry, played: Sequence[Played], workers: Sequence[Mapping[str, Any]] = ()) -> bool:
        """Store finished trials in one transaction. Trials that are stored already stay as they are.

        `workers` is what the chain is to say of who has played (`machines.Parts`); nothing if it is empty. Returns
        whether the entry is still running. If not, nothing is stored.
        """
        marks = ", ".join("?" * (1 + ROW_COLUMNS.count(",") + 1))
        with self._transaction():
            running = self._by_key(entry.key).running
            if running:
                self._db.executemany(
                    f"INSERT OR IGNORE INTO trials (entry, {ROW_COLUMNS}) VALUES ({marks})",  # noqa: S608
                    [(entry.key, *stored_row(record)) for record in played],
                )
                if workers:
                    self._append("played", {"entry": self._event(entry.key).hash, "workers": list(workers)})
        return running

    def describe(self, entry: Entry, strategy: str, interface: str) -> None:
        """Store the name and the interface of a running entry's strategy."""
        with self._transaction():
            self._db.execute(
                "UPDATE entries SET strategy = ?, interface = ? WHERE key = ? AND state = ?",
                (visible(strategy), interface, entry.key, RUNNING),
            )

    def finish(
        self, entry: Entry, trials: int, standings: Sequence[Standing] = (), flag: Flag | None = None, ended: str = ""
    ) -> Entry:
        """End a running entry with its first `trials` trials, and publish its secret and its seed.

        `standings` and `flag` follow from these trials, or `ended` says why there are none. Later trials are deleted.
        An entry that is over already is returned unchanged. Raises `ValueError` if trials are missing.
        """
        with self._transaction():
            return self._finish(self._by_key(entry.key), trials, standings, flag, ended)

    def _finish(self, entry: Entry, trials: int, standings: Sequence[Standing], flag: Flag | None, ended: str) -> Entry:
        if not entry.running:
            return entry
        if self.played(entry) < trials:
            raise ValueError(f"entry {entry.id} has fewer than {trials} trials")
        self._db.execute("DELETE FROM trials WHERE entry = ? AND trial >= ?", (entry.key, trials))
        marks = ", ".join("?" * 9)
        self._db.executemany(
            f"INSERT INTO standings (entry, {STANDING_COLUMNS}) VALUES ({marks})",  # noqa: S608
            [(entry.key, *stored_standing(standing)) for standing in standings],
        )
        secret = entry_secret(self._secret(), entry.key)
        over = {
            "state": ENDED if ended else FINISHED,
            "reason": visible(ended),
            "trials": trials,
            "flag": canonical(asdict(flag)) if flag is not None else "",
            "secret": secret,
            "seed": str(scoring_seed(secret, entry.terms)),
        }
        facts = {
            **over,
            "flag": asdict(flag) if flag is not None else None,
            "entry": self._event(entry.key).hash,
            "strategy": entry.strategy,
            "interface": entry.interface,
            "trials_digest": self.trials_digest(entry),
            "standings_digest": self.standings_digest(entry),
        }
        event = self._append("finish", facts)
        over["finished"] = event.facts["number"]
        columns = ", ".join(f"{column} = :{column}" for column in over)
        self._db.execute(f"UPDATE entries SET {columns} WHERE key = :key", {**over, "key": entry.key})  # noqa: S608
        return self._by_key(entry.key)

    def clear(self, entry: Entry, reason: str) -> Entry:
        """Clear the flag of an entry, so that it is ranked. `reason` says why and is recorded in the chain."""
        if not reason.strip() or visible(reason) != reason:
            raise WordplError("a reason is needed to clear a flag: one line of visible characters")
        with self._transaction():
            now = self._by_key(entry.key)
            if not now.flagged:
                raise WordplError(f"entry {now.id} has no flag to clear")
            self._append("clear", {"entry": self._event(now.key).hash, "reason": reason})
            self._db.execute("UPDATE entries SET cleared = ? WHERE key = ?", (reason, now.key))
            return self._by_key(now.key)

    def set_records(self, budgets: Mapping[float, float], margin: float | None = None) -> Records:
        """Put new records into the chain, for entries from now on; those that are not named stay. Returns them all."""
        with self._transaction():
            now = self.records()
            records = Records({**now.budgets, **budgets}, now.margin if margin is None else margin)
            if records != now:
                self._append("records", records.facts)
            return records

    def close_contest(self) -> str:
        """Publish the contest's secret, from which every entry's follows, and take no more entries.

        Entries that are still running end without a rank. Returns the secret.
        """
        with self._transaction():
            if not self.closed:
                for entry in self._entries("state = :state", {"state": RUNNING}):
                    self._finish(entry, self.played(entry), (), None, "the contest was closed before the run was over")
                event = self._append("close", {"secret": self._secret()})
                self._db.execute("UPDATE contest SET closed = ?", (event.facts["number"],))
            return self._secret()

    def publish(self, target: StrPath) -> None:
        """Write a copy that anyone may read and audit: without the secret, until the contest is closed, without
        the trials of entries that are running, and without tokens and uploads.

        Raises `WordplError` if the file is there or cannot be written.
        """
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
                    copy.execute(f"PRAGMA user_version = {RANKING}")
                    running = "DELETE FROM trials WHERE entry IN (SELECT key FROM entries WHERE state = ?)"
                    copy.execute(running, (RUNNING,))
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
        """The scoring seed of an entry, for the referee; before its run is over nobody else may know it."""
        return scoring_seed(entry_secret(self._secret(), entry.key), entry.terms)

    # The chain.

    def _append(self, kind: str, facts: dict[str, Any]) -> Event:
        number, previous, last = self._last()
        # Never before the event before it, whatever the machine's clock does.
        now = max(datetime.now(UTC).isoformat(timespec="seconds"), last)
        event = make_event(kind, number + 1, previous, now, facts)
        self._db.execute("INSERT INTO events VALUES (?, ?, ?)", (number + 1, event.payload, event.hash))
        return event


def _same(kin: Sequence[Entry], submission: Submission, terms: dict[str, Any]) -> Entry | None:
    """The entry of this very call on these terms. Raises `WordplError` if one runs that only its stop rule tells apart.

    Without that, a run could be cut short, or started over, by naming another stop rule.
    """
    key = call_key(submission.call)
    alike = [e for e in kin if call_key(e.call) == key and all(getattr(e, c) == terms[c] for c in ("limits", "engine"))]
    for entry in alike:
        if entry.stop == terms["stop"]:
            return entry
    for entry in alike:
        if entry.running:
            raise WordplError(
                f"entry {entry.id} of this submission runs with another stop rule,"
                f" --max-trials {entry.stop_rule.max_trials}; run it to its end first"
            )
    return None
