"""The contest's results: one SQLite file of submissions, trials with their moves and clues, and standings.

Written by the referee alone, in transactions. The scoring seed of a submission is drawn when it is entered;
its commitment can be published at once, the seed itself only when the run is over.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.contest.limits import Limits
from wordpl.contest.names import check_name, same_name, visible
from wordpl.contest.ranking import Standing
from wordpl.contest.scoring import Played
from wordpl.contest.submission import Submission
from wordpl.database import Database
from wordpl.errors import WordplError
from wordpl.game import Verdict
from wordpl.strategy import Setting
from wordpl.trials import ENGINE_VERSION

FORMAT = 1
_APPLICATION = 0x57504C43  # "WPLC"

_SCHEMA = """
CREATE TABLE submissions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, digest TEXT NOT NULL, call TEXT NOT NULL,
    words TEXT NOT NULL, words_digest TEXT NOT NULL, rule TEXT NOT NULL, limits TEXT NOT NULL,
    engine INTEGER NOT NULL, commitment TEXT NOT NULL, seed TEXT, nonce TEXT, sandbox TEXT NOT NULL,
    strategy TEXT NOT NULL DEFAULT '', interface TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, reason TEXT NOT NULL,
    entered REAL NOT NULL);
CREATE TABLE secrets (submission INTEGER PRIMARY KEY REFERENCES submissions(key), seed TEXT NOT NULL,
    nonce TEXT NOT NULL);
CREATE TABLE trials (
    submission INTEGER NOT NULL REFERENCES submissions(key), trial INTEGER NOT NULL, answer TEXT NOT NULL,
    proposed TEXT, verdict TEXT NOT NULL, reason TEXT NOT NULL, budget REAL, asks INTEGER NOT NULL, log TEXT NOT NULL,
    errors TEXT NOT NULL, seconds REAL NOT NULL, slowest REAL NOT NULL,
    PRIMARY KEY (submission, trial)) WITHOUT ROWID;
CREATE TABLE standings (
    submission INTEGER NOT NULL REFERENCES submissions(key), percentile REAL NOT NULL, budget REAL,
    win_rate REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, sampled REAL, trials INTEGER NOT NULL,
    PRIMARY KEY (submission, percentile)) WITHOUT ROWID
"""

_COLUMNS = (
    "key, id, name, digest, call, words, words_digest, rule, limits, engine, commitment, seed, nonce, sandbox,"
    " strategy, interface, state, reason, entered"
)


@dataclass(frozen=True)
class Entry:
    """A submission in the ledger. `seed` and `nonce` are None until the run is over."""

    key: int
    id: str
    name: str
    digest: str
    call: str
    words: str
    words_digest: str
    rule: str
    limits: str
    engine: int
    commitment: str
    seed: str | None
    nonce: str | None
    sandbox: str
    strategy: str
    interface: str
    state: str
    """`running`, `finished`, or `ended` for one that could not be started."""
    reason: str
    entered: float


@dataclass(frozen=True)
class Row:
    """A trial in the ledger; `log` holds (guess, epsilon, clue code) of each ask."""

    trial: int
    answer: str
    proposed: str | None
    verdict: str
    reason: str
    budget: float
    log: list[tuple[str, float, int]]
    errors: str
    seconds: float
    slowest: float


def commitment(seed: int, nonce: str) -> str:
    """What is published before a run: SHA-256 of the scoring seed and a nonce."""
    return hashlib.sha256(f"wordpl contest seed {seed} nonce {nonce}".encode()).hexdigest()


class Ledger(Database):
    """A contest's file. Makes it unless `must_exist`; only its owner can read it, since it holds the seeds."""

    def __init__(self, path: str | Path, *, must_exist: bool = False) -> None:
        self.path = Path(path)
        if must_exist and not self.path.is_file():
            raise WordplError(f"no contest file {str(self.path)!r}; wordpl submit makes one")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            self._db = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
            self._open()
        except (sqlite3.DatabaseError, OSError) as error:
            raise WordplError(f"{str(self.path)!r} is not a contest file that can be opened: {error}") from None

    def _open(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        with self._transaction():
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            application = self._db.execute("PRAGMA application_id").fetchone()[0]
            if not tables:
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {FORMAT}")
            elif application != _APPLICATION:
                raise WordplError(f"{str(self.path)!r} is a database, but not of a contest")
            elif self._db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                raise WordplError(f"{str(self.path)!r} is of another format than this wordpl's, {FORMAT}")

    # What the referee writes.

    def enter(self, name: str, submission: Submission, setting: Setting, limits: Limits, sandbox: str) -> Entry:
        """The entry of a submission: the one that is there with the same name, files and settings, or a new one.

        A new one gets a fresh secret seed; so the same submission is never given a second draw.
        """
        name = check_name(name)
        same = {
            "name": name,
            "digest": submission.digest,
            "words_digest": setting.words.digest,
            "rule": setting.rule,
            "limits": json.dumps(asdict(limits), sort_keys=True),
            "engine": ENGINE_VERSION,
        }
        where = " AND ".join(f"{column} = :{column}" for column in same)
        with self._transaction():
            found = self._db.execute(f"SELECT {_COLUMNS} FROM submissions WHERE {where}", same).fetchone()  # noqa: S608
            if found is not None:
                return Entry(*found)
            self._check_free(name, submission.digest)
            seed, nonce = secrets.randbits(256), secrets.token_hex(32)
            row = {
                **same,
                "id": secrets.token_hex(6),
                "call": submission.call,
                "words": setting.words.name,
                "commitment": commitment(seed, nonce),
                "sandbox": sandbox,
                "state": "running",
                "reason": "",
                "entered": time.time(),
            }
            columns = ", ".join(row)
            marks = ", ".join(f":{column}" for column in row)
            key = self._db.execute(f"INSERT INTO submissions ({columns}) VALUES ({marks})", row).lastrowid  # noqa: S608
            self._db.execute("INSERT INTO secrets VALUES (?, ?, ?)", (key, str(seed), nonce))
        return self.entry(str(row["id"]))

    def _check_free(self, name: str, digest: str) -> None:
        """A name belongs to the first submission that took it, and so do all that look alike."""
        for taken, owner, identity in self._db.execute("SELECT name, digest, id FROM submissions"):
            if (taken, owner) != (name, digest) and same_name(taken, name):
                raise WordplError(
                    f"name {name!r} is taken by {taken!r} ({identity}); names that differ in case, accents, signs,"
                    " spaces or look-alike letters are one name, so choose another"
                )

    def secret(self, entry: Entry) -> int:
        """The scoring seed, for the referee."""
        row = self._db.execute("SELECT seed FROM secrets WHERE submission = ?", (entry.key,)).fetchone()
        return int(row[0])

    def add(self, entry: Entry, played: Sequence[Played]) -> None:
        """Keep finished trials, in one transaction; those that are there already stay as they are."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_trial(entry.key, record) for record in played],
            )

    def describe(self, entry: Entry, strategy: str, interface: str) -> None:
        """Keep what the strategy calls itself."""
        with self._transaction():
            self._db.execute(
                "UPDATE submissions SET strategy = ?, interface = ? WHERE key = ?",
                (visible(strategy), interface, entry.key),
            )

    def finish(self, entry: Entry, standings: Sequence[Standing], trials: int, ended: str = "") -> Entry:
        """Publish the seed, and the standings or why there are none."""
        with self._transaction():
            self._db.execute(
                "UPDATE submissions SET state = ?, reason = ?,"
                " seed = (SELECT seed FROM secrets WHERE submission = key),"
                " nonce = (SELECT nonce FROM secrets WHERE submission = key) WHERE key = ?",
                ("ended" if ended else "finished", visible(ended), entry.key),
            )
            self._db.execute("DELETE FROM standings WHERE submission = ?", (entry.key,))
            self._db.executemany(
                "INSERT INTO standings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (entry.key, s.percentile, _finite(s.budget), s.win_rate, *s.interval, _finite(s.sampled), trials)
                    for s in standings
                ],
            )
        return self.entry(entry.id)

    # What anyone reads.

    def entries(self, match: str = "") -> list[Entry]:
        """The submissions whose id is, or whose name contains, `match`, in order of entry."""
        query = f"SELECT {_COLUMNS} FROM submissions WHERE id = ? OR instr(lower(name), lower(?)) ORDER BY key"  # noqa: S608
        return [Entry(*row) for row in self._db.execute(query, (match, match))]

    def entry(self, identity: str) -> Entry:
        """The submission with this id."""
        query = f"SELECT {_COLUMNS} FROM submissions WHERE id = ?"  # noqa: S608
        return Entry(*self._db.execute(query, (identity,)).fetchone())

    def missing(self, entry: Entry, trials: int) -> list[int]:
        """Trials below `trials` that are not there yet."""
        query = "SELECT trial FROM trials WHERE submission = ? AND trial < ?"
        there = {row[0] for row in self._db.execute(query, (entry.key, trials))}
        return [trial for trial in range(trials) if trial not in there]

    def count(self, entry: Entry) -> int:
        """How many trials are there."""
        return int(self._db.execute("SELECT count(*) FROM trials WHERE submission = ?", (entry.key,)).fetchone()[0])

    def scores(self, entry: Entry, trials: int | None = None) -> NDArray[np.float64]:
        """Budget of each won trial, infinity of each lost one: [trials], in order of trial."""
        query = "SELECT verdict, budget FROM trials WHERE submission = ? AND trial < ? ORDER BY trial"
        rows = self._db.execute(query, (entry.key, trials if trials is not None else 1 << 62))
        return np.array([b if v == Verdict.WIN and b is not None else math.inf for v, b in rows], dtype=np.float64)

    def verdicts(self, entry: Entry) -> dict[str, int]:
        """How many trials ended in each way."""
        query = "SELECT verdict, count(*) FROM trials WHERE submission = ? GROUP BY verdict"
        counts = dict(self._db.execute(query, (entry.key,)).fetchall())
        return {str(verdict): counts.get(str(verdict), 0) for verdict in Verdict}

    def reasons(self, entry: Entry) -> list[tuple[str, int]]:
        """Why trials were lost by anything but a wrong proposal, the commonest first."""
        query = (
            "SELECT reason, count(*) FROM trials WHERE submission = ? AND reason <> ''"
            " GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 5"
        )
        return [(visible(reason), n) for reason, n in self._db.execute(query, (entry.key,))]

    def rows(self, entry: Entry) -> Iterator[Row]:
        """The trials, in order."""
        query = (
            "SELECT trial, answer, proposed, verdict, reason, budget, log, errors, seconds, slowest FROM trials"
            " WHERE submission = ? ORDER BY trial"
        )
        for trial, answer, proposed, verdict, reason, budget, log, *rest in self._db.execute(query, (entry.key,)):
            turns = [(guess, float(epsilon), clue) for guess, epsilon, clue in json.loads(log)]
            yield Row(trial, answer, proposed, verdict, reason, math.inf if budget is None else budget, turns, *rest)

    def standings(self, entry: Entry) -> tuple[list[Standing], int]:
        """The standings that were published, and after how many trials; none for a run that is not over."""
        query = "SELECT percentile, budget, win_rate, low, high, sampled, trials FROM standings WHERE submission = ?"
        rows = self._db.execute(query + " ORDER BY percentile", (entry.key,)).fetchall()
        found = [Standing(q, _infinite(b), rate, (low, high), _infinite(s)) for q, b, rate, low, high, s, _ in rows]
        return found, rows[0][6] if rows else 0


def _trial(key: int, record: Played) -> tuple[Any, ...]:
    game = record.game
    log = json.dumps([[turn.guess, turn.epsilon, turn.clue] for turn in game.history])
    return (
        key,
        game.trial,
        game.answer,
        game.proposed,
        str(game.verdict),
        game.reason,
        _finite(game.budget),
        len(game.history),
        log,
        record.errors,
        game.seconds,
        game.slowest,
    )


def _finite(value: float) -> float | None:
    """As SQL has it: NULL for an infinity."""
    return value if math.isfinite(value) else None


def _infinite(value: float | None) -> float:
    return math.inf if value is None else value
