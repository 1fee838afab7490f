"""Contests that an audit plays again, and what forges them."""
# ruff: noqa: S608 - these write their own statements

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.support.helpers import ORIGINAL
from tests.support.ledgers import enter, sql
from tests.support.submissions import submission_of
from wordpl.base.errors import WordplError
from wordpl.contest import Ledger, StopRule, play_entry, sandbox
from wordpl.contest.audit.entry import audit_entry
from wordpl.contest.audit.whole import audit_against, audit_ledger
from wordpl.contest.judge.evidence import figures
from wordpl.contest.judge.ranking import Row, flag, standings
from wordpl.contest.ledger.entries import SEEDED, digest_of_results
from wordpl.contest.ledger.reader import SCHEMA
from wordpl.contest.ledger.seeds import commitment, scoring_seed
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue
from wordpl.play.referee import Game, Verdict
from wordpl.play.seeds import Seeds
from wordpl.play.setting import Setting, Turn

SETTING = Setting(ORIGINAL)

SHORT = StopRule(first=6, step=6, max_trials=12)

OURS = """
class Mine:
    def first_move(self):
        self.seen = []
        return "salet", 22.0

    def next_move(self, guess, epsilon, clues):
        self.seen.append((guess, clues))
        if len(self.seen) == 1:
            return "courd", 20.0
        return max(open("answers.txt").read().split(), key=self.fit), 0

    def fit(self, word):
        return sum(
            mark == ("c" if letter == word[at] else "i" if letter in word else ".")
            for guess, clue in self.seen
            for at, (letter, mark) in enumerate(zip(guess, clue))
        )
"""
"""Of the contest's kind, so that it starts without an import of wordpl."""

RIVAL = OURS.replace("22.0", "23.0")


def play_two(folder: Path, stop: StopRule) -> None:
    with Ledger(folder / "contest.sqlite") as ledger:
        for name, code in (("Ours", OURS), ("Rival", RIVAL)):
            entry = enter(ledger, name, submission=submission_of(code), stop=stop)
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


def everything(path: Path) -> dict[str, list[str]]:
    """Faults of the ledger, and of each entry by its key."""
    with Ledger(path, read_only=True) as book:
        found = {"ledger": audit_ledger(book)}
        for key in book.keys():  # noqa: SIM118 - no dictionary
            try:
                found[str(key)] = audit_entry(book, book.by_key(key), SETTING)
            except WordplError as error:
                found[str(key)] = [str(error)]
    return found


def one_line_each(faults: list[str]) -> None:
    for fault in faults:
        assert len(fault) < 700
        assert "\n" not in fault
        assert fault.isprintable()


def against(path: Path, copy: Path) -> list[str]:
    with Ledger(path, read_only=True) as book, Ledger(copy, read_only=True) as before:
        return audit_against(book, before)


def forge(path: Path, change: Callable[[Row, str], Row], trials: int = 12, key: int = 1) -> None:
    """Change the games of an entry, given each row and its true answer; then make all else follow from that."""
    with Ledger(path) as ledger:
        entry = ledger.by_key(key)
        seeds = Seeds(int(str(entry.seed)))
        rows = list(ledger.rows(entry))[:trials]
    changed = [worked_out(change(row, answer_of(seeds, row.trial)), seeds) for row in rows]
    sql(path, f"DELETE FROM trials WHERE entry = {key}")
    with Ledger(path) as ledger:
        for row in changed:
            ledger.insert("trials", {"entry": key, **vars(row)})
    conclude(path, trials, key)


def answer_of(seeds: Seeds, trial: int) -> str:
    return ORIGINAL.answers[seeds.answer(trial, len(ORIGINAL.answers))]


def worked_out(row: Row, seeds: Seeds) -> Row:
    """The trial of these moves, as the referee would have kept it."""
    answer, turns = answer_of(seeds, row.trial), []
    for ask, (guess, epsilon, _) in enumerate(row.log):
        channel = make_channel(SETTING.channel, epsilon, 5)
        turns.append(
            Turn(guess, epsilon, int(channel.sample(int(clue(guess, answer)), seeds.noise(row.trial, ask, 5))))
        )
    verdict = Verdict(row.verdict)
    if row.proposed is not None:
        verdict = Verdict.WIN if row.proposed == answer else Verdict.LOSS
    game = Game(row.trial, answer, verdict, row.proposed, row.reason, tuple(turns), row.seconds, row.slowest)
    return Row.of(game, *figures(SETTING, game), row.errors)


def conclude(path: Path, trials: int = 12, key: int = 1) -> None:
    """Make standings, flag and digests follow from the games."""
    with Ledger(path) as ledger:
        entry = ledger.by_key(key)
        outcomes = ledger.outcomes(entry, trials)
        sql(path, f"DELETE FROM standings WHERE entry = {key}")
        for standing in standings(outcomes, entry.stop_rule):
            ledger.insert("standings", {"entry": key, **vars(standing)})
        ledger.update("entries", key, trials=trials, flag=flag(outcomes))
    seal(path)


def reseed(path: Path, root: str = "") -> None:
    """Another nonce and secret for the first entry, with the commitment and the seed that follow."""
    with Ledger(path) as ledger:
        entry = ledger.by_key(1)
    secret = "7" * 64
    entry = replace(entry, nonce="a better one", commitment=commitment(secret), secret=secret)
    seed = scoring_seed(secret, entry.facts(SEEDED))
    values = (entry.nonce, entry.commitment, secret, str(seed))
    sql(path, "UPDATE entries SET nonce = ?, commitment = ?, secret = ?, seed = ? WHERE key = 1", values=values)
    sql(path, "UPDATE contest SET secret = ?", values=(root,))
    forge(path, lambda row, answer: row)
