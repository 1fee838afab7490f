"""Ledgers for the tests of the contest's pages, each made once for others to copy."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.support.audits import seal
from tests.support.ledgers import SETTING, enter, finish, submission
from wordpl import Game, Setting, Turn, Verdict
from wordpl.contest import Credit, Entry, Ledger, StopRule
from wordpl.contest.judge.evidence import COLUMNS
from wordpl.contest.judge.ranking import Row

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


BUDGETS = (0.8, 0.9, 1.0, 1.1, 1.2)


def played(budget: float, share: float, numbers: range) -> list[Row]:
    """Games that spend about `budget` and are won with probability `share`; one in 100 runs out of time.

    The budgets are few, so that a rank is soon decided.
    """
    games = []
    for n in numbers:
        late = n % 100 == 7
        won = not late and n * 7919 % 1000 < 1000 * share
        verdict = Verdict.TIMEOUT if late else Verdict.WIN if won else Verdict.LOSS
        proposed = None if late else "crate" if won else "haste"
        spent = round(budget * BUDGETS[n % len(BUDGETS)], 3)
        history = (Turn("salet", round(spent / 2, 3), 7), Turn("crate", round(spent / 2, 3), 242))
        reason = "more than 10 s of CPU time" if late else ""
        game = Game(n, "crate", verdict, proposed, reason, history, 0.2, 0.1)
        games.append(Row.of(game, 0.0 if late else share, (-0.001,) * COLUMNS))
    return games


def add(
    ledger: Ledger,
    name: str,
    budget: float = 15.0,
    share: float = 0.995,
    *,
    credit: Credit | None = None,
    setting: Setting = SETTING,
    running: bool = False,
    raised: bool = False,
) -> Entry:
    """Put an entry into a ledger that is played to its end, unless it is `running`."""
    code = f"{CODE}# {name}"
    terms = {"setting": setting, "sandbox": "bubblewrap", "credit": credit}
    entry = enter(ledger, name, StopRule(), submission=submission(code), **terms)
    ledger.describe(entry, f"{name}()", "contest")
    ledger.add(entry, played(budget, share, range(1001)))
    if running:
        return ledger.entry(entry.id)
    return finish(ledger, entry, raised, lambda numbers: played(budget, share, numbers))


def make_contest(path: Path) -> dict[str, str]:
    """Make a ledger with entries of all kinds; returns their ids by name."""
    with Ledger(path) as ledger:
        made = [
            add(ledger, "Ann", 13.0, 0.995, credit=Credit("Ann of <b>A</b>", "https://example.org/ann?a=b&c=d", True)),
            add(ledger, "Bob", 30.0, 0.995),
            add(ledger, "Cat", 22.0, 0.6, setting=replace(SETTING, rule="counted")),
            add(ledger, "Dan", running=True),
            add(ledger, "Eve", 9.0, 0.995, raised=True),
        ]
        ended = add(ledger, "Fay", running=True)
        made.append(ledger.finish(ended, 1001, ended="at start: it raised ValueError: <i>no</i>"))
    return {entry.name: entry.id for entry in made}


def make_nasty(path: Path) -> list[str]:
    """Make a ledger whose names, authors, calls and reasons are `NASTY`; returns the ids."""
    with Ledger(path) as ledger:
        entries = [add(ledger, f"Name {i}", 14.0 + i) for i in range(len(NASTY))]
    database = sqlite3.connect(path)
    with database:
        for entry, text in zip(entries, NASTY, strict=True):
            values = (text, text, text, text, "javascript:alert(1)", entry.key)
            database.execute(
                "UPDATE entries SET name = ?, author = ?, strategy = ?, sandbox = ?, link = ? WHERE key = ?", values
            )
            database.execute("UPDATE trials SET reason = ? WHERE entry = ? AND reason <> ''", (text, entry.key))
    database.close()
    seal(path)  # a stranger could have written the hashes, too
    with Ledger(path, read_only=True) as ledger:
        return [entry.id for entry in ledger.entries()]


def name_nastily(results: Path, texts: tuple[str, ...]) -> None:
    """Give the tasks of a results file these texts as names, and as reasons of some of their games."""
    with closing(sqlite3.connect(results)) as database, database:
        for key, text in enumerate(texts, 1):
            database.execute(
                "UPDATE tasks SET strategy = :text, family = :text, words = :text, rule = :text, channel = :text,"
                " seed = :text WHERE key = :key",
                {"text": text, "key": key},
            )
            database.execute("UPDATE trials SET reason = ? WHERE task = ? AND trial < 3", (text, key))
