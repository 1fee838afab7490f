"""Contests that an audit plays again, and what forges them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.support.helpers import ORIGINAL
from tests.support.submissions import submission_of
from wordpl.contest import Ledger, Limits, StopRule, play_entry
from wordpl.contest.cage import sandbox
from wordpl.contest.ledger.entries import digest_of_results
from wordpl.contest.ledger.reader import SCHEMA
from wordpl.play.setting import Setting

SETTING = Setting(ORIGINAL)

SHORT = StopRule(first=6, step=6, max_trials=12)

OURS = """
from dataclasses import dataclass

from wordpl import Answer, Ask, HistoryStrategy


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    def decide(self, setting, history):
        if len(history) == 2:
            return Answer(setting.belief(history).top[0])
        return Ask("courd", 20.0) if history else Ask("salet", 22.0)
"""

RIVAL = OURS.replace("22.0", "23.0")


def play_two(folder: Path, stop: StopRule) -> None:
    with Ledger(folder / "contest.sqlite") as ledger:
        for name, code in (("Ours", OURS), ("Rival", RIVAL)):
            entry = ledger.enter(name, submission_of(code), SETTING, Limits(), "test", stop=stop)
            ledger.publish(folder / f"before {name}.sqlite")
            play_entry(ledger, entry, submission_of(code), SETTING, launcher=sandbox.find())
        ledger.publish(folder / "after.sqlite")


def seal(path: Path) -> None:
    """Work out every hash of the ledger anew, so that it fits what the columns say."""
    with Ledger(path) as ledger:
        for key in ledger.keys():  # noqa: SIM118 - no dictionary
            entry = ledger.by_key(key)
            entry = replace(entry, id=entry.own_id)
            if not entry.running:
                entry = replace(entry, trials_digest=ledger.trials_digest(entry))
                entry = replace(entry, results_digest=digest_of_results(entry, ledger.stored_standings(entry)))
            ledger.update(
                "entries", key, id=entry.id, trials_digest=entry.trials_digest, results_digest=entry.results_digest
            )


def columns() -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        for table in ("contest", "entries", "trials", "standings"):
            for row in database.execute(f"PRAGMA table_info({table})").fetchall():
                yield table, row[1]
