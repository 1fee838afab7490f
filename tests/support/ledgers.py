"""Ledgers with entries, made by hand or for the tests of the contest's pages."""

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


CODE = "# <b>bold</b>\nclass Mine:\n\tpass\n"

NASTY = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
    "\u202egnp.exe\u202c \u200b\u200d\ufeffz\u0301\u0301\u0301\u0301\u0301",
    "W" * 300,
    "\U0001f469\u200d\U0001f680\U0001f1e9\U0001f1ea " * 20,
    "two\nlines\r\n\ttab\x00\x1b[31m",
    "{{constructor.constructor('alert(1)')()}}${7*7}`</textarea></title><svg/onload=alert(1)>",
    "=HYPERLINK(1) | `x` [y](javascript:alert(1)) &lt;b&gt; %0a",
)
"""Texts that a ledger of somebody else may hold as names, authors and reasons."""

TRIALS = 200
_BUDGETS = (0.8, 0.9, 1.0, 1.1, 1.2)


def played(budget: float, share: float, trials: int = TRIALS) -> list[PlayedGame]:
    """Games that spend about `budget` and are won with probability `share`; one in 100 runs out of time."""
    games = []
    for n in range(trials):
        late = n % 100 == 7
        won = not late and n * 7919 % 1000 < 1000 * share
        verdict = Verdict.TIMEOUT if late else Verdict.WIN if won else Verdict.LOSS
        spent = round(budget * _BUDGETS[n % len(_BUDGETS)], 3)
        games.append(game(n, verdict, spent, "more than 10 s of CPU time" if late else ""))
    return games


def add(ledger: Ledger, name: str, budget: float = 15.0, share: float = 0.995, credit: Credit | None = None) -> Entry:
    """Put an entry into a ledger whose provisional games are played."""
    return finish(ledger, enter(ledger, name, f"{CODE}# {name}", credit), played(budget, share))


def make_contest(path: Path) -> dict[str, str]:
    """Make a ledger with entries of all kinds; returns their ids by name."""
    with started(path, TRIALS) as ledger:
        made = [
            add(ledger, "Ann", 13.0, 0.995, Credit("Ann of <b>A</b>", "https://example.org/ann?a=b&c=d")),
            add(ledger, "Bob", 30.0, 0.995),
            add(ledger, "Cat", 22.0, 0.6),
            finish(ledger, enter(ledger, "Dan", "# Dan"), played(15.0, 0.995, TRIALS // 2)),
        ]
        ended = enter(ledger, "Fay", "# Fay")
        made.append(ledger.end(ended, "it could not be started, 3 times in a row", "it raised ValueError: <i>no</i>"))
    return {entry.name: entry.id for entry in made}


def make_nasty(path: Path) -> list[str]:
    """Make a ledger whose names, authors, calls and reasons are `NASTY`; returns the ids."""
    with started(path, TRIALS) as ledger:
        entries = [add(ledger, f"Name {i}", 14.0 + i) for i in range(len(NASTY))]
    for entry, text in zip(entries, NASTY, strict=True):
        columns = "name = ?, author = ?, call = ?, contest_files = ?, link = ?"
        values = (text, text, text, text, "javascript:alert(1)", entry.key)
        sql(path, f"UPDATE entries SET {columns} WHERE key = ?", values=values)  # noqa: S608
    sql(path, "UPDATE entries SET ended = ? WHERE key = ?", values=(NASTY[-1], entries[-1].key))
    return [entry.id for entry in entries]
