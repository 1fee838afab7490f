"""Tokens: who may upload to a ledger, and how often. The ledger keeps a hash of each, so nobody can read one there."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from wordpl import checks
from wordpl.contest.ledger import Ledger
from wordpl.contest.sanitizing import check_name, same_name
from wordpl.contest.tables import RANKING, UPLOADS, WITH_UPLOADS
from wordpl.displays import counted, line_of
from wordpl.errors import WordplError
from wordpl.storage.files import StrPath

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

    def __repr__(self) -> str:
        state = "revoked" if self.revoked else f"{self.today} of {self.per_day} today"
        return line_of(self, f"{self.name!r}, {counted(self.uploads, 'upload')}, {state}")


def now() -> str:
    """The time, as the ledger has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Tokens(Ledger):
    """A ledger with its tokens; it is made ready for uploads when it is first opened so."""

    def __init__(self, path: StrPath, *, must_exist: bool = False) -> None:
        super().__init__(path, must_exist=must_exist)
        with self._named_errors(), self._transaction():
            if self._check() == RANKING:
                self._add_tables(UPLOADS, WITH_UPLOADS)

    def make_token(self, name: str, per_day: int = PER_DAY) -> str:
        """Return a new token, which cannot be shown again. Its uploads enter the ranking under `name`.

        Raises `WordplError` for a name that is not allowed, or that a token has which is not revoked.
        """
        name, per_day = check_name(name), checks.whole_number("per-day", per_day, 1, MOST_PER_DAY)
        text = _PREFIX + secrets.token_urlsafe(32)
        with self._transaction():
            there = [token for token in self.tokens() if not token.revoked]
            if any(same_name(token.name, name) for token in there):
                raise WordplError(f"there is a token for {name!r}; wordpl serve revoke ends it, then make a new one")
            if len(there) >= MOST_TOKENS:
                raise WordplError(f"there are {len(there)} tokens, which is the most; revoke one first")
            self._db.execute(
                "INSERT INTO tokens (name, digest, per_day, made) VALUES (?, ?, ?, ?)",
                (name, _digest(text), per_day, now()),
            )
        return text

    def tokens(self) -> list[Token]:
        """Return all tokens in the order in which they were made, revoked ones included."""
        return [Token(*row) for row in self._read(f"SELECT {_COLUMNS} FROM tokens ORDER BY key", (now()[:10],))]  # noqa: S608

    def revoke_token(self, name: str) -> None:
        """Revoke the token of this name, and refuse what it has waiting. Raises `WordplError` if there is none."""
        with self._transaction():
            found = [token for token in self.tokens() if token.name == name and not token.revoked]
            if not found:
                raise WordplError(f"there is no token for {name!r}; wordpl serve tokens lists them")
            key = found[0].key
            self._db.execute("UPDATE tokens SET revoked = ? WHERE key = ?", (now(), key))
            self._db.execute(
                "UPDATE uploads SET state = 'refused', reason = 'its token was revoked', content = NULL"
                " WHERE token = ? AND state = 'waiting'",
                (key,),
            )

    def token_of(self, text: str) -> Token:
        """Return the token whose text this is. Raises `TokenError`; a wrong one takes as long as a right one."""
        digest, found = _digest(text), -1
        for key, stored in self._read("SELECT key, digest FROM tokens WHERE revoked IS NULL"):
            if hmac.compare_digest(digest, stored):
                found = key
        token = self._token(found)
        if token is None:
            raise TokenError("this token is not known here, or was revoked; the organiser of the contest makes tokens")
        return token

    def _token(self, key: int) -> Token | None:
        query = f"SELECT {_COLUMNS} FROM tokens WHERE key = ?"  # noqa: S608
        return next((Token(*row) for row in self._read(query, (now()[:10], key))), None)


def _digest(text: str) -> str:
    # A token has 256 random bits, so a plain hash cannot be turned back, as that of a password could be.
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
