"""Ledgers with entries, made by hand."""

import contextlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.helpers import ORIGINAL
from wordpl import Game, Setting, Turn, Verdict
from wordpl.contest import Credit, Entry, Ledger, PlayedGame, Submission, start_contest
from wordpl.contest.records import PROVISIONAL
from wordpl.contest.submission import written_call
from wordpl.play.specs import literal_call

SETTING = Setting(ORIGINAL)


def submission(code: str = "x = 1\n", call: str = "", file: str = "mine.py") -> Submission:
    maker = literal_call(call) if call else None
    return Submission(file, {file: code.encode()}, file, written_call(*maker) if maker else "", maker)


def started(path: Path, trials: int = 8, setting: Setting = SETTING, **terms: Any) -> Ledger:
    """The open ledger of a new contest of few games."""
    start_contest(path, setting, trials=trials, **terms)
    return Ledger(path)


def game(trial: int, verdict: Verdict = Verdict.WIN, budget: float = 9.5, reason: str = "") -> PlayedGame:
    """A game with one ask, as it is stored."""
    proposed = {Verdict.WIN: "crate", Verdict.LOSS: "haste"}.get(verdict)
    return PlayedGame.of(Game(trial, "crate", verdict, proposed, reason, (Turn("salet", budget, 7),), 0.2, 0.1))


def finish(ledger: Ledger, entry: Entry, games: Iterable[PlayedGame] | None = None, stage: str = PROVISIONAL) -> Entry:
    """Store the games of an entry; by default all that there are, won."""
    ledger.add(entry, stage, map(game, range(ledger.contest.trials)) if games is None else games)
    return entry


def enter(ledger: Ledger, name: str = "Mine", code: str = "x = 1\n", credit: Credit | None = None) -> Entry:
    return ledger.enter(submission(code), name, credit)


def sql(path: Path, *statements: str, values: Any = ()) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            assert database.execute(statement, values).rowcount != 0, statement
