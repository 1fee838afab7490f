"""The tables of a ledger. Nothing but these is read (`wordpl.base.sqlite`)."""

from __future__ import annotations

from wordpl.base.errors import WordplError

FORMAT = 7
APPLICATION = 0x57504C43  # "WPLC"

SCHEMA = """
CREATE TABLE contest (
    one INTEGER PRIMARY KEY CHECK (one = 1), secret TEXT NOT NULL, commitment TEXT NOT NULL, records TEXT NOT NULL,
    closed TEXT NOT NULL DEFAULT '');
CREATE TABLE entries (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    digest TEXT NOT NULL, files TEXT NOT NULL, call TEXT NOT NULL, contest_files TEXT NOT NULL,
    words TEXT NOT NULL, words_digest TEXT NOT NULL,
    rule TEXT NOT NULL, channel TEXT NOT NULL, limits TEXT NOT NULL, stop TEXT NOT NULL, attempt INTEGER NOT NULL,
    engine INTEGER NOT NULL, nonce TEXT NOT NULL, commitment TEXT NOT NULL, sandbox TEXT NOT NULL,
    records TEXT NOT NULL, entered TEXT NOT NULL, author TEXT NOT NULL, link TEXT NOT NULL, source TEXT NOT NULL,
    strategy TEXT NOT NULL DEFAULT '', interface TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'running', reason TEXT NOT NULL DEFAULT '', trials INTEGER,
    flag TEXT NOT NULL DEFAULT '', cleared TEXT NOT NULL DEFAULT '', secret TEXT, seed TEXT,
    finished TEXT NOT NULL DEFAULT '', trials_digest TEXT NOT NULL DEFAULT '', results_digest TEXT NOT NULL DEFAULT '');
CREATE TABLE trials (
    entry INTEGER NOT NULL REFERENCES entries(key), trial INTEGER NOT NULL, answer TEXT NOT NULL, proposed TEXT,
    verdict TEXT NOT NULL, reason TEXT NOT NULL, budget REAL, chance REAL NOT NULL, evidence TEXT NOT NULL,
    log TEXT NOT NULL, errors TEXT NOT NULL, seconds REAL NOT NULL, slowest REAL NOT NULL,
    PRIMARY KEY (entry, trial)) WITHOUT ROWID;
CREATE TABLE standings (
    entry INTEGER NOT NULL REFERENCES entries(key), percentile REAL NOT NULL, budget REAL, win_rate REAL NOT NULL,
    low REAL NOT NULL, high REAL NOT NULL, wins INTEGER NOT NULL, sampled REAL, decided INTEGER NOT NULL,
    PRIMARY KEY (entry, percentile)) WITHOUT ROWID;
CREATE TABLE tokens (
    key INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, per_day INTEGER NOT NULL, made TEXT NOT NULL,
    revoked TEXT);
CREATE TABLE uploads (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, token INTEGER NOT NULL REFERENCES tokens(key),
    file TEXT NOT NULL, call TEXT NOT NULL, author TEXT NOT NULL, link TEXT NOT NULL, shows_source INTEGER NOT NULL,
    nonce TEXT NOT NULL, received TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    games INTEGER NOT NULL DEFAULT 0, findings TEXT NOT NULL DEFAULT '[]', reason TEXT NOT NULL DEFAULT '',
    entry INTEGER REFERENCES entries(key), content BLOB);
CREATE INDEX uploads_by_token ON uploads(token, received);
CREATE INDEX uploads_by_state ON uploads(state)
"""


class ForeignSchemaError(WordplError):
    """A contest file whose tables are not those of a ledger, or that holds more than these."""

    def __init__(self, path: str, faults: list[str]) -> None:
        super().__init__(f"{path!r} is not read: {'; '.join(faults)}")
        self.faults = faults
        """One line each."""
