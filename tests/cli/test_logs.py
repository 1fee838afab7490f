"""What goes to stderr: notes and progress as usual, nothing with --quiet, details with --verbose; no more than that."""

import json
import logging
import warnings

import wordpl
from wordpl.base import progress


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
