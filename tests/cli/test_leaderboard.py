"""`wordpl contest board`: what it loads, and what it shows."""

import json
import re
from dataclasses import replace

import pytest

from tests.support.ledgers import enter, submission, trials
from wordpl.contest import Entry, Flag, Ledger
from wordpl.contest.judge.ranking import EntryJudge, StopRule, flag, standings
from wordpl.play.referee import Verdict

pytestmark = pytest.mark.heavy

CLOSE = StopRule(max_trials=1501)
"""A board on which nothing close to a percentile is decided."""


def over(ledger: Ledger, name: str, budget: float, chance: float, stop: StopRule, raised: bool = False) -> Entry:
    """An entry whose every game spent this budget and ended with this chance."""
    entry = enter(ledger, name, submission=submission(f"# {name}"), stop=stop)
    verdict = Verdict.WIN if chance > 0.5 else Verdict.LOSS
    games = trials(range(stop.max_trials if stop is CLOSE else 1001), verdict, chance)
    ledger.add(entry, [replace(row, budget=budget, log=[("salet", budget, 7)]) for row in games])
    judge = EntryJudge(stop, ledger.rows(entry))
    assert judge.over
    outcomes = judge.outcomes
    found: Flag = flag(outcomes)
    found = replace(found, raised=raised, reason="it knows the answer" if raised else "")
    return ledger.finish(entry, len(outcomes), standings(outcomes, stop), found)


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    path = tmp_path_factory.mktemp("boards") / "contest.sqlite"
    with Ledger(path) as ledger:
        for name, budget, chance in (("Third", 14.0, 1.0), ("Best", 9.5, 1.0), ("As good", 9.5, 1.0)):
            over(ledger, name, budget, chance, StopRule())
        over(ledger, "Half", 11.0, 0.6, StopRule())
        over(ledger, "Nothing", 3.0, 0.0, StopRule())
        over(ledger, "Flagged", 2.0, 1.0, StopRule(), raised=True)
        over(ledger, "Undecided", 12.0, 0.05, CLOSE)
        enter(ledger, "Running", submission=submission("# running"), stop=CLOSE)
    return path


def rows(shown: str) -> list[list[str]]:
    """The cells of the rows of all tables."""
    found = [re.split(r"\s*[│|]\s*", line.strip("│| ")) for line in shown.splitlines() if re.match(r"^[│|] *\d", line)]
    return [[cell.strip() for cell in row] for row in found]


def test_one_table_a_board_ranks_its_entries_at_each_percentile(cli, boards):
    shown = cli("contest", "board", "--ledger", str(boards)).out
    assert shown.count("sampled (1,001 trials)") == 2, "one table for each board"
    assert [row[:4] for row in rows(shown)] == [
        ["5th", "1", "Best", "9.5"],
        ["5th", "1", "As good", "9.5"],
        ["5th", "3", "Half", "11"],
        ["5th", "4", "Third", "14"],
        ["50th", "1", "Best", "9.5"],
        ["50th", "1", "As good", "9.5"],
        ["50th", "3", "Half", "11"],
        ["50th", "4", "Third", "14"],
        ["95th", "1", "Best", "9.5"],
        ["95th", "1", "As good", "9.5"],
        ["95th", "3", "Third", "14"],
        ["5th", "-", "Undecided", "undecided"],
    ]
    assert re.search(r"Nothing \([0-9a-f]{12}\) reaches no percentile after 1,001 trials", shown)
    assert re.search(r"Flagged \([0-9a-f]{12}\) is flagged as suspicious, so .* rank .* it knows the answer", shown)
    assert re.search(r"Running \([0-9a-f]{12}\) is running", shown)


def test_a_rank_is_that_on_the_whole_board_also_where_one_entry_is_shown(cli, boards):
    where = ("contest", "board", "--ledger", str(boards), "third")
    shown = [row[:3] for row in rows(cli(*where).out)]
    assert shown == [["5th", "4", "Third"], ["50th", "4", "Third"], ["95th", "3", "Third"]]
    (record,) = json.loads(cli(*where, "--json").out)
    assert [record[key]["rank"] for key in ("p05", "p50", "p95")] == [4, 4, 3]
    records = {one["name"]: one for one in json.loads(cli("contest", "board", "--ledger", str(boards), "--json").out)}
    assert records["Half"]["p95"]["rank"] is None
    assert records["Flagged"]["p05"]["rank"] is None
