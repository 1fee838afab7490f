"""Ledgers with entries, made by hand."""

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.helpers import ORIGINAL
from wordpl import Game, Setting, Turn, Verdict
from wordpl.contest import Entry, Ledger, Limits, StopRule, Submission, flag, standings
from wordpl.contest.judge.evidence import COLUMNS
from wordpl.contest.judge.ranking import Row, decided
from wordpl.contest.submission import written_call
from wordpl.play.specs import literal_call

SETTING = Setting(ORIGINAL)

SHORT = StopRule(first=4, step=2, max_trials=8)


def submission(code: str = "x = 1\n", call: str = "", file: str = "mine.py") -> Submission:
    maker = literal_call(call) if call else None
    return Submission(file, {file: code.encode()}, file, written_call(*maker) if maker else "", maker)


def enter(ledger: Ledger, name: str = "Mine", stop: StopRule = SHORT, **more: Any) -> Entry:
    given = {"submission": submission(), "setting": SETTING, "limits": Limits(), "sandbox": "test"} | more
    return ledger.enter(Entry.draft(name, stop=stop, **given), given["submission"])


def trials(numbers: Any, verdict: Verdict = Verdict.WIN, chance: float = 1.0) -> list[Row]:
    """Games that were played as these numbers."""
    return [
        Row.of(
            Game(n, "crate", verdict, "crate" if verdict is Verdict.WIN else "haste", history=(Turn("salet", 9.5, 7),)),
            chance,
            (-0.001,) * COLUMNS,
        )
        for n in numbers
    ]


def finish(ledger: Ledger, entry: Entry, raised: bool = False, play: Callable[[range], list[Row]] = trials) -> Entry:
    """Play an entry to the end of its run."""
    rule = entry.stop_rule
    for look in rule.looks:
        ledger.add(entry, play(range(ledger.played(entry), look)))
        outcomes = ledger.outcomes(entry)
        if decided(outcomes, rule):
            break
    evidence = flag(outcomes)
    evidence = replace(evidence, raised=True, reason="it knows the answer") if raised else evidence
    return ledger.finish(entry, len(outcomes), standings(outcomes, rule), evidence)


def sql(path: Path, *statements: str, values: Any = ()) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            assert database.execute(statement, values).rowcount != 0, statement
