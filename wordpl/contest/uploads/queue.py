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
from typing import Annotated, Any

from wordpl.contest.entrant.submission import Submission
from wordpl.contest.ledger.credit import Credit
from wordpl.contest.ledger.receipt import check_nonce
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.run.conformance import Finding
from wordpl.contest.uploads.package import UploadError, read_upload
from wordpl.contest.uploads.tokens import Token, Tokens, now
from wordpl.errors import WordplError
from wordpl.records import Doc
from wordpl.storage.files import StrPath
from wordpl.text.sanitizing import visible

WAITING, CHECKING, SCORING, DONE, REFUSED = "waiting", "checking", "scoring", "done", "refused"
OPEN = (WAITING, CHECKING, SCORING)
ATTEMPTS = 5
"""An upload whose worker is lost so many times, with no game in between, is given up."""
_LONGEST_MESSAGE = 600

_COLUMNS = (
    "id, (SELECT name FROM tokens WHERE key = uploads.token), file, call, author, link, shows_source, nonce, received,"
    " state, iif(entry IS NULL, games, (SELECT ifnull(max(trial) + 1, 0) FROM trials WHERE entry = uploads.entry)),"
    " findings, reason, (SELECT id FROM entries WHERE key = uploads.entry), key, token"
)


class QuotaError(WordplError):
    """The token's uploads of today are used up."""


class UnknownUploadError(WordplError):
    """The queue has no such upload."""


@dataclass(frozen=True)
class Upload:
    """What comes in: a .py file or a zip under its name, which class is meant, and what the entry is to say."""

    file: str
    content: bytes = field(repr=False)
    call: str = ""
    credit: Credit = field(default_factory=Credit)
    nonce: str = ""

    def submission(self, checkout: Path | None = None) -> Submission:
        """The submission in it, with what it uses of a checkout of the contest.

        Raises `WordplError` for what cannot be entered, and says what is allowed.
        """
        if self.nonce:
            check_nonce(self.nonce)
        submission = read_upload(self.content, self.file, self.call, checkout=checkout)
        try:
            self.credit.source(submission)
        except WordplError as error:
            raise UploadError(str(error), "show_source") from None
        return submission


@dataclass(frozen=True)
class UploadRecord:
    """An upload."""

    id: Annotated[str, Doc("Of the upload.")]
    name: Annotated[str, Doc("The token's name.")]
    file: Annotated[str, Doc("The name of the file.")]
    call: Annotated[str, Doc("Which class it is, with arguments; empty if none was named.")]
    credit: Annotated[Credit, Doc("What the entry says of its author.")]
    nonce: Annotated[str, Doc("The author's part of the seed; empty if none was given.")]
    received: Annotated[str, Doc("When it came, in UTC.")]
    state: Annotated[str, Doc("The last two are final.", (*OPEN, DONE, REFUSED))]
    games: Annotated[int, Doc("Games played so far: of the check, or of the entry once there is one.")]
    findings: Annotated[tuple[Finding, ...], Doc("What the check has found; empty until it is over.")]
    reason: Annotated[str, Doc("Why it was refused or has no rank, or a remark if it is done.")]
    entry: Annotated[str | None, Doc("The id of its entry; null before it has one.")]


@dataclass(frozen=True)
class Item(UploadRecord):
    """An upload in the queue, without its content. While it is scored, `reason` says that its time was up once."""

    key: int
    token: int


class Queue:
    """The queue of a ledger, with its tokens. Close it to give back what it has claimed, and to close the ledger."""

    def __init__(self, path: StrPath, *, must_exist: bool = False) -> None:
        self.ledger = Ledger(path, must_exist=must_exist)
        self.tokens = Tokens(self.ledger)
        self._claims: _Claims | None = None
        self._file = _identity(self.ledger.path)

    def __enter__(self) -> Queue:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
        self.ledger.__exit__(*error)

    @property
    def is_current(self) -> bool:
        """Whether the file at its path is still the one that was opened, and not another one or none."""
        return self._file is not None and _identity(self.ledger.path) == self._file

    def close(self) -> None:
        self.ledger.close()
        if self._claims is not None:
            self._claims.close()

    # What a server does.

    def admit(self, token: str) -> Token:
        """Return the token of this text if an upload of it would be taken now.

        Raises `TokenError`, `QuotaError`, or `WordplError` if the contest is closed.
        """
        owner = self.tokens.find(token)
        if self.ledger.closed:
            raise WordplError("this contest is closed: its secret is published, and it takes no more entries")
        if owner.today >= owner.per_day:
            raise QuotaError(f"this token allows {owner.per_day} uploads a day, and today's are used up (days are UTC)")
        return owner

    def enqueue(self, token: str, upload: Upload) -> Item:
        """Put an upload into the queue. Raises what `admit` raises, and `WordplError` for one that cannot be entered.

        The quota holds for all servers together.
        """
        self.admit(token)  # before the work
        submission = upload.submission()
        with self.ledger.transaction():
            identity, credit = secrets.token_hex(8), upload.credit
            columns = {"id": identity, "token": self.admit(token).key, "file": upload.file, "call": submission.call}
            columns |= {"author": credit.author, "link": credit.link, "shows_source": int(credit.publishes_source)}
            columns |= {"nonce": upload.nonce, "received": now(), "state": WAITING, "content": upload.content}
            self.ledger.insert("uploads", columns)
        return self.item(identity)

    def waiting(self, before: Item | None = None) -> int:
        """Return how many uploads wait, in all or before one of them."""
        query = "SELECT count(*) FROM uploads WHERE state = ? AND key < ?"
        key = (1 << 62) if before is None else before.key
        return int(next(self.ledger.read(query, (WAITING, key)))[0])

    def item(self, identity: str) -> Item:
        """Return the upload with this id. Raises `UnknownUploadError` if there is none."""
        for item in self._items("id = ?", identity):
            return item
        raise UnknownUploadError(f"there is no upload {visible(identity, 40)!r}")

    def items(self, token: Token | None = None, most: int = 50) -> list[Item]:
        """Return the newest uploads, of one token or of all, newest first."""
        where, values = ("1", []) if token is None else ("token = ?", [token.key])
        return self._items(f"{where} ORDER BY key DESC LIMIT ?", *values, most)

    def upload(self, item: Item) -> Upload:
        """Return what was uploaded. Raises `WordplError` if it was refused, for then it is not kept."""
        (content,) = next(self.ledger.read("SELECT content FROM uploads WHERE key = ?", (item.key,)))
        if content is None:
            raise WordplError(f"upload {item.id} was refused, so its content is not kept")
        return Upload(item.file, content, item.call, item.credit, item.nonce)

    def _items(self, where: str, *values: object) -> list[Item]:
        # The ledger is the server's own, and this module alone writes the table: its cells are what they should be.
        items = []
        for row in self.ledger.read(f"SELECT {_COLUMNS} FROM uploads WHERE {where}", values):  # noqa: S608
            identity, name, file, call, author, link, shows_source, nonce, received, state, games, checked, *rest = row
            credit = Credit(author, link, bool(shows_source))
            findings = tuple(Finding(**finding) for finding in json.loads(checked))
            items.append(Item(identity, name, file, call, credit, nonce, received, state, games, findings, *rest))
        return items

    # What a worker does.

    def claim(self) -> Item | None:
        """Take the first upload that is not finished and that no process has in hand; None if there is none.

        What was begun and lost its worker or its time goes behind what waits, so that no upload holds up the others.
        It is this object's until `release` or `close`, or until the process ends.
        """
        if self._claims is None:
            self._claims = _Claims(self.ledger.path)
        # A look without the write lock, since mostly nothing is there.
        if not self._unfinished():
            return None
        with self.ledger.transaction():
            for item in self._unfinished():
                if self._claims.take(item.key):
                    if self._attempted(item):
                        return item
                    self._claims.give(item.key)
        return None

    def _unfinished(self) -> list[Item]:
        return self._items("state IN (?, ?, ?) ORDER BY attempts > 0, key", *OPEN)

    def _attempted(self, item: Item) -> bool:
        """Count an attempt; False for one too many, which ends the upload.

        Attempts count from the last game: a server may be started again at any time during a long run.
        """
        (attempts, games) = next(self.ledger.read("SELECT attempts, games FROM uploads WHERE key = ?", (item.key,)))
        attempts = 1 if item.games > games else attempts + 1
        if attempts > ATTEMPTS:
            reason = f"given up: what scored it was ended {ATTEMPTS} times, perhaps because memory ran out"
            if item.entry is not None:
                entry = self.ledger.entry(item.entry)
                self.ledger.finish(entry, self.ledger.played(entry), ended=reason)
            self.refuse(item, reason, item.findings)
            return False
        self.ledger.update("uploads", item.key, attempts=attempts, games=item.games if item.state == SCORING else 0)
        return True

    def release(self, item: Item, *, blameless: bool = False) -> None:
        """Give back a claim. A `blameless` attempt was ended by whoever runs the worker, and does not count."""
        if blameless:
            self.ledger.update("uploads", item.key, attempts=0)
        if self._claims is not None:
            self._claims.give(item.key)

    def refuse(self, item: Item, reason: str, findings: Sequence[Finding] = ()) -> None:
        """Say why an upload is not scored. Its content is not kept."""
        self.report(item, REFUSED, reason=reason, findings=findings, content=None)

    def report(self, item: Item, state: str, **columns: Any) -> None:
        """Say in which state an upload is, and of other columns what has changed. What is done keeps its content."""
        if "reason" in columns:
            columns["reason"] = visible(columns["reason"], _LONGEST_MESSAGE)
        if "findings" in columns:
            shown = [asdict(f) | {"message": visible(f.message, _LONGEST_MESSAGE)} for f in columns["findings"]]
            columns["findings"] = json.dumps(shown)
        self.ledger.update("uploads", item.key, state=state, **columns)


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from others; None if there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


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
