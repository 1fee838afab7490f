"""The board: the contest's own percentiles, what an entrant may see, and every form in which it is shown."""

import csv
import hashlib
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.ledgers import enter, finish, game, sql, started
from wordpl import Verdict
from wordpl.contest import Credit, Ledger, read_board
from wordpl.contest.records import FINAL, PROVISIONAL

TRIALS = 40
AUTHOR = "<script>alert(1)</script> @octocat #7 [x](y) | `c` **b** https://evil.example ![i](j)"[:80]


def won(budget: float, wins: int, timeouts: int = 0) -> list:
    """Games of which some are won, each with a little more budget, and some run out of time."""
    verdicts = [*[Verdict.WIN] * wins, *[Verdict.TIMEOUT] * timeouts, *[Verdict.LOSS] * TRIALS]
    reasons = {Verdict.TIMEOUT: "used more than 10 s of CPU"}
    return [game(n, verdicts[n], budget + n / 1000, reasons.get(verdicts[n], "")) for n in range(TRIALS)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four entries that were played, one that ended and one that is open."""
    found = tmp_path / "contest.sqlite"
    with started(found, TRIALS, records={0.05: 15.6, 0.5: 36.9}) as ledger:
        best = enter(ledger, "Best", "# best", Credit(AUTHOR, "https://example.org/a?b=c&d=e"))
        for entry, games in (
            (best, won(9.5, 40)),
            (enter(ledger, "As good", "# as good"), won(9.5, 40)),
            (enter(ledger, "Half", "# half"), won(11.0, 24, 2)),
            (enter(ledger, "Nothing", "# nothing"), won(3.0, 0, 3)),
            (enter(ledger, "Open", "# open"), won(1.0, 40)[:39]),
        ):
            finish(ledger, entry, games)
        broken = finish(ledger, enter(ledger, "Broken", "# broken"), won(1.0, 40))  # before it ended
        ledger.end(broken, "it could not be started, 3 times in a row", "a secret reason")
    return found


def shown(cli: Cli, path: Path, *more: str) -> str:
    return cli("contest", "board", "--ledger", str(path), *more).out


def test_each_entry_is_told_and_found_by_its_name_or_its_id(path: Path, cli: Cli) -> None:
    """`tests/cli/test_every_cell.py` has the ranks, which are among all entries."""
    told = shown(cli, path)
    (own_id,) = re.findall(r"Half \(([0-9a-f]{12})\): 24 WIN, 14 LOSS, 2 TIMEOUT\n", told)
    assert re.search(r"Broken \([0-9a-f]{12}\): has no rank: it could not be started, 3 times in a row", told)
    assert re.search(r"Open \([0-9a-f]{12}\): is open: 39 games played so far", told)
    one, same = (shown(cli, path, name, "--format", "csv") for name in ("half", own_id))
    rows = [row[:3] for row in csv.reader(one.splitlines())][1:]
    assert rows == [["5th", "3", "Half"], ["50th", "3", "Half"], ["95th", "", "Half"]] and same == one
    assert "no entry that matches" in refused(cli, "contest", "board", "--ledger", str(path), own_id[:11])
    sql(path, "UPDATE entries SET contest_files = 'with files' WHERE name = 'Half'")
    assert "24 WIN, 14 LOSS, 2 TIMEOUT; with files\n" in shown(cli, path)


def test_records_are_beaten_by_the_margin(path: Path) -> None:
    """The margin is 5%: 14.82 of 15.6, though not in binary."""
    with started(path.with_name("edge.sqlite"), 1, records={0.05: 15.6}) as ledger:
        for budget in (14.82, 14.821):
            finish(ledger, enter(ledger, f"{budget}", f"# {budget}"), [game(0, Verdict.WIN, budget)])
        assert [entry.p05.beats_record for entry in read_board(ledger).entries] == [True, False]


def test_until_the_close_no_form_tells_more_than_percentiles_and_verdicts(path: Path, cli: Cli, tmp_path: Path) -> None:
    with Ledger(path, read_only=True) as ledger:
        contest = ledger.contest
    hidden = (contest.provisional_seed, contest.final_seed, "a secret reason", "used more than", "haste", "salet")
    texts = [shown(cli, path, *more) for more in ((), ("--json",), ("--format", "csv"))]
    for name, more in (("b.md", ()), ("b.csv", ()), ("b.json", ()), ("c.csv", ("--format", "contest"))):
        done = cli("contest", "board", "--ledger", str(path), "--out", name, *more)
        texts += [done.err, (tmp_path / name).read_text()]
    assert texts[-1].startswith("strategy;p05;p50;p95;timeouts\n")
    assert [word for word in hidden for text in texts if word in text] == []
    errors = "\n".join(f"line {n}" for n in range(14))
    sql(path, "UPDATE games SET errors = ? WHERE reason != '' AND trial = 25", values=(errors,))
    host = cli("contest", "board", "--ledger", str(path), "--host").err
    assert "a secret reason" in host and "2 games lost: used more than 10 s of CPU" in host
    assert "TIMEOUT: used more than 10 s of CPU\n    line 2\n" in host, "the last twelve"


def test_the_final_board_is_of_the_final_games_and_has_both_seeds(path: Path, cli: Cli) -> None:
    with Ledger(path) as ledger:
        for entry in ledger.entries()[:2]:
            finish(ledger, entry, won(20.0 + entry.key, 40), FINAL)
        ledger.mark("closing")
        assert "the close has begun: wordpl contest close resumes it" in read_board(ledger).notes
        assert (read_board(ledger).stage, read_board(ledger).seeds) == (PROVISIONAL, {})
        ledger.mark("closed")
        contest, board = ledger.contest, read_board(ledger)
    assert board.stage == FINAL and board.seeds == {PROVISIONAL: contest.provisional_seed, FINAL: contest.final_seed}
    assert [entry.p05.rank for entry in board.entries if entry.p05] == [1, 2]
    told = shown(cli, path)
    assert told.startswith("Final board") and "the close has begun" not in told
    for stage, seed in board.seeds.items():
        assert f"\nSHA-256 of the seed of the {stage} games: {hashlib.sha256(seed.encode()).hexdigest()}\n" in told
        assert f"\nseed of the {stage} games: {seed}\n" in told


# Whatever a contestant chose stays text.


def test_a_table_for_a_readme(path: Path, cli: Cli) -> None:
    """`tests/reporting/test_strangers_texts.py` has what a text could do there, and in all other forms."""
    found = [line for line in shown(cli, path, "--format", "markdown").splitlines() if line.startswith("|")][2:]
    assert [("](<https://example.org/a?b=c&d=e>)" in row) for row in found] == [True, False, False, False] * 3
    assert "@<!-- -->octocat" in found[0]
    sql(path, "UPDATE entries SET author = ''", "UPDATE entries SET link = 'javascript:alert(1)' WHERE name = 'Half'")
    told = shown(cli, path, "--format", "markdown")
    assert "| 5th | 1 | [Best](<https://example.org/a?b=c&d=e>) |" in told
    assert "javascript" not in told + shown(cli, path, "--json")
