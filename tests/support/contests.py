"""Ledgers for the tests of the contest's pages, each made once for others to copy."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.ledgers import enter, finish, game, started
from wordpl import Verdict
from wordpl.contest import Credit, Entry, Ledger, PlayedGame

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
    with closing(sqlite3.connect(path)) as database, database:
        for entry, text in zip(entries, NASTY, strict=True):
            database.execute(
                "UPDATE entries SET name = ?, author = ?, call = ?, contest_files = ?, link = ? WHERE key = ?",
                (text, text, text, text, "javascript:alert(1)", entry.key),
            )
        database.execute("UPDATE entries SET ended = ? WHERE key = ?", (NASTY[-1], entries[-1].key))
    return [entry.id for entry in entries]
