"""The ledger: the SQLite file of one contest, with its terms, its entries, their files and every game.

One process plays at a time, and what was finished is never changed.
"""

import math
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wordpl.base.checks import DEFAULT_TRIALS, instance
from wordpl.base.displays import counted, cut, line_of
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.base.sanitizing import check_name, folded, visible
from wordpl.base.sqlite import Database, sql_columns
from wordpl.contest.limits import Limits
from wordpl.contest.permissions import check_hidden
from wordpl.contest.records import (
    FINAL,
    MARGIN,
    PROVISIONAL,
    Contest,
    Credit,
    Entry,
    PlayedGame,
    cell_of,
    hints_of,
    record_of,
    sha256,
    typed,
)
from wordpl.contest.submission import Submission, check_lists
from wordpl.model.channel import RandomizedResponse, channel_name, is_named
from wordpl.model.words import load_words
from wordpl.play.referee import Verdict
from wordpl.play.setting import Setting
from wordpl.play.specs import literal_call
from wordpl.simulation.known_budgets import RECORDS

FORMAT = 10
SECRET = "WORDPL_CONTEST_SECRET"  # noqa: S105 - the name of a variable
"""Environment variable: both seeds of a new contest follow from it, so that contests on other machines play alike."""

_SHORTEST_SECRET = 32
"""Characters. The hashes of the seeds are public, so a shorter secret could be found by trying."""


def _columns(record: type[Any], *left_out: str) -> str:
    return ", ".join(f"{name} {declaration}" for name, declaration in sql_columns(record, *left_out).items())


_SCHEMA = f"""
CREATE TABLE contest (one INTEGER PRIMARY KEY CHECK (one = 1), {_columns(Contest)});
CREATE TABLE entries (key INTEGER PRIMARY KEY, {_columns(Entry, "key")});
CREATE TABLE files (
    entry INTEGER NOT NULL REFERENCES entries(key), companion INTEGER NOT NULL, name TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (entry, companion, name));
CREATE TABLE games (
    entry INTEGER NOT NULL REFERENCES entries(key), stage TEXT NOT NULL, {_columns(PlayedGame)},
    PRIMARY KEY (entry, stage, trial)) WITHOUT ROWID
"""
_ENTRY, _GAME, _CONTEST = (", ".join(hints_of(record)) for record in (Entry, PlayedGame, Contest))


class Ledger(Database):
    """The file of a contest at `path`, which `start_contest` makes. With `read_only` nothing is changed.

    Methods raise `WordplError`, one line, for content that wordpl never writes.
    """

    kind = "contest file"
    application_id = 0x57504C43  # "WPLC"
    user_version = FORMAT
    schema = _SCHEMA
    mended_by = "give the wordpl contest submit or close that was stopped again, which resumes"

    def __init__(self, path: StrPath, *, read_only: bool = False, start: Contest | None = None) -> None:
        """Open the file at `path`; with `start`, which is a new contest, it is made if it is not there."""
        self._start = start
        if start is None and not Path(path).exists():
            raise WordplError(f"no contest file {str(path)!r}; wordpl contest start makes one")
        super().__init__(path, read_only=read_only)

    def _make(self) -> None:
        if self._start is None:
            raise WordplError(f"{str(self.path)!r} is empty; wordpl contest start makes a contest of it")
        super()._make()
        self._insert("contest", {"one": 1, **vars(self._start)})

    def __repr__(self) -> str:
        return line_of(self, cut(str(self.path), 160))

    def _read(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        try:
            for row in self._db.execute(query, values):  # noqa: UP028 - that would close the cursor, maybe too late
                yield row
        except sqlite3.Error as error:
            raise WordplError(f"{str(self.path)!r} cannot be read: {error}") from None

    def _insert(self, table: str, row: Mapping[str, object], how: str = "INSERT") -> None:
        marks = ", ".join(f":{column}" for column in row)
        cells = {column: cell_of(value) for column, value in row.items()}
        self._db.execute(f"{how} INTO {table} ({', '.join(row)}) VALUES ({marks})", cells)

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
    def playing(self) -> Iterator[None]:
        """Be the only process that plays on this ledger, for the length of the block.

        The lock goes with the process, also if that is killed. Raises `WordplError` if another process has it.
        """
        import fcntl  # not on Windows

        try:
            lock = open(f"{self.path}-lock", "ab")  # noqa: SIM115 - it is closed below
        except OSError as error:
            raise WordplError(f"cannot lock {str(self.path)!r}: {error.strerror}") from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise WordplError(
                    f"another process plays on {str(self.path)!r}; wait until it is done, and give the command again"
                ) from None
            yield

    # The contest.

    @property
    def contest(self) -> Contest:
        rows = list(self._read(f"SELECT {_CONTEST} FROM contest"))  # noqa: S608
        if len(rows) != 1:
            raise WordplError(f"{str(self.path)!r} holds {len(rows)} contests; one is expected")
        return record_of(Contest, rows[0], "the contest")

    def current(self) -> Contest:
        """The contest, to play games of it. Raises `WordplError` if another engine began it."""
        contest = self.contest
        if contest.engine != ENGINE_VERSION:
            raise WordplError(
                f"{str(self.path)!r} was begun by engine {contest.engine}, and this is engine {ENGINE_VERSION}: use the"
                " wordpl that began it"
            )
        return contest

    def mark(self, step: str) -> None:
        """Note the time of a `step`, once: `closing` when the close begins, `closed` when it ends."""
        self._db.execute(f"UPDATE contest SET {step} = ? WHERE {step} = ''", (_now(),))  # noqa: S608

    @property
    def version(self) -> str:
        """A digest that changes with what the board shows."""
        contest = self.contest
        shown = [contest.hashes, contest.closed, *self._read("SELECT id, ended FROM entries ORDER BY key")]
        shown += self._read("SELECT entry, count(*) FROM games WHERE stage = ? GROUP BY entry", contest.stage)
        return sha256(repr(shown))[:16]

    # Entries.

    def entries(self, match: str = "") -> list[Entry]:
        """The entries whose id is `match` or whose name contains it, in order of entry."""
        where = "id = ? OR instr(lower(name), lower(?))"
        rows = self._read(f"SELECT {_ENTRY} FROM entries WHERE {where} ORDER BY key", match, match)  # noqa: S608
        return [record_of(Entry, row, f"entry {visible(str(row[0]), 20)}") for row in rows]

    def entry(self, match: str) -> Entry:
        """The entry whose id or name is `match`, or the only one whose name contains it. Raises `WordplError`."""
        found = self.entries(match)
        exact = [entry for entry in found if match in (entry.id, entry.name)] or found
        if len(exact) != 1:
            raise WordplError(
                f"{str(self.path)!r} has {counted(len(exact), 'entry', 'entries')} {visible(match, 60)!r};"
                " wordpl contest board lists their ids"
            )
        return exact[0]

    def enter(self, submission: Submission, name: str, credit: Credit | None = None) -> Entry:
        """The entry of `submission`: a new one with a `name` and perhaps a `credit`, or that which was entered before.

        Raises `WordplError` for a contest that is closed, a name that another entry has or that is not allowed, lists
        of a checkout that are not the contest's, and a ledger that lies where the submission was read.
        """
        contest, credit = self.current(), credit or Credit()
        name = check_name(name)
        checkout, place = Path(submission.checkout) if submission.checkout else None, Path(submission.path)
        check_hidden(self.path, checkout=checkout, submitted=place if place.is_dir() else None)
        check_lists(submission.companions, submission.checkout, contest.setting().words)
        digest = submission.digest
        with self.transaction():
            entries = self.entries()
            for entry in entries:
                if entry.digest == digest:
                    return entry
            if contest.closing:
                raise WordplError("this contest takes no more entries: its close has begun")
            for entry in entries:
                if not entry.ended and folded(entry.name) == folded(name):
                    raise WordplError(
                        f"name {name!r} is taken by {visible(entry.name)!r} ({entry.id}); names that differ in case,"
                        " accents, signs, spaces or look-alike letters are one name, so choose another"
                    )
            entry = Entry(
                key=len(entries) + 1,
                id=digest[:12],
                digest=digest,
                name=name,
                main=submission.main,
                call=submission.call,
                contest_files=submission.contest_files,
                author=credit.author,
                link=credit.link,
                entered=_now(),
            )
            self._insert("entries", vars(entry))
            for companion, files in enumerate((submission.files, submission.companions)):
                for file, content in files.items():
                    self._insert(
                        "files", {"entry": entry.key, "companion": companion, "name": file, "content": content}
                    )
            return entry

    def submission(self, entry: Entry) -> Submission:
        """The submission that was entered as `entry`. Raises `WordplError` if the stored files are others."""
        parts: tuple[dict[str, bytes], dict[str, bytes]] = {}, {}
        for companion, name, content in self._read(
            "SELECT companion, name, content FROM files WHERE entry = ? ORDER BY companion, name", entry.key
        ):
            if companion not in (0, 1) or not isinstance(name, str) or not isinstance(content, bytes):
                raise WordplError(f"entry {entry.key}: a file is not as wordpl writes it")
            parts[companion][name] = content
        maker = literal_call(entry.call) if entry.call else None
        submission = Submission(entry.main, parts[0], entry.main, entry.call, maker, parts[1])
        if submission.digest != entry.digest:
            raise WordplError(f"the files of entry {entry.id} are not those that were entered")
        return submission

    def end(self, entry: Entry, ended: str, reason: str) -> Entry:
        """End `entry` without a rank: `ended` is what the board says of it, and `reason` is for the host."""
        self._db.execute("UPDATE entries SET ended = ?, reason = ? WHERE key = ?", (ended, visible(reason), entry.key))
        return self.entry(entry.id)

    # Games.

    def add(self, entry: Entry, stage: str, games: Iterable[PlayedGame]) -> None:
        """Store finished `games` of `entry` in a `stage`. One that is there already stays as it is."""
        with self.transaction():
            for game in games:
                self._insert("games", {"entry": entry.key, "stage": stage, **vars(game)}, "INSERT OR IGNORE")

    def games(self, entry: Entry, stage: str, first: int = 0) -> Iterator[PlayedGame]:
        """The stored games of `entry` in a `stage`, by trial, from trial `first` on."""
        where = "entry = ? AND stage = ? AND trial >= ? ORDER BY trial"
        for row in self._read(f"SELECT {_GAME} FROM games WHERE {where}", entry.key, stage, first):  # noqa: S608
            yield record_of(PlayedGame, row, f"entry {entry.id}, trial {visible(str(row[0]), 20)}")

    def reasons(self, entry: Entry, stage: str) -> dict[int, str]:
        """Trial -> why `entry` lost it in a `stage`; empty if by a wrong word. For the host until the close."""
        rows = self._read("SELECT trial, reason FROM games WHERE entry = ? AND stage = ?", entry.key, stage)
        return {typed(trial, int, "a trial"): typed(reason, str, "a reason") for trial, reason in rows}

    def results(self, entry: Entry, stage: str) -> list[tuple[Verdict, float]]:
        """Verdict and budget of each stored game of `entry` in a `stage`."""
        rows = self._read("SELECT verdict, budget FROM games WHERE entry = ? AND stage = ?", entry.key, stage)
        return [(typed(verdict, Verdict, "a verdict"), typed(budget, float, "a budget")) for verdict, budget in rows]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def start_contest(
    path: StrPath,
    setting: Setting | None = None,
    limits: Limits | None = None,
    *,
    trials: int = DEFAULT_TRIALS,
    records: Mapping[float, float] | None = None,
    margin: float = MARGIN,
) -> Contest:
    """Make the ledger of a new contest, and draw its two secret seeds.

    If the environment has WORDPL_CONTEST_SECRET, the seeds follow from that instead. Raises `WordplError` if there is a
    file, if it would lie where submissions read, and for terms that are not allowed.

    - `path`: where the ledger is made
    - `setting`: words, rule and channel of all games; by default those of the contest
    - `limits`: what an entry may use; by default as `Limits()` says
    - `trials`: games of each entry in each of the two stages
    - `records`: budget to beat, by percentile (0.05, 0.5, 0.95); by default the contest's own, if `setting` is
    - `margin`: by how much a record must be beaten, as a share of it, from 0 to 1
    """
    path, usual = Path(path), Setting(load_words())
    setting = usual if setting is None else instance("setting", setting, Setting)
    if not is_named(setting.channel):
        raise WordplError("a contest needs a channel that has a name, so that others can replay its games")
    if getattr(setting.channel, "row_epsilon", None) == math.inf:
        raise WordplError("a contest needs a channel whose clues have a finite epsilon, because it is the score")
    if records is None:
        is_usual = setting.words == usual.words and setting.rule == usual.rule
        records = RECORDS if is_usual and setting.channel is RandomizedResponse else {}
    provisional, final = _seeds()
    contest = Contest(
        words=setting.words.name,
        answers=" ".join(setting.words.answers),
        guesses=" ".join(setting.words.guesses),
        rule=setting.rule,
        channel=channel_name(setting.channel),
        limits=limits or Limits(),
        trials=trials,
        records=dict(records),
        margin=margin,
        engine=ENGINE_VERSION,
        provisional_seed=provisional,
        final_seed=final,
        started=_now(),
    )
    check_hidden(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))  # the seeds are in it
    except OSError as error:
        raise WordplError(f"cannot write {str(path)!r}: {error.strerror}") from None
    with Ledger(path, start=contest) as ledger:
        if ledger.contest != contest:
            raise WordplError(f"{str(path)!r} is there already; --ledger names another file")
    return contest


def _seeds() -> tuple[str, str]:
    secret = os.environ.get(SECRET, "")
    if not secret:
        return secrets.token_hex(32), secrets.token_hex(32)
    if len(secret) < _SHORTEST_SECRET:
        raise WordplError(f"{SECRET} is too short to be a secret; at least {_SHORTEST_SECRET} characters are expected")
    return sha256(f"wordpl contest {PROVISIONAL}\n{secret}"), sha256(f"wordpl contest {FINAL}\n{secret}")
