"""`wordpl new`: what it writes is a strategy that passes `check` and can be scored, whichever interface it has."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli
from wordpl.contest.check import TEMPLATES


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
