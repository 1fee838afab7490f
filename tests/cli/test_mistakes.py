"""A user's mistake: exit code 2, one line on stderr that says what is allowed, nothing on stdout."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

MISTAKES = [
    (["scor", "Greedy(10)"], "'score'"),
    (["score"], "STRATEGY"),
    (["score", "Gredy(10)"], "'Greedy'"),
    (["score", "Greedy(epsilom=10)"], "'epsilon'"),
    (["score", "Greedy()"], "epsilon"),
    (["score", "Greedy(-1)"], "above 0"),
    (["score", "Greedy(epsilon=(1, 2), n_guesses=3)"], "3 asks"),
    (["score", "Greedy(epsilon=10, certainty=2)"], "0 to 1"),
    (["score", "Greedy(epsilon=open('x'))"], "literal"),
    (["score", "__import__('os').system('true')"], "Name(parameter=value"),
    (["score", "nowhere.py:Mine()"], "nowhere.py"),
    (["score", "Greedy(10)", "--trials", "0"], "from 1 to 100000000"),
    (["score", "Greedy(10)", "--trials", "many"], "--trials"),
    (["score", "Greedy(10)", "--trils", "3"], "--trials"),
    (["score", "Greedy(10)", "--words", "orignal"], "'original'"),
    (["score", "Greedy(10)", "--rule", "count"], "'counted'"),
    (["score", "Greedy(10)", "--channel", "fible"], "'fibble'"),
    (["score", "Greedy(10)", "--channel", "fible:3"], "'fibble'"),
    (["score", "Greedy(inf)", "--channel", "fibble:x"], "lies 'x' is not allowed"),
    (["score", "Greedy(inf)", "--channel", "fibble:6"], "more lies than words of 5 letters"),
    (["score", "Greedy(10)", "--channel", "randomized_response:-1"], "a number from 0 to inf"),
    (["score", "Greedy(10)", "--seed", "-1"], "from 0 to"),
    (["score", "Greedy(10)", "--jobs", "-3"], "from 0 up"),
    (["score", "Greedy(10)", "--until-width", "2"], "between 0 and 1"),
    (["score", "Greedy(10)", "--first-trial", "-1"], "first_trial -1 is not allowed; a whole number from 0"),
    (
        ["sweep", "Greedy()", "--first-trial", "9", "--until-width", "0.2"],
        "not allowed with until_width",
    ),
    (["score", "Greedy(10)", "--game-seconds", "0"], "above 0, or inf"),
    (["score", "Greedy(10)", "--game-seconds", "soon"], "--game-seconds"),
    (["try", "--trusted", "any.py", "--game-seconds", "-1"], "above 0, or inf"),
    (["sweep", "Greedy()", "--game-seconds", "nan"], "above 0, or inf"),
    (["score", "MaxClueEntropy(3, 13, first_guess='zzzzz')"], "zzzzz"),
    (["score", "Greedy(10)", "--answers", "missing.txt"], "missing.txt"),
    (["sweep", "Greedy()", "--epsilon", "5:50"], "START:STOP:STEP"),
    (["sweep", "Greedy()", "--epsilon", "five"], "five"),
    (["sweep", "Greedy()", "--epsilon", "0:10:5"], "above 0"),
    (["sweep", "Greedy()", "--epsilon", "1:1e9:0.001"], "10000"),
    (["sweep", "Greedy(10)", "--batch", "0"], "--batch"),
    (["results", "none.sqlite"], "none.sqlite"),
    (["plot", "none.sqlite"], "none.sqlite"),
    (["plot"], "FILE"),
    (["plot", "none.sqlite", "--by", "sed"], "'seed'"),
    (["plot", "none.sqlite", "--log", "z"], "auto, none, x, xy, y"),
    (["plot", "none.sqlite", "--label", "NGuess"], "CURVE=LABEL"),
    (["plot", "none.sqlite", "--title", "x" * 1001], "1,000"),
    (["results", "none.sqlite", "--where", "famly=x"], "'family'"),
    (["report", "none.sqlite"], "none.sqlite"),
    (["report", "--ledger", "none.sqlite"], "none.sqlite"),
    (["report"], "a results file, or --ledger FILE"),
    (["report", "a.sqlite", "--ledger", "b.sqlite"], "and not both"),
    (["report", "--ledger", "b.sqlite", "--where", "seed=1"], "--match"),
    (["compare", "TwoGuess(5)"], "at least two strategies"),
    (["compare", "TwoGuess(5)", "TwoGess(6)"], "'TwoGuess'"),
    (["compare", "TwoGuess(5)", "TwoGuess(5.0)"], "compared with itself"),
    (["compare", "TwoGuess(5)", "TwoGuess(6)", "--figure", "p06"], "'p50'"),
    (["compare", "TwoGuess(5)", "TwoGuess(6)", "--margin", "2"], "margin"),
    (["compare", "TwoGuess(5)", "TwoGuess(6)", "--where", "seed=1"], "--results"),
    (["compare", "TwoGuess(5)", "TwoGuess(6)", "-o", "a.sqlite", "-o", "b.sqlite"], "at most one"),
    (["compare", "--results", "none.sqlite"], "none.sqlite"),
    (["compare", "--results", "none.sqlite", "--trials", "5"], "--trials"),
    (["clue", "crate"], "ANSWER"),
    (["clue", "crate", "cat"], "letters"),
    (["clue", "cr4te", "haste"], "not letters"),
    (["clue", "crate", "haste", "--notation", "emojis"], "'emoji'"),
    (["entropy", "zzzzz"], "zzzzz"),
    (["entropy", "crtae"], "did you mean 'crate'?"),
    (["clue", "a" * 100_000, "a" * 100_000], "3 to 8 letters"),
    (["entropy", "crate", "--epsilon", "-1"], "0 to inf"),
    (["entropy", "crate", "--epsilon", "nan"], "0 to inf"),
    (["rank", "--criterion", "entropy"], "'clue_entropy'"),
    (["rank", "--criterion", "renyi", "--order", "0"], "order"),
    (["rank", "-k", "0"], "--count"),
    (["rank", "--after", "crate"], "crate=..c..@13"),
    (["rank", "--after", "crate=..icc@"], "no number after @"),
    (["rank", "--after", "crtae=..icc"], "did you mean 'crate'?"),
    (["rank", "--after", "crate=..1cc"], "mixes notations"),
    (["rank", "--after", "crate=..icq"], "q"),
    (["rank", "--after", "crate=..icc@much"], "much"),
    (["rank", "--after", "crate=ccccc", "--after", "salet=ccccc"], "no answer fits"),
    (["play", "--epsilon", "0"], "above 0"),
    (["play", "--channel", "fibble", "--epsilon", "3"], "inf"),
    *(
        (["play", *wrong], named)
        for wrong, named in (
            (["--lies", "6"], "more lies than words of 5 letters"),
            (["--lies", "9"], "less than or equal to 8"),
            (["--lies", "1", "--first-guess", "crtae"], "did you mean 'crate'?"),
            (["--lies", "1", "--format", "contest"], "wordle:N"),
            (["--lies", "1", "--adversarial"], "--lies"),
            (["--first-guess", "crate"], "--first-guess"),
            (["--lies", "1", "--hard"], "--hard"),
            (["--format", "wordle:6", "--channel", "randomized_response:0"], "above 0"),
        )
    ),
    *(
        (["solve", *wrong], named)
        for wrong, named in (
            (["--lies", "6"], "more lies than words of 5 letters"),
            (["--lies", "1", "--channel", "fibble:2"], "leave out one"),
            (["--lies", "1", "--format", "wordle:9:crate"], "first row"),
            (["--lies", "1", "--epsilon", "13"], "--channel randomized_response:13"),
            (["--lies", "1", "crate=..c..@13"], "epsilon 13"),
            (["--lies", "1", "--format", "wordle:1", "crate=..c..", "sonic=....."], "2 rows, and the game has 1"),
            (["--lies", "1", "--hard"], "--hard"),
            (["--channel", "fible"], "'fibble'"),
        )
    ),
    (["analyze", "--lies", "1", "crate", "solar", "--answer", "solar"], "do not follow from the answer"),
    (["analyze", "--channel", "fibble:1", "crate", "solar", "--answer", "solar"], "do not follow from the answer"),
    (["analyze", "--lies", "1", "crate=ccccc", "crate=....."], "no answer of nyt2023 fits clue 2"),
    (["analyze", "--channel", "randomized_response:12", "crate=..c..@13"], "epsilon 13"),
]


@pytest.mark.parametrize(("arguments", "named"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_one_line_and_exit_code_2(cli: Cli, arguments: list[str], named: str) -> None:
    run = cli(*arguments)
    assert run.code == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert named in run.err
    assert "Traceback" not in run.err


def test_a_bad_list_names_file_line_and_word(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("crate\nhaste\nsalt\n")
    run = cli("rank", "--answers", "bad.txt")
    assert run.code == 2
    assert all(part in run.err for part in ("bad.txt", "line 3", "salt"))


def test_a_file_that_is_no_results_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite").write_text("not a database at all, but long enough to have a header")
    for command in ("results", "plot", "report"):
        run = cli(command, "notes.sqlite")
        assert (run.code, run.out) == (2, "")
        assert "notes.sqlite" in run.err
