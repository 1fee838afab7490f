"""`wordpl new`: what it writes is a strategy that passes `check` and can be scored, whichever interface it has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from wordpl.contest.check import TEMPLATES
from wordpl.contest.ledger import Ledger
from wordpl.contest.sandbox import Trusted
from wordpl.errors import WordplError


@pytest.mark.heavy
@pytest.mark.parametrize("interface", TEMPLATES)
def test_a_template_passes_check_and_plays(cli: Cli, interface: str) -> None:
    run = cli("new", "mine.py", "--interface", interface)
    assert (run.code, run.out) == (0, "mine.py is written; next: wordpl check mine.py\n")
    findings = json.loads(cli("check", "mine.py", "--trusted", "--games", "2", "--json").out)
    assert [finding for finding in findings if not finding["passed"]] == []
    assert f"{interface} interface" in findings[0]["message"]
    tried = json.loads(cli("try", "mine.py", "--trusted", "-n", "30", "-j", "1", "--json").out)
    assert tried["errors"] == tried["timeouts"] == 0 and tried["wins"] > 0


@pytest.mark.heavy
def test_the_template_of_our_interface_is_scored_in_this_process_as_in_its_own(cli: Cli) -> None:
    cli("new", "mine.py", "--interface", "wordpl")
    options = ["-n", "30", "--seed", "4", "-j", "1", "--json"]
    scored = json.loads(cli("score", "mine.py:Mine(epsilon=12)", *options).out)
    tried = json.loads(cli("try", "mine.py:Mine(epsilon=12)", "--trusted", *options).out)
    assert scored["errors"] == 0
    assert {name: scored[name] for name in ("wins", "p05", "turns")} == {
        name: tried[name] for name in ("wins", "p05", "turns")
    }


def test_contest_is_the_default_and_other_interfaces_are_refused(cli: Cli) -> None:
    cli("new", "one.py")
    cli("new", "two.py", "--interface", "contest")
    with open("one.py") as one, open("two.py") as two:
        assert one.read().replace("one.py", "two.py") == two.read()
    run = cli("new", "three.py", "--interface", "contests")
    assert run.code == 2 and "did you mean 'contest'?" in run.err


# The clock of a game


SLOW = """
from time import process_time


class Slow:
    def first_move(self):
        end = process_time() + 0.4
        while process_time() < end:
            pass
        return "crate", 9.0

    def next_move(self, guess, epsilon, clues):
        return "stale", 0
"""


@pytest.mark.heavy
def test_check_holds_games_to_the_clock_that_is_given(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    check = ["check", "slow.py", "--trusted", "--games", "1", "--json"]
    short, usual = json.loads(cli(*check, "--game-seconds", "0.1").out), json.loads(cli(*check).out)
    assert "used more than 0.1 s of CPU" in json.dumps(short)
    assert "s of CPU" not in json.dumps([finding for finding in usual if not finding["passed"]])
    assert "game seconds" in cli(*check, "--game-seconds", "0").err


@pytest.mark.parametrize(("given", "seconds", "wall"), [([], 10.0, 60.0), (["--game-seconds", "20"], 20.0, 120.0)])
def test_the_clock_is_a_term_of_an_entry(
    given: list[str], seconds: float, wall: float, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise WordplError("stop")

    monkeypatch.setattr("wordpl.contest.submit.play_entry", stop)
    monkeypatch.setattr("wordpl.contest.submit.launcher", Trusted)
    (tmp_path / "slow.py").write_text(SLOW)
    assert cli("submit", "slow.py", "--name", "Slow", "--ledger", "l.sqlite", *given).err.endswith("wordpl: stop\n")
    with Ledger(tmp_path / "l.sqlite") as book:
        (entry,) = book.entries()
    assert (entry.played_under.cpu_seconds, entry.played_under.game_seconds) == (seconds, wall)
    assert entry.board.is_contest == (given == [])
