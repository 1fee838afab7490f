"""The commands of the contest: what they refuse, an entry from its submission to its audit, and the clock."""

import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.helpers import ASKS_ONCE, THINKS
from wordpl.contest import sandbox
from wordpl.contest.ledger.writer import Ledger


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_bytes(ASKS_ONCE)
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary/strategy.py").write_bytes(ASKS_ONCE)
    (tmp_path / "binary/table.npy").write_bytes(b"\xff")
    (tmp_path / "bad.py").write_text("raise RuntimeError('\\x1b[31mred\\nline')")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["contest", "submit", "good.py", "--name", "=1+1"], "name"),
        (["contest", "submit", "good.py", "--name", "X", "--nonce", "a\nb"], "nonce"),
        (["contest", "submit", "good.py", "--name", "X", "--start-seconds", "inf"], "start_seconds"),
        (["contest", "submit", "binary", "--name", "X", "--publish-source"], "not text in UTF-8"),
        (["contest", "clear", "x"], "--reason"),
        (["contest", "submit", "good.py", "--name", "X", "--ledger", "good.py"], "not a contest file"),
        (["contest", "submit", "bad.py", "--name", "X"], "cannot be started"),
        (["score", "good.py", "--sandbox", "--out", "x.sqlite"], "--out"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], said: str, folder: Path, cli: Cli) -> None:
    done = cli(*arguments)
    # Progress is shown after two seconds, which a busy machine may take.
    lines = [line for line in done.err.splitlines() if not re.match(r"submission |\d+/\d+ trials", line)]
    assert done.code == 2
    assert len(lines) == 1, done.err
    assert said in lines[0]
    assert "\x1b" not in done.err
    assert list(folder.rglob("*.sqlite")) == [], "no ledger is left by what is refused"


def test_a_contest_is_closed_after_a_question_and_then_takes_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ["--ledger", str(tmp_path / "contest.sqlite")]
    Ledger(tmp_path / "contest.sqlite").close()
    assert "--yes" in refused(cli, "contest", "close", *ledger)
    for answer, code in (("n\n", 130), ("\n", 130), ("y\n", 0)):
        terminal = io.StringIO(answer)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        done = cli("contest", "close", *ledger)
        assert done.code == code
        assert ("closed; its secret" in done.out) == (answer == "y\n")
    with Ledger(tmp_path / "contest.sqlite", read_only=True) as book:
        assert book.contest.closed
    assert "closed; its secret" in cli("contest", "close", "--yes", *ledger).out


NAMESPACE = """
from types import SimpleNamespace

def first_move():
    return "trace", 12.0

def next_move(guess, epsilon, clues):
    return "crane", 0

strategy = SimpleNamespace(first_move=first_move, next_move=next_move, cache=object())
"""


@pytest.mark.usefixtures("short_runs")
def test_an_entry_that_is_a_namespace_is_submitted_shown_and_audited(tmp_path: Path, cli: Cli) -> None:
    """Its name would say where a function and an object lie in memory: elsewhere when it plays again."""
    (tmp_path / "mine.py").write_text(NAMESPACE)
    submit = ("contest", "submit", "mine.py", "--json")
    done = cli(*submit, "--name", "Good", "--nonce", "beacon 17")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    assert record["state"] == "finished"
    assert record["trials"] == 20
    assert record["nonce"] == "beacon 17"
    assert record["strategy"].endswith("next_move=<function next_move>, cache=<object object>)")
    before, after = done.err.split("finished; secret")
    assert record["commitment"] in before and "beacon 17" in before
    assert record["seed"] in after and record["seed"] not in before

    assert json.loads(cli("contest", "board", "--json").out) == [record]
    checked = cli("contest", "audit", "--file", "mine.py", "--json")
    (entry,) = json.loads(checked.out)["entries"]
    assert (checked.code, entry["played_again"], entry["faults"]) == (0, 20, [])

    again = cli(*submit, "--name", "Another name")
    assert json.loads(again.out) == record
    assert "as Good" in again.err
    assert cli(*submit, "--name", "Good", "--nonce", "beacon 18").code == 2


def test_check_runs_nothing_without_a_sandbox_unless_the_file_is_trusted(
    folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "seen.py").write_text((folder / "good.py").read_text() + f"open({str(folder / 'ran')!r}, 'w').close()\n")
    monkeypatch.setenv("PATH", str(folder / "nowhere"))
    for found_before in (sandbox.find, sandbox._bwrap):
        found_before.cache_clear()
    done = cli("check", "seen.py", "--games", "1", "--sandbox")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "bubblewrap is not installed" in done.err
    assert "without --sandbox" in done.err
    assert not (folder / "ran").exists()
    done = cli("check", "seen.py", "--games", "1")
    assert done.code == 0, done.err
    assert "no sandbox" in done.out
    assert (folder / "ran").exists()


def test_the_clock_of_games_can_be_set(folder: Path, cli: Cli) -> None:
    (folder / "timed.py").write_text(THINKS)
    done = cli("score", "timed.py", "--trials", "1", "--jobs", "1", "--json", "--sandbox", "--game-seconds", "0.2")
    assert json.loads(done.out)["reasons"] == [{"reason": "used more than 0.2 s of CPU", "trials": 1}]
