"""The ledger: one contest, one entry for one content, one process that plays, and strangers' files that are data. And
the board, which shows the contest's own percentiles."""

import csv
import hashlib
import math
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, patch

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.helpers import ORIGINAL, SMALL
from tests.support.ledgers import enter, finish, game, sql, started, submission
from tests.support.refusals import refusal
from wordpl import Ball, Setting
from wordpl.contest import Contest, Credit, Ledger, Limits, read_board, start_contest
from wordpl.contest.ledger import SECRET
from wordpl.contest.limits import MIB
from wordpl.contest.records import FINAL, PROVISIONAL, cell_of, record_of, typed
from wordpl.contest.replay import difference
from wordpl.play.referee import Verdict
from wordpl.simulation.known_budgets import RECORDS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with started(tmp_path / "contest.sqlite") as found:
        yield found


def read(path: Path) -> Contest:
    with Ledger(path, read_only=True) as ledger:
        return ledger.contest


def test_a_contest_keeps_its_terms_and_shows_the_hashes_of_two_seeds(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "contest.sqlite"
    terms = ("--rule", "counted", "--channel", "ball:1", "--memory", "100", "--game-seconds", "5")
    given = ("--record", "5=14.3", "--record", "95=70", "--margin", "10", "--trials", "77")
    done = cli("contest", "start", "--ledger", str(path), *terms, *given)
    assert done.code == 0, done.err
    contest = read(path)
    title = "77 games, word list original, rule counted, ball:1, cpu seconds 5, memory 100 MiB"
    assert done.out.splitlines()[0] == f"the contest is in {path}: {title}"
    assert contest.setting() == Setting(ORIGINAL, "counted", contest.setting().channel)
    fewer = replace(contest, answers=" ".join(ORIGINAL.answers[1:])).setting().words
    assert fewer.answers == ORIGINAL.answers[1:], "a list of a bundled name that is another stays one"
    assert (contest.channel, contest.trials, contest.margin) == ("ball:1", 77, 0.1)
    Path("own.py").write_text("raise SystemExit")  # which a stranger's ledger must not run
    assert "without a file" in refusal(replace(contest, channel="own.py:Own").setting)
    assert contest.records == {0.05: 14.3, 0.95: 70.0}
    assert (contest.limits.memory, contest.limits.cpu_seconds) == (100 * MIB, 5.0)
    for seed in {contest.provisional_seed, contest.final_seed}:
        assert hashlib.sha256(seed.encode()).hexdigest() in done.out and seed not in done.out + done.err
    assert "there already" in refused(cli, "contest", "start", "--ledger", str(path))
    assert read(path) == contest and path.stat().st_mode & 0o777 == 0o600
    assert cli("contest", "start", "--ledger", "usual.sqlite").code == 0
    usual = read(Path("usual.sqlite"))
    assert (usual.trials, usual.margin, usual.limits) == (1001, 0.05, Limits())
    assert usual.records == {0.05: 15.6, 0.5: 36.9, 0.95: 75.0}


def test_records_are_the_contests_own_only_where_its_games_are_played(tmp_path: Path) -> None:
    (tmp_path / "1").touch()  # as a start leaves it that was killed
    assert start_contest(tmp_path / "1").records == RECORDS
    assert start_contest(tmp_path / "2", Setting(SMALL)).records == {}
    assert start_contest(tmp_path / "3", Setting(ORIGINAL, channel=Ball)).records == {}
    assert start_contest(tmp_path / "4", Setting(ORIGINAL, "counted")).records == {}


def test_both_seeds_follow_from_a_secret_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "a secret of a repository, which is long")
    first, second = (start_contest(tmp_path / name, trials=9) for name in "ab")
    assert (first.provisional_seed, first.final_seed) == (second.provisional_seed, second.final_seed)
    for stage, seed in ((PROVISIONAL, first.provisional_seed), (FINAL, first.final_seed)):
        text = f"wordpl contest {stage}\na secret of a repository, which is long"
        assert seed == hashlib.sha256(text.encode()).hexdigest(), "as other versions of wordpl have it"
    monkeypatch.setenv(SECRET, "s" * 32)
    start_contest(tmp_path / "d")
    monkeypatch.setenv(SECRET, "s" * 31)
    assert "too short" in refusal(start_contest, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_terms_that_no_option_could_give_are_refused(tmp_path: Path) -> None:
    own = type("Own", (Ball,), {})
    assert "a channel that has a name" in refusal(start_contest, tmp_path / "own", Setting(ORIGINAL, channel=own))
    for terms in ({"records": {0.05: 0.0}}, {"margin": 1.0}, {"trials": 1_000_001}):
        refusal(start_contest, tmp_path / "terms", **terms)
    assert list(tmp_path.iterdir()) == []
    contest = start_contest(tmp_path / "contest.sqlite", margin=0.0)
    for seed in ("0" * 63, "A" * 64, "0" * 64 + "\n"):
        assert "64 hexadecimal digits" in refusal(replace, contest, final_seed=seed)


# Entries.


def test_the_same_content_is_one_entry_under_whatever_name(ledger: Ledger) -> None:
    first = ledger.enter(submission(call="Mine(epsilon=10)"), "Mine", Credit("Ann", "https://example.org"))
    assert ledger.enter(submission(call="Mine(epsilon=10)"), "Other") == first
    assert (first.author, first.link) == ("Ann", "https://example.org")
    second = ledger.enter(submission(call="Mine(epsilon=11)"), "Other")
    assert [entry.id for entry in ledger.entries()] == [first.id, second.id]
    assert ledger.submission(first).files == submission().files
    assert ledger.submission(first).maker == ("Mine", (), {"epsilon": 10})
    again, asked = submission(call="Mine(epsilon=12)"), ["Just before"]  # from another process
    with Ledger(ledger.path) as other, patch.object(other, "transaction", wraps=other.transaction) as begin:
        begin.side_effect = lambda: DEFAULT if not asked or ledger.enter(again, asked.pop()) else None
        assert other.enter(again, "Third").name == "Just before"


def test_a_name_is_one_entrys_until_that_has_ended(ledger: Ledger) -> None:
    first, second = enter(ledger, "Mine"), enter(ledger, "Mine too", "# too\n")
    assert [ledger.entry(match) for match in ("Mine", "TOO", second.id)] == [first, second, second]
    assert "2 entries 'mine'" in refusal(ledger.entry, "mine") and "0 entries 'yours'" in refusal(ledger.entry, "yours")
    assert "taken by 'Mine'" in refusal(enter, ledger, "M1NE", "# other\n")
    ledger.end(first, "it could not be started", "")
    assert enter(ledger, "M1NE", "# other\n").name == "M1NE"
    assert "name" in refusal(enter, ledger, "=1+1", "# third\n")


def test_links_and_authors_that_are_refused() -> None:
    wrong = 'http://a.org javascript:alert(1) https:// https://a/<b> https://a/)b https://a/"b https://user@evil/'
    for link in (*wrong.split(), "https://a b", "https://a/\n", "https://a/" + "b" * 191):
        assert "such as https" in refusal(Credit, link=link)
    assert Credit("y" * 80, "https://a-b.example:8080/~c/%20_d.e?f=g&h=1+2,3;4@5-6#7")
    assert Credit(link="https://a/" + "b" * 190).link  # 200 characters
    for author in ("a\nb", "\x1b[31m", " x", "y" * 81, "\u202egpj", "a\u200bb"):
        assert "author" in refusal(Credit, author=author)


def test_a_stored_game_is_never_changed_and_the_stages_are_apart(ledger: Ledger) -> None:
    entry = finish(ledger, enter(ledger), [game(0), game(3)])
    ledger.add(entry, PROVISIONAL, [game(0, budget=1.0)])
    ledger.add(entry, FINAL, [game(0, budget=2.0)])
    assert list(ledger.games(entry, PROVISIONAL)) == [game(0), game(3)]
    assert [found.budget for found in ledger.games(entry, FINAL)] == [2.0]


def test_a_digest_tells_one_board_from_another(ledger: Ledger) -> None:
    """What no board shows, such as another game of the final stage before the close, does not change it."""
    entry, versions = enter(ledger), [ledger.version]
    for change in (
        lambda: ledger.add(entry, PROVISIONAL, [game(1)]),
        lambda: ledger.end(entry, "it could not be started", ""),
        lambda: ledger.mark("closed"),
    ):
        ledger.add(entry, FINAL, [game(len(versions))])
        assert ledger.version == versions[-1]
        change()
        versions.append(ledger.version)
    assert len(set(versions)) == 4


def test_a_board_is_read_from_one_state(ledger: Ledger) -> None:
    entry = enter(ledger)
    with Ledger(ledger.path, read_only=True) as reader:
        with reader.snapshot():
            assert list(reader.games(entry, PROVISIONAL)) == []
            writer = sqlite3.connect(ledger.path, timeout=0.0, isolation_level=None)
            with closing(writer), pytest.raises(sqlite3.OperationalError, match="locked"):
                writer.execute("DELETE FROM entries")
            assert reader.entries() == [entry]
        finish(ledger, entry, [game(0)])
        assert list(reader.games(entry, PROVISIONAL)) == [game(0)]


def test_one_process_plays(ledger: Ledger) -> None:

    def play() -> None:
        with ledger.playing():
            pass

    with ledger.playing(), Ledger(ledger.path) as other:
        assert "another process plays" in refusal(play)
        assert other.entries() == [], "reading does not wait"
    play()
    (lock,) = ledger.path.parent.glob("*-lock")
    assert lock.name == "contest.sqlite-lock" and lock.name in (ROOT / "docs/how-to/host.md").read_text()
    lock.unlink()
    lock.mkdir()
    assert "cannot lock" in refusal(play)


# Files of strangers.


def test_a_file_that_is_no_ledger_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    started(path).close()
    sql(path, "PRAGMA user_version = 1")
    (tmp_path / "text").write_text("no database at all, but long enough to be read as one" * 20)
    (tmp_path / "empty").touch()
    for read_only in (False, True):
        assert re.search(r"of format 1.*reads format 10", refusal(Ledger, path, read_only=read_only))
        assert "not a contest file" in refusal(Ledger, tmp_path / "text", read_only=read_only)
        assert "no contest file" in refusal(Ledger, tmp_path / "nowhere.sqlite", read_only=read_only)
        assert "contest" in refusal(Ledger, tmp_path / "empty", read_only=read_only)
        assert (tmp_path / "empty").stat().st_size == 0
    started(tmp_path / "none.sqlite").close()
    sql(tmp_path / "none.sqlite", "DELETE FROM contest")
    with Ledger(tmp_path / "none.sqlite") as ledger:
        assert "holds 0 contests; one is expected" in refusal(lambda: ledger.contest)


def test_a_damaged_page_is_one_line(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "contest.sqlite"
    with started(path, 500) as ledger:
        finish(ledger, enter(ledger))
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    path.write_bytes(content)
    for command in (("board",), ("replay",), ("submit", "mine.py", "--name", "Mine"), ("close", "--yes")):
        (tmp_path / "mine.py").write_text("class Mine:\n    first_move = next_move = None\n")
        said = refused(cli, "contest", *command, "--ledger", str(path))
        assert "cannot be read: database disk image is malformed" in said


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("limits", "[" * 5000, "the contest: limits is not JSON"),
        ("limits", "9" * 5000, "the contest: limits is not JSON"),
        ("limits", b"{}", "the contest: limits is not JSON"),
        ("limits", "{}", "the contest: limits is not a valid Limits"),
        ("records", '{"0.05": NaN}', "the contest: records is not"),
        ("records", '{"0.06": 1.0}', "the contest is not allowed: a record is"),
        ("trials", "9", "the contest: trials is not a valid int"),
    ],
)
def test_a_cell_that_wordpl_never_writes_is_one_line(column: str, cell: object, said: str, ledger: Ledger) -> None:
    cells = {name: cell_of(value) for name, value in vars(ledger.contest).items()}
    assert record_of(Contest, [*cells.values()], "the contest") == ledger.contest
    assert said in refusal(record_of, Contest, [*{**cells, column: cell}.values()], "the contest")


def test_numbers_of_a_record_are_from_0_up_and_finite() -> None:
    wrong: dict[type, list[object]] = {int: [-1, 1 << 62, True, 2.0, "1"], float: [-0.5, 10**400, math.inf, True, "1"]}
    for hint, value in ((hint, value) for hint, values in wrong.items() for value in values):
        assert f"is not a valid {hint.__name__}" in refusal(typed, value, hint, "a cell")
    hints = {
        list[tuple[str, float, int]]: ({}, [{}], [["salet", 9.0]], [["salet", 9.0, 0.5]], [[None, 9.0, 0]]),
        dict[float, float]: ({"x": 1.0}, {"0.5": -1.0}),
        Limits: ({"memory": 1}, {**vars(Limits()), "tasks": 0}, {**vars(Limits()), "more": 1}),
        **{str | None: (5,), str: (None,), Verdict: ("WON", None)},
    }  # fmt: skip
    for hint, value in ((hint, value) for hint, values in hints.items() for value in values):
        refusal(typed, value, hint, "a cell")


def test_the_wall_clock_is_six_times_the_cpu_time_and_at_least_a_minute() -> None:
    for cpu, wall in ((5.0, 60.0), (10.0, 60.0), (30.0, 180.0)):
        assert Limits.for_games_of(cpu) == Limits(game_seconds=wall, move_seconds=wall, cpu_seconds=cpu)


def test_a_verdict_that_a_clock_can_change_is_told_as_such() -> None:
    won, late = game(3), game(3, Verdict.TIMEOUT)
    by_clock = "a clock or a busy machine alone can make this difference"
    assert by_clock in difference(late, won) and by_clock in difference(won, late)
    for verdict in (Verdict.MEMORY, Verdict.CRASH, Verdict.INVALID, Verdict.PROTOCOL):
        assert (by_clock in difference(won, game(3, verdict))) == (verdict in (Verdict.MEMORY, Verdict.CRASH))
    said = "trial 3: ask 0 is ('salet', 9.5, 7) in the ledger and ('salet', 8.0, 7) when played again"
    assert difference(won, game(3, budget=8.0)) == said
    assert "asks is 2 in the ledger and 1 when" in difference(replace(won, log=won.log * 2), won)
    for name, value in {"answer": "other", "proposed": "other", "verdict": Verdict.LOSS, "budget": 0.5}.items():
        what = f"{'the ' * (name == 'answer')}{name} is {getattr(won, name)} in the ledger and {value}"
        assert difference(won, replace(won, **{name: value})) == f"trial 3: {what} when played again"
    assert difference(won, replace(won, seconds=9.0, slowest=9.0, errors="more")) == ""


# The board: what an entrant may see, and every form in which it is shown.


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
    told = shown(cli, path)
    (own_id,) = re.findall(r"Half \(([0-9a-f]{12})\): 24 WIN, 14 LOSS, 2 TIMEOUT\n", told)
    assert re.search(r"Broken \([0-9a-f]{12}\): has no rank: it could not be started, 3 times in a row", told)
    assert re.search(r"Open \([0-9a-f]{12}\): is open: 39 games played so far", told)
    one, same = (shown(cli, path, name, "--format", "csv") for name in ("half", own_id[2:].upper()))
    rows = [row[:3] for row in csv.reader(one.splitlines())][1:]
    assert rows == [["5th", "3", "Half"], ["50th", "3", "Half"], ["95th", "", "Half"]] and same == one
    assert "no entry that matches" in refused(cli, "contest", "board", "--ledger", str(path), f"half {own_id}")
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


def test_a_table_for_a_readme(path: Path, cli: Cli) -> None:
    found = [line for line in shown(cli, path, "--format", "markdown").splitlines() if line.startswith("|")][2:]
    assert [("](<https://example.org/a?b=c&d=e>)" in row) for row in found] == [True, False, False, False] * 3
    assert "@<!-- -->octocat" in found[0]
    sql(path, "UPDATE entries SET author = ''", "UPDATE entries SET link = 'javascript:alert(1)' WHERE name = 'Half'")
    told = shown(cli, path, "--format", "markdown")
    assert "| 5th | 1 | [Best](<https://example.org/a?b=c&d=e>) |" in told
    assert "javascript" not in told + shown(cli, path, "--json")
