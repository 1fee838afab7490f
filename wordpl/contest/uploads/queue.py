"""Tokens and the queue of uploads in a ledger: who may upload, what waits, and what became of the rest.

Of a token the ledger keeps a hash, so nobody can read one there.

Any number of servers and workers on one machine share it. A worker's claim to an upload is a lock of the kernel's on a
file beside the ledger, which ends with the process that holds it, however that ends; so what a killed worker had in
hand is free again at once, and no clock decides it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Any

from wordpl.base import checks
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.base.json_types import Doc
from wordpl.base.sanitizing import check_name, same_name, visible
from wordpl.contest.check import Finding
from wordpl.contest.ledger import cells
from wordpl.contest.ledger.entries import Credit
from wordpl.contest.ledger.seeds import check_nonce, now
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.uploads.package import UploadError, read_upload

PER_DAY = 3
MOST_PER_DAY = 1000

WAITING, CHECKING, SCORING, DONE, REFUSED = "waiting", "checking", "scoring", "done", "refused"
OPEN = (WAITING, CHECKING, SCORING)
ATTEMPTS = 5
"""An upload whose worker is lost so many times, with no game in between, is given up."""
_LONGEST_MESSAGE = 600

_OWNER_COLUMNS = (
    "name, per_day, made, revoked, (SELECT count(*) FROM uploads WHERE token = tokens.key),"
    " (SELECT count(*) FROM uploads WHERE token = tokens.key AND received >= ?), key"
)
_COLUMNS = (
    "id, (SELECT name FROM tokens WHERE key = uploads.token), file, call, json_object('author', author, 'link', link,"
    " 'publishes_source', json(iif(shows_source, 'true', 'false'))), nonce, received, state,"
    " iif(entry IS NULL, games, (SELECT ifnull(max(trial) + 1, 0) FROM trials WHERE entry = uploads.entry)),"
    " findings, reason, (SELECT id FROM entries WHERE key = uploads.entry), key, token"
)


class TokenError(WordplError):
    """No such token, or one that was revoked."""


class QuotaError(WordplError):
    """The token's uploads of today are used up."""


class UnknownUploadError(WordplError):
    """The queue has no such upload."""


@dataclass(frozen=True)
class Token:
    """A token, without its secret."""

    name: Annotated[str, Doc("The owner of the token, as named on the leaderboard.")]
    per_day: Annotated[int, Doc("Uploads allowed in a day (UTC).")]
    made: Annotated[str, Doc("When it was made, in UTC.")]
    revoked: Annotated[str | None, Doc("When it was revoked; null if it is valid.")]
    uploads: Annotated[int, Doc("All its uploads.")]
    today: Annotated[int, Doc("Its uploads of today.")]
    key: Annotated[int, Doc("Its number in the ledger.")]


class Tokens:
    """The tokens of `ledger`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def make(self, name: str, per_day: int = PER_DAY) -> str:
        """Return a new token of `name` for `per_day` uploads a day. Raises `WordplError` for a name not allowed."""
        name, per_day = check_name(name), checks.whole_number("per-day", per_day, 1, MOST_PER_DAY)
        self._ledger.check_open()
        text = f"wordpl-{secrets.token_urlsafe(32)}"
        with self._ledger.transaction():
            if any(same_name(token.name, name) for token in self._read("revoked IS NULL")):
                raise WordplError(
                    f"there is a token for {name!r}; end it with wordpl contest revoke, then make another"
                )
            self._ledger.insert("tokens", {"name": name, "digest": _digest(text), "per_day": per_day, "made": now()})
        return text

    def all(self) -> list[Token]:
        """Return all tokens in the order in which they were made, revoked ones included."""
        return self._read("1 ORDER BY key")

    def _read(self, where: str, *values: object) -> list[Token]:
        query = f"SELECT {_OWNER_COLUMNS} FROM tokens WHERE {where}"  # noqa: S608
        return [cells.row(Token, row, f"token {row[-1]}") for row in self._ledger.read(query, (now()[:10], *values))]

    def revoke(self, name: str) -> None:
        """Revoke the token of `name`, and refuse what it has waiting. Raises `WordplError` if there is none."""
        with self._ledger.transaction():
            for token in self._read("name = ? AND revoked IS NULL", name):
                self._ledger.update("tokens", token.key, revoked=now())
                query = "SELECT key FROM uploads WHERE token = ? AND state = ?"
                for (key,) in list(self._ledger.read(query, (token.key, WAITING))):
                    reason = "its token was revoked"
                    self._ledger.update("uploads", key, state=REFUSED, reason=reason, content=None)
                return
        raise WordplError(f"there is no token for {name!r}; wordpl contest tokens lists them")

    def find(self, text: str) -> Token:
        """Return the token whose text is `text`. Raises `TokenError` if there is none, or if it was revoked."""
        # What is compared is a hash, so how long that takes tells nothing of a token.
        for token in self._read("digest = ? AND revoked IS NULL", _digest(text)):
            return token
        raise TokenError("this token is not known here, or was revoked; ask the organiser of the contest for one")


def _digest(text: str) -> str:
    # A token has 256 random bits, so a plain hash cannot be turned back, as that of a password could be.
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True)
class Item:
    """An upload in the queue, without its content. While it is scored, `reason` says that its time was up once."""

    id: Annotated[str, Doc("Id of the upload.")]
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
    key: Annotated[int, Doc("Its number in the ledger.")]
    token: Annotated[int, Doc("The number of its token.")]


class Queue:
    """The queue of the ledger at `path`, with its tokens; with `must_exist` it is not created. Close it to give back
    what it has claimed, and to close the ledger."""

    def __init__(self, path: StrPath, *, must_exist: bool = False) -> None:
        self.ledger = Ledger(path, must_exist=must_exist)
        self.tokens = Tokens(self.ledger)
        self._held: set[int] = set()
        """The uploads that it has claimed."""

    def __enter__(self) -> Queue:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
        self.ledger.__exit__(*error)

    def close(self) -> None:
        self.ledger.close()
        if "_claims" in vars(self):
            os.close(self._claims)

    # What a server does.

    def admit(self, token: str) -> Token:
        """Return the token of the text `token`, if it may upload now. Raises `WordplError` or a kind of it if not."""
        owner = self.tokens.find(token)
        self.ledger.check_open()
        if owner.today >= owner.per_day:
            raise QuotaError(f"this token allows {owner.per_day} uploads a day, and today's are used up (days are UTC)")
        return owner

    def enqueue(
        self, token: str, file: str, content: bytes, call: str = "", credit: Credit | None = None, nonce: str = ""
    ) -> Item:
        """Queue an upload, a .py file or a zip named `file` with this `content`, by the text of its `token`.

        `call` says which class is meant, `credit` what the entry is to say of its author, and `nonce` is the author's
        part of the seed. Raises as `admit` does, and for what cannot be entered.
        """
        submission, credit, nonce = read_upload(content, file, call), credit or Credit(), nonce and check_nonce(nonce)
        try:
            credit.source(submission)
        except WordplError as error:
            raise UploadError(str(error), "show_source") from None
        with self.ledger.transaction():
            identity = secrets.token_hex(8)
            columns = {"id": identity, "token": self.admit(token).key, "file": file, "call": submission.call}
            columns |= {"author": credit.author, "link": credit.link, "shows_source": int(credit.publishes_source)}
            columns |= {"nonce": nonce, "received": now(), "state": WAITING, "content": content}
            self.ledger.insert("uploads", columns)
        return self.item(identity)

    def withdraw(self, item: Item) -> bool:
        """Refuse the upload `item` as its author wants; False if it does not wait any more, or a worker has it."""
        with self.ledger.transaction():
            waits = self.item(item.id).state == WAITING and self._lock(item.key)
            if waits:
                self.refuse(item, "its author has withdrawn it")
                self._unlock(item.key)
        return waits

    def waiting(self, before: Item | None = None) -> int:
        """Return how many uploads wait, in all or before the one that is `before`."""
        query = "SELECT count(*) FROM uploads WHERE state = ? AND key < ?"
        return int(next(self.ledger.read(query, (WAITING, before.key if before else 1 << 62)))[0])

    def item(self, identity: str) -> Item:
        """Return the upload with the id `identity`. Raises `UnknownUploadError` if there is none."""
        for item in self._items("id = ?", identity):
            return item
        raise UnknownUploadError(f"there is no upload {visible(identity, 40)!r}")

    def items(self, token: Token | None = None, most: int = 50) -> list[Item]:
        """Return the `most` newest uploads, of `token` or of all, newest first."""
        where, values = ("1", []) if token is None else ("token = ?", [token.key])
        return self._items(f"{where} ORDER BY key DESC LIMIT ?", *values, most)

    def content(self, item: Item) -> bytes:
        """Return what was uploaded as `item`. Raises `WordplError` if it was refused, for then it is not kept."""
        (content,) = next(self.ledger.read("SELECT content FROM uploads WHERE key = ?", (item.key,)))
        if not isinstance(content, bytes):
            raise WordplError(f"upload {item.id} was refused, so its content is not kept")
        return content

    def _items(self, where: str, *values: object) -> list[Item]:
        rows = self.ledger.read(f"SELECT {_COLUMNS} FROM uploads WHERE {where}", values)  # noqa: S608
        return [cells.row(Item, row, f"upload {row[-2]}") for row in rows]

    # What a worker does.

    def claim(self) -> Item | None:
        """Take the first upload that is not finished and that no process has in hand; None if there is none.

        What was begun and lost its worker or its time goes behind what waits, so that no upload holds up the others.
        It is this object's until `release` or `close`, or until the process ends.
        """
        unfinished = "state IN (?, ?, ?) ORDER BY attempts > 0, key"
        # A look without the write lock, since mostly nothing is there.
        if not self._items(unfinished, *OPEN):
            return None
        with self.ledger.transaction():
            for item in self._items(unfinished, *OPEN):
                if self._lock(item.key):
                    if self._attempted(item):
                        return item
                    self._unlock(item.key)
        return None

    def _attempted(self, item: Item) -> bool:
        """Count an attempt since the last game of what may be a long run; False for one too many, which ends it."""
        (attempts, games) = next(self.ledger.read("SELECT attempts, games FROM uploads WHERE key = ?", (item.key,)))
        attempts = 1 if item.games > games else attempts + 1
        if attempts > ATTEMPTS:
            reason = f"given up: the process that scored it ended {ATTEMPTS} times, perhaps because memory ran out"
            self.refuse(item, reason, item.findings)
            return False
        self.ledger.update("uploads", item.key, attempts=attempts, games=item.games if item.state == SCORING else 0)
        return True

    def release(self, item: Item, *, blameless: bool = False) -> None:
        """Give back the claim on `item`. A `blameless` attempt, which whoever runs the worker ended, does not count."""
        if blameless:
            self.ledger.update("uploads", item.key, attempts=0)
        self._unlock(item.key)

    def refuse(self, item: Item, reason: str, findings: Sequence[Finding] = ()) -> None:
        """Say by `reason`, or by `findings` too, why the upload `item` is not scored. Its content is not kept.

        So nobody can resume its run: if it has an entry, that ends without a rank.
        """
        if (identity := self.item(item.id).entry) is not None:
            entry = self.ledger.entry(identity)
            self.ledger.finish(entry, self.ledger.played(entry), ended=reason)
        self.report(item, REFUSED, reason=reason, findings=findings, content=None)

    def report(self, item: Item, state: str, **columns: Any) -> None:
        """Say in which `state` the upload `item` is, and what has changed of other `columns`."""
        if "reason" in columns:
            columns["reason"] = visible(columns["reason"], _LONGEST_MESSAGE)
        if "findings" in columns:
            lines = [asdict(f) | {"message": visible(f.message, _LONGEST_MESSAGE)} for f in columns["findings"]]
            columns["findings"] = json.dumps(lines)
        self.ledger.update("uploads", item.key, state=state, **columns)

    @cached_property
    def _claims(self) -> int:
        """The open file beside the ledger that has a byte for each upload.

        Locks of an open file description (fcntl(2), F_OFD_SETLK) belong to this object alone, not to the process.
        """
        path = self.ledger.path.with_name(f"{self.ledger.path.name}-claims")
        return os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def _lock(self, key: int) -> bool:
        """Claim an upload; False if it is claimed, here or elsewhere."""
        import fcntl  # not on Windows

        with suppress(BlockingIOError, PermissionError):
            if key not in self._held:  # to which the kernel would give it again
                fcntl.fcntl(self._claims, fcntl.F_OFD_SETLK, _byte(fcntl.F_WRLCK, key))
                self._held.add(key)
                return True
        return False

    def _unlock(self, key: int) -> None:
        import fcntl

        if key in self._held:
            fcntl.fcntl(self._claims, fcntl.F_OFD_SETLK, _byte(fcntl.F_UNLCK, key))
            self._held.remove(key)


def _byte(kind: int, key: int) -> bytes:
    return struct.pack("hhqqi0q", kind, os.SEEK_SET, key, 1, 0)
