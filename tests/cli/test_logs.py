"""What goes to stderr: notes and progress as usual, nothing with --quiet, details with --verbose; no more than that."""

import json
import logging
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import wordpl
from tests.cli.conftest import written
from tests.support.helpers import TINY
from wordpl.base import progress
from wordpl.base.progress import Progress, show_progress


def test_verbose_says_what_is_done_and_changes_no_result(cli):
    given = ["score", "TwoGuess(18)", "-n", "6", "-j", "1", "-o", "r.sqlite", "--json"]
    first = cli(*given, "--verbose")
    again = cli(*given[:3], "9", *given[4:], "-v")
    assert (first.code, json.loads(first.out)["trials"]) == (0, 6)
    assert json.loads(again.out)["trials"] == 9
    assert "6 of 9 trials are already in the file" in again.err and "already" not in first.err
    assert cli(*given).err == ""


def test_quiet_says_nothing_but_results_and_errors(cli, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    given = ["score", "TwoGuess(18)", "-n", "20", "-j", "1", "-o", "r.sqlite"]
    assert "20/20 trials" in cli(*given, "--rule", "counted").err
    quiet = cli(*given, "--quiet")
    assert (quiet.code, quiet.err) == (0, "") and "win rate" in quiet.out
    noted = cli("results", "r.sqlite", "--games", "--out", "r.csv")
    assert noted.err == "40 trials written to r.csv\n"
    assert cli("results", "r.sqlite", "--games", "--out", "r.csv", "-q").err == ""
    assert "did you mean 'TwoGuess'" in cli("score", "TooGuess(18)", "-q").err


def test_the_log_of_a_strategy_is_not_ours(cli, monkeypatch):
    monkeypatch.setattr(wordpl, "parse_strategy", lambda spec: logging.getLogger("mine").info("theirs"))
    assert "theirs" not in cli("score", "X", "--verbose").err


def test_warnings_are_notes(cli, monkeypatch):
    def warn(*spec):
        warnings.warn("half of it is missing", stacklevel=1)
        raise wordpl.WordplError("no")

    monkeypatch.setattr(wordpl, "parse_strategy", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert cli("score", "X").err == "wordpl: warning: half of it is missing\nwordpl: no\n"
        assert cli("score", "X", "-q").err == "wordpl: no\n"


def test_a_note_says_what_makes_a_slow_score_faster(cli):
    for terms, noted in {"": True, ", None": False, ", shared_draws=True": False}.items():
        run = cli("score", f"MaxClueEntropy(2, 9.0{terms})", "-n", "2", "-j", "1", "--words", "fibble")
        assert run.code == 0 and ("monte_carlo=None is exact and faster" in run.err) == noted


COMMANDS = {
    "score": "score Greedy(9) -n 30 -j 1",
    "sampled win rate": "win-rate NGuess(2,epsilon=5) --sample --standard-error 0.1 -j 1",
    "proof": "tree prove -j 1",
    "export": "contest export Fifth() --out fifth.py",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_long_commands_tell_how_far_they_are(command, cli, tmp_path, monkeypatch):
    told: list[tuple[int, int]] = []

    @contextmanager
    def shown(unit: str = "trials") -> Iterator[Progress]:
        yield lambda what, new, done, total: told.append((done, total))

    monkeypatch.setattr(wordpl, "show_progress", shown)
    done = cli(*COMMANDS[command].split(), *(written(TINY, tmp_path) if command != "export" else []))
    assert done.code == 0, done.err
    assert all(0 <= finished <= total or not total for finished, total in told)
    totals = list(dict.fromkeys(total for _, total in told))
    # A pilot tells how large a sample has to be: until then there is no total, and so no time left.
    assert (totals[0] == 0 and len(totals) == 2) == (command == "sampled win rate")
    assert command != "score" or told[0] == (0, 30)  # before the first game has ended
    finished, total = told[-1]
    assert finished >= total - 1 > 0


@pytest.mark.parametrize("level", [logging.WARNING, logging.ERROR])
def test_the_lines_of_progress(level, monkeypatch, capsys):
    """Ten minutes of preparation are not part of the rate. Without a total no time is left; --quiet says nothing."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(logging.getLogger("wordpl"), "level", level)
    with show_progress() as shown:
        shown("A(1)", 0, 0, 1000)
        now[0] = 600.0
        for done in range(10, 160, 10):
            shown("A(1)", 10, done, 1000)
            now[0] += 1.0
    with show_progress("histories") as shown:
        for done in (1, 2):
            now[0] += 20.0
            shown("x" * 100, 1, done, 0)
    told = ["A(1): 10/1000 trials", "A(1): 110/1000 trials, 10/s, 0:01:29 left"]
    told += [f"{'x' * 79}…: 1 histories", f"{'x' * 79}…: 2 histories, 3.0/min"]
    assert capsys.readouterr().err.splitlines() == (told if level < logging.ERROR else [])
