"""The commands of the contest: the close, and what runs without a sandbox."""

import io
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.helpers import ASKS_ONCE
from tests.support.ledgers import started
from wordpl.contest import Ledger, sandbox

pytestmark = pytest.mark.alone


def test_a_contest_is_closed_after_a_question_and_then_takes_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ["--ledger", str(tmp_path / "contest.sqlite")]
    started(tmp_path / "contest.sqlite").close()
    assert "--yes" in refused(cli, "contest", "close", *ledger)
    assert "close plays them" in refused(cli, "contest", "replay", "--stage", "final", *ledger)
    for answer, code in (("n\n", 2), ("\n", 2), ("y\n", 0)):
        terminal = io.StringIO(answer)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        done = cli("contest", "close", *ledger)
        assert done.code == code, done.err
        assert ("seed of the final games" in done.out) == (answer == "y\n")
    with Ledger(tmp_path / "contest.sqlite", read_only=True) as book:
        assert book.contest.closed
    assert "seed of the final games" in cli("contest", "close", *ledger).out, "there is nothing left to be asked"


def test_check_runs_nothing_without_a_sandbox_unless_the_file_is_trusted(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seen.py").write_text(ASKS_ONCE.decode() + f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    for found_before in (sandbox.find, sandbox._bwrap):
        found_before.cache_clear()
    done = cli("check", "seen.py", "--games", "1", "--sandbox")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "bubblewrap is not installed" in done.err
    assert "without --sandbox" in done.err
    started(tmp_path / "l.sqlite").close()
    submitted = refused(cli, "contest", "submit", "seen.py", "--name", "Seen", "--ledger", "l.sqlite")
    assert "bubblewrap is not installed" in submitted
    assert not (tmp_path / "ran").exists()
    done = cli("check", "seen.py", "--games", "1")
    assert done.code == 0, done.err
    assert "no sandbox" in done.out
    assert (tmp_path / "ran").exists()


def test_check_of_a_channel_does_not_run_it_in_this_process_if_a_sandbox_is_asked_for(tmp_path: Path, cli: Cli) -> None:
    """There the file can only be tested as a strategy, which it is not."""
    (tmp_path / "cap.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\nfrom wordpl import Ball as Capped\n"
    )
    confined = cli("check", "cap.py:Capped", "--sandbox")
    assert confined.code != 0 and not (tmp_path / "ran").exists()
