"""The board: the contest's own percentiles, what an entrant may see, and every form in which it is shown."""

import csv
import hashlib
import json
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


def test_each_entry_is_told_and_found_by_its_name_or_its_id(path: Path, cli: Cli) -> None:
    """`tests/cli/test_every_cell.py` has the ranks, which are among all entries."""

    def shown(*more: str) -> str:
        return cli("contest", "board", "--ledger", str(path), *more).out

    told = shown()
    (own_id,) = re.findall(r"Half \(([0-9a-f]{12})\): 24 WIN, 14 LOSS, 2 TIMEOUT\n", told)
    assert re.search(r"Broken \([0-9a-f]{12}\): has no rank: it could not be started, 3 times in a row", told)
    assert re.search(r"Open \([0-9a-f]{12}\): is open: 39 games played so far", told)
    one, same = (shown(name, "--format", "csv") for name in ("half", own_id))
    rows = [row[:3] for row in csv.reader(one.splitlines())][1:]
    assert rows == [["5th", "3", "Half"], ["50th", "3", "Half"], ["95th", "", "Half"]] and same == one
    for part in ("nobody", own_id[:11]):
        assert "no entry that matches" in refused(cli, "contest", "board", "--ledger", str(path), part)
    sql(path, "UPDATE entries SET contest_files = 'with files' WHERE name = 'Half'")
    assert f"Half ({own_id}): 24 WIN, 14 LOSS, 2 TIMEOUT; with files\n" in shown()


def test_records_are_beaten_by_the_margin(path: Path) -> None:
    """The margin is 5%: 14.82 of 15.6, though not in binary."""
    with started(path.with_name("edge.sqlite"), 1, records={0.05: 15.6}) as ledger:
        for budget in (11.7, 14.82, 14.821, 31.2):
            finish(ledger, enter(ledger, f"{budget}", f"# {budget}"), [game(0, Verdict.WIN, budget)])
        board = read_board(ledger)
    assert [entry.p05.beats_record for entry in board.entries] == [True, True, False, False]
    improvements = [entry.p05.improvement_percent for entry in board.entries]
    assert improvements == pytest.approx([25.0, 5.0, 100 * 0.779 / 15.6, -100.0])
    columns, rows, _ = board.table()
    told = ["percentile", "rank", "name", "score", "interval", "record", "improvement (%)", "beats record", "id"]
    assert columns == told and {len(row) for row in rows} == {9}, "nobody has an author"


def test_until_the_close_no_form_tells_more_than_percentiles_and_verdicts(path: Path, cli: Cli, tmp_path: Path) -> None:
    with Ledger(path, read_only=True) as ledger:
        contest = ledger.contest
    hidden = (contest.provisional_seed, contest.final_seed, "a secret reason", "used more than", "haste", "salet")
    shown = [cli("contest", "board", "--ledger", str(path), *more) for more in ((), ("--json",), ("--format", "csv"))]
    texts = [done.out + done.err for done in shown]
    for name, more in (("b.md", ()), ("b.csv", ()), ("b.json", ()), ("c.csv", ("--format", "contest"))):
        done = cli("contest", "board", "--ledger", str(path), "--out", name, *more)
        assert done.code == 0, done.err
        texts.append((tmp_path / name).read_text())
    assert texts[-1].startswith("strategy;p05;p50;p95;timeouts\n")
    for text in texts:
        assert not [word for word in hidden if word in text]
    host = cli("contest", "board", "--ledger", str(path), "--host").err
    assert "a secret reason" in host and "2 games lost: used more than 10 s of CPU" in host
    errors = "\n".join(f"line {n}" for n in range(14))
    sql(path, "UPDATE games SET errors = ? WHERE reason != '' AND trial = 25", values=(errors,))
    lines = cli("contest", "board", "Half", "--ledger", str(path), "--host").err.splitlines()
    late = [f"{lines[0].partition(':')[0]} trial {n}: TIMEOUT: used more than 10 s of CPU" for n in (24, 25)]
    assert lines[1:] == [*late, *(f"    line {n}" for n in range(2, 14))], "the last twelve"
    sql(path, "UPDATE games SET errors = '', reason = 'reason ' || (trial % 7) WHERE reason != '' OR verdict = 'LOSS'")
    lines = cli("contest", "board", "Nothing", "--ledger", str(path), "--host").err.splitlines()
    told = [line.partition(": ")[2] for line in lines]
    assert told[:5] == [f"6 games lost: reason {n}" for n in range(5)], "the five commonest of seven"
    assert [line.split()[2] for line in lines[5:]] == ["0:", "1:", "2:", "3:", "4:"], "the first five games"


def test_the_final_board_is_of_the_final_games_and_has_both_seeds(path: Path, cli: Cli) -> None:
    with Ledger(path) as ledger:
        for entry in ledger.entries()[:2]:
            finish(ledger, entry, won(20.0 + entry.key, 40), FINAL)
        assert read_board(ledger).stage == PROVISIONAL
        resumes = "the close has begun: wordpl contest close resumes it"
        assert resumes not in read_board(ledger).notes
        ledger.mark("closing")
        assert read_board(ledger).stage == PROVISIONAL and resumes in read_board(ledger).notes
        ledger.mark("closed")
        contest, board = ledger.contest, read_board(ledger)
    assert board.stage == FINAL and board.seeds == {PROVISIONAL: contest.provisional_seed, FINAL: contest.final_seed}
    assert [entry.p05.rank for entry in board.entries if entry.p05] == [1, 2]
    sql(path, "UPDATE entries SET call = 'Mine(epsilon=9)', entered = '2026-11-22T10:00:00+00:00' WHERE key = 1")
    first = json.loads(cli("contest", "board", "Best", "--ledger", str(path), "--json").out)["entries"][0]
    assert (first["call"], first["entered"]) == ("Mine(epsilon=9)", "2026-11-22T10:00:00+00:00")
    shown = cli("contest", "board", "--ledger", str(path)).out
    assert shown.startswith("Final board") and resumes not in shown
    for stage, seed in ((PROVISIONAL, contest.provisional_seed), (FINAL, contest.final_seed)):
        assert f"\nSHA-256 of the seed of the {stage} games: {hashlib.sha256(seed.encode()).hexdigest()}\n" in shown
        assert f"\nseed of the {stage} games: {seed}\n" in shown


# Whatever a contestant chose stays text.


def out(cli: Cli, path: Path, name: str, *more: str) -> str:
    run = cli("contest", "board", "--ledger", str(path), "--out", str(path.with_name(name)), *more)
    assert run.code == 0, run.err
    return path.with_name(name).read_text()


def test_a_table_for_a_readme(path: Path, cli: Cli) -> None:
    """`tests/reporting/test_strangers_texts.py` has what a text could do there, and in other formats."""
    lines = out(cli, path, "board.md").splitlines()
    assert lines[0].startswith("### Provisional board")
    assert [line[:5] for line in (lines[-8], *lines[-2:])] == ["- Bes", "- SHA", "- SHA"]
    started(path.with_name("empty.sqlite")).close()
    empty = out(cli, path.with_name("empty.sqlite"), "empty.md").splitlines()
    assert [line[:5] for line in empty] == ["### P", "", "- SHA", "- SHA"]
    found = [line for line in lines if line.startswith("|")][2:]
    assert [("](<https://example.org/a?b=c&d=e>)" in row) for row in found] == [True, False, False, False] * 3
    assert "@<!-- -->octocat" in found[0]
    sql(path, "UPDATE entries SET author = CASE name WHEN 'Half' THEN 'Ann' ELSE '' END")
    assert "| 5th | 1 | [Best](<https://example.org/a?b=c&d=e>) |" in out(cli, path, "names.md")
    sql(path, "UPDATE entries SET link = 'javascript:alert(1)' WHERE name = 'Best'")
    assert "javascript" not in out(cli, path, "a.md") + out(cli, path, "a.json")


def test_whatever_somebody_wrote_into_the_file_is_visible_text(path: Path) -> None:
    for column in ("id", "digest", "name", "author", "link", "call", "contest_files", "entered", "ended"):
        sql(path, f"UPDATE entries SET {column} = ? || key", values=("\x1b[31m\u202e",))  # noqa: S608
    with Ledger(path, read_only=True) as ledger:
        board = read_board(ledger)
    texts = [text for entry in board.entries for text in vars(entry).values() if isinstance(text, str)]
    assert len(texts) == 6 * 9 + 6 and all(map(str.isprintable, texts))
