"""The queue of uploads in a ledger: what waits, what a worker has in hand, and what became of the rest.

Any number of servers and workers on one machine share it. A worker's claim to an upload is a lock of the kernel's on a
file beside the ledger, which ends with the process that holds it, however that ends; so what a killed worker had in
hand is free again at once, and no clock decides it.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wordpl.contest.conformance import Finding
from wordpl.contest.credit import Credit
from wordpl.contest.entries import Entry
from wordpl.contest.receipt import check_nonce
from wordpl.contest.sanitizing import visible
from wordpl.contest.submission import Submission
from wordpl.contest.tokens import Token, Tokens, now
from wordpl.contest.uploads import BOUNDS, Bounds, UploadError, read_upload
from wordpl.displays import cut, line_of
from wordpl.errors import WordplError
from wordpl.storage.files import StrPath

WAITING, CHECKING, SCORING, DONE, REFUSED = "waiting", "checking", "scoring", "done", "refused"
OPEN = (WAITING, CHECKING, SCORING)
MOST_WAITING = 100
"""Uploads that wait, of all tokens together."""
ATTEMPTS = 5
"""An upload whose worker is lost so many times, with no game in between, is given up."""
_LONGEST_MESSAGE = 600

_COLUMNS = (
    "key, id, (SELECT name FROM tokens WHERE key = uploads.token), token, file, call, author, link, shows_source,"
    " nonce, received, state, games, findings, reason, entry,"
    " (SELECT max(trial) + 1 FROM trials WHERE entry = uploads.entry)"
)


class QuotaError(WordplError):
    """The token's uploads of today are used up."""


class UnknownUploadError(WordplError):
    """The queue has no such upload."""


class QueueFullError(WordplError):
    """As many uploads wait as may."""


@dataclass(frozen=True)
class Upload:
    """What comes in: a .py file or a zip under its name, which class is meant, and what the entry is to say."""

    file: str
    content: bytes
    call: str = ""
    credit: Credit = field(default_factory=Credit)
    nonce: str = ""

    def submission(self, bounds: Bounds = BOUNDS) -> Submission:
        """The submission in it. Raises `WordplError` for what cannot be entered, and says what is allowed."""
        if self.nonce:
            check_nonce(self.nonce)
        found = read_upload(self.content, self.file, self.call, bounds)
        try:
            self.credit.source(found)
        except WordplError as error:
            raise UploadError(str(error), "show_source") from None
        return found

    def __repr__(self) -> str:
        return line_of(self, f"{cut(self.file)}, {len(self.content)} bytes")


@dataclass(frozen=True)
class Item:
    """An upload in the queue, without its content."""

    key: int
    id: str
    name: str
    """The token's name."""
    token: int
    file: str
    call: str
    credit: Credit
    nonce: str
    received: str
    """UTC, ISO 8601."""
    state: str
    """`waiting`, `checking`, `scoring`, `done` or `refused`; the last two are final."""
    games: int
    """Played so far: of the check, or of the entry once there is one."""
    findings: tuple[Finding, ...]
    """What the check has found; empty until it is over."""
    reason: str
    """Why it was refused or has no rank, or a remark if it is done."""
    entry: int | None
    """The key of its entry."""

    def __repr__(self) -> str:
        return line_of(self, f"{self.id} of {self.name!r}: {self.state}")


class Queue(Tokens):
    """A ledger with its queue. Close it to give back what it has claimed."""

    def __init__(self, path: StrPath, *, must_exist: bool = False) -> None:
        super().__init__(path, must_exist=must_exist)
        self._claims: _Claims | None = None
        self._file = _identity(self.path)

    @property
    def is_current(self) -> bool:
        """Whether the file at its path is still the one that was opened, and not another one or none."""
        return self._file is not None and _identity(self.path) == self._file

    def close(self) -> None:
        super().close()
        if self._claims is not None:
            self._claims.close()

    # What a server does.

    def admit(self, token: str, most_waiting: int = MOST_WAITING) -> Token:
        """Return the token of this text if an upload of it would be taken now.

        Raises `TokenError`, `QuotaError`, `QueueFullError`, or `WordplError` if the contest is closed.
        """
        found = self.token_of(token)
        if self.closed:
            raise WordplError("this contest is closed: its secret is published, and it takes no more entries")
        if found.today >= found.per_day:
            raise QuotaError(f"this token allows {found.per_day} uploads a day, and today's are used up (days are UTC)")
        if self.waiting() >= most_waiting:
            raise QueueFullError(f"{most_waiting} uploads are waiting, which is the most; try again later")
        return found

    def enqueue(self, token: str, upload: Upload, most_waiting: int = MOST_WAITING) -> Item:
        """Put an upload into the queue. Raises what `admit` raises, and `WordplError` for one that cannot be entered.

        Bound and quota hold for all servers together.
        """
        self.admit(token, most_waiting)  # before the work
        submission = upload.submission()
        with self._transaction():
            found = self.admit(token, most_waiting)
            identity, credit = secrets.token_hex(8), upload.credit
            columns = {"id": identity, "token": found.key, "file": upload.file, "call": submission.call}
            columns |= {"author": credit.author, "link": credit.link, "shows_source": int(credit.publishes_source)}
            columns |= {"nonce": upload.nonce, "received": now(), "state": WAITING, "content": upload.content}
            marks = ", ".join(f":{column}" for column in columns)
            self._db.execute(f"INSERT INTO uploads ({', '.join(columns)}) VALUES ({marks})", columns)  # noqa: S608
        return self.item(identity)

    def waiting(self, before: Item | None = None) -> int:
        """Return how many uploads wait, in all or before one of them."""
        query = "SELECT count(*) FROM uploads WHERE state = ? AND key < ?"
        key = (1 << 62) if before is None else before.key
        return int(next(self._read(query, (WAITING, key)))[0])

    def item(self, identity: str) -> Item:
        """Return the upload with this id. Raises `UnknownUploadError` if there is none."""
        for found in self._items("id = ?", (identity,)):
            return found
        raise UnknownUploadError(f"there is no upload {visible(identity, 40)!r}")

    def items(self, token: Token | None = None, most: int = 50) -> list[Item]:
        """Return the newest uploads, of one token or of all, newest first."""
        if token is None:
            return self._items("1 ORDER BY key DESC LIMIT ?", (most,))
        return self._items("token = ? ORDER BY key DESC LIMIT ?", (token.key, most))

    def upload(self, item: Item) -> Upload:
        """Return what was uploaded. Raises `WordplError` if it was refused, for then it is not kept."""
        (content,) = next(self._read("SELECT content FROM uploads WHERE key = ?", (item.key,)))
        if content is None:
            raise WordplError(f"upload {item.id} was refused, so its content is not kept")
        return Upload(item.file, content, item.call, item.credit, item.nonce)

    def _items(self, where: str, values: Sequence[object]) -> list[Item]:
        return [_item(row) for row in self._read(f"SELECT {_COLUMNS} FROM uploads WHERE {where}", values)]  # noqa: S608

    # What a worker does.

    def claim(self) -> Item | None:
        """Take the first upload that is not finished and that no process has in hand; None if there is none.

        It is this object's until `release` or `close`, or until the process ends.
        """
        if self._claims is None:
            self._claims = _Claims(self.path)
        # A look without the write lock, since mostly nothing is there.
        if not self._unfinished():
            return None
        with self._transaction():
            for item in self._unfinished():
                if self._claims.take(item.key):
                    if self._attempted(item):
                        return item
                    self._claims.give(item.key)
        return None

    def _unfinished(self) -> list[Item]:
        return self._items("state IN (?, ?, ?) ORDER BY key", OPEN)

    def _attempted(self, item: Item) -> bool:
        """Count an attempt; False for one too many, which ends the upload.

        Attempts count from the last game: a server may be started again at any time during a long run.
        """
        (attempts, games) = next(self._read("SELECT attempts, games FROM uploads WHERE key = ?", (item.key,)))
        attempts = 1 if item.games > games else attempts + 1
        if attempts > ATTEMPTS:
            reason = f"given up: what scored it was ended {ATTEMPTS} times, perhaps because memory ran out"
            if item.entry is not None:
                entry = self._by_key(item.entry)
                self._finish(entry, self.played(entry), (), None, reason)
            self._set(item, state=REFUSED, reason=reason, content=None)
            return False
        self._set(item, attempts=attempts, games=item.games if item.state == SCORING else 0)
        return True

    def release(self, item: Item, *, blameless: bool = False) -> None:
        """Give back a claim. A `blameless` attempt was ended by whoever runs the worker, and does not count."""
        if blameless:
            self._write(item, attempts=0)
        if self._claims is not None:
            self._claims.give(item.key)

    def checking(self, item: Item, games: int = 0) -> None:
        """Say that an upload is being checked, and how many games of the check are over."""
        self._write(item, state=CHECKING, games=games)

    def scoring(self, item: Item, entry: Entry, findings: Sequence[Finding]) -> None:
        """Say that an upload has passed its check and is being scored as `entry`."""
        self._write(item, state=SCORING, entry=entry.key, findings=_stored(findings), games=0)

    def done(self, item: Item, reason: str = "") -> None:
        """Say that an upload is scored: its entry is over. Its content is kept, so that its games can be replayed."""
        self._write(item, state=DONE, reason=visible(reason, _LONGEST_MESSAGE))

    def refuse(self, item: Item, reason: str, findings: Sequence[Finding] = ()) -> None:
        """Say why an upload is not scored. Its content is not kept."""
        shown = visible(reason, _LONGEST_MESSAGE)
        self._write(item, state=REFUSED, reason=shown, findings=_stored(findings), content=None)

    def _write(self, item: Item, **values: object) -> None:
        with self._transaction():
            self._set(item, **values)

    def _set(self, item: Item, **values: object) -> None:
        columns = ", ".join(f"{column} = ?" for column in values)
        self._db.execute(f"UPDATE uploads SET {columns} WHERE key = ?", (*values.values(), item.key))  # noqa: S608


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from others; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _item(row: Sequence[Any]) -> Item:
    # The ledger is the server's own file, and this module alone writes the table, so its cells are what they should be.
    key, identity, name, token, file, call, author, link, shows_source, nonce = row[:10]
    received, state, games, findings, reason, entry, played = row[10:]
    credit = Credit(author, link, bool(shows_source))
    found = tuple(Finding(**finding) for finding in json.loads(findings))
    games = games if entry is None else played or 0
    return Item(key, identity, name, token, file, call, credit, nonce, received, state, games, found, reason, entry)


def _stored(findings: Sequence[Finding]) -> str:
    return json.dumps(
        [asdict(finding) | {"message": visible(finding.message, _LONGEST_MESSAGE)} for finding in findings]
    )


class _Claims:
    """Locks on single bytes of a file, one byte for each upload.

    Locks of an open file description (fcntl(2), F_OFD_SETLK): they belong to this object alone, not to the process.
    """

    def __init__(self, ledger: Path) -> None:
        path = ledger.with_name(f"{ledger.name}-claims")
        self._file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._held: set[int] = set()  # the kernel would give it the same byte again

    def take(self, key: int) -> bool:
        """Lock a byte; False if it is locked, here or elsewhere."""
        if key in self._held:
            return False
        try:
            self._lock(fcntl.F_WRLCK, key)
        except (BlockingIOError, PermissionError):
            return False
        self._held.add(key)
        return True

    def give(self, key: int) -> None:
        self._lock(fcntl.F_UNLCK, key)
        self._held.discard(key)

    def _lock(self, kind: int, key: int) -> None:
        fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", kind, os.SEEK_SET, key, 1, 0))

    def close(self) -> None:
        os.close(self._file)
