"""Tokens: who may upload to a ledger, and how often. The ledger keeps a hash of each, so nobody can read one there."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from wordpl import checks
from wordpl.contest.ledger.writer import Ledger
from wordpl.errors import WordplError
from wordpl.text.sanitizing import check_name, same_name

PER_DAY = 3
MOST_PER_DAY = 1000
MOST_TOKENS = 1000
"""All are compared with the one that comes, so they are bounded."""
_PREFIX = "wordpl-"
_COLUMNS = (
    "key, name, per_day, made, revoked, (SELECT count(*) FROM uploads WHERE token = tokens.key),"
    " (SELECT count(*) FROM uploads WHERE token = tokens.key AND received >= ?)"
)


class TokenError(WordplError):
    """No such token, or one that was revoked."""


@dataclass(frozen=True)
class Token:
    """What the ledger knows of a token. Times are UTC, ISO 8601."""

    key: int
    name: str
    per_day: int
    """Uploads that it allows in a day, from midnight to midnight UTC."""
    made: str
    revoked: str | None
    uploads: int
    """All of them, and those of today."""
    today: int


def now() -> str:
    """The time, as the ledger has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Tokens:
    """The tokens of a ledger, which takes uploads from then on."""

    def __init__(self, ledger: Ledger) -> None:
        ledger.take_uploads()
        self._ledger = ledger

    def make(self, name: str, per_day: int = PER_DAY) -> str:
        """Return a new token, which cannot be shown again. Its uploads enter the ranking under `name`.

        Raises `WordplError` for a name that is not allowed, or that a token has which is not revoked.
        """
        name, per_day = check_name(name), checks.whole_number("per-day", per_day, 1, MOST_PER_DAY)
        text = _PREFIX + secrets.token_urlsafe(32)
        with self._ledger.transaction():
            there = [token for token in self.all() if not token.revoked]
            if any(same_name(token.name, name) for token in there):
                raise WordplError(f"there is a token for {name!r}; wordpl serve revoke ends it, then make a new one")
            if len(there) >= MOST_TOKENS:
                raise WordplError(f"there are {len(there)} tokens, which is the most; revoke one first")
            self._ledger.insert("tokens", {"name": name, "digest": _digest(text), "per_day": per_day, "made": now()})
        return text

    def all(self) -> list[Token]:
        """Return all tokens in the order in which they were made, revoked ones included."""
        return self._read("1 ORDER BY key")

    def _read(self, where: str, *values: object) -> list[Token]:
        query = f"SELECT {_COLUMNS} FROM tokens WHERE {where}"  # noqa: S608
        return [Token(*row) for row in self._ledger.read(query, (now()[:10], *values))]

    def revoke(self, name: str) -> None:
        """Revoke the token of this name, and refuse what it has waiting. Raises `WordplError` if there is none."""
        with self._ledger.transaction():
            for token in self._read("name = ? AND revoked IS NULL", name):
                self._ledger.update("tokens", token.key, revoked=now())
                refusal = {"state": "refused", "reason": "its token was revoked", "content": None}
                waiting = "SELECT key FROM uploads WHERE token = ? AND state = 'waiting'"
                for (key,) in list(self._ledger.read(waiting, (token.key,))):
                    self._ledger.update("uploads", key, **refusal)
                return
        raise WordplError(f"there is no token for {name!r}; wordpl serve tokens lists them")

    def find(self, text: str) -> Token:
        """Return the token whose text this is. Raises `TokenError`; a wrong one takes as long as a right one."""
        digest, match = _digest(text), -1
        for key, stored in self._ledger.read("SELECT key, digest FROM tokens WHERE revoked IS NULL"):
            if hmac.compare_digest(digest, stored):
                match = key
        for token in self._read("key = ?", match):
            return token
        raise TokenError("this token is not known here, or was revoked; the organiser of the contest makes tokens")


def _digest(text: str) -> str:
    # A token has 256 random bits, so a plain hash cannot be turned back, as that of a password could be.
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
