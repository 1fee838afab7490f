"""Every option of every command with values that it cannot take: exit code 2 and one line, at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from wordpl import WordplError, clue, parse_strategy
from wordpl.cli.options import number_of_jobs

HUGE = "9" * 20
WORDS = ["--answers", "words.txt"]
PLAY3 = ["score", "-n", "3", *WORDS]
AFTER = ["rank", *WORDS, "--after"]
SCORE = ["score", "Greedy(10)", *WORDS]
SWEEP = ["sweep", "Greedy()", *WORDS, "--out", "r.sqlite"]
GRID = ["sweep", "NGuess()", *WORDS, "--grid"]
RATE = ["win-rate", "NGuess(n_guesses=2, epsilon=7)", "--sample", *WORDS]

VALUES = [
    *((["score", "Greedy(10)", *WORDS, "-n"], value) for value in (HUGE, "9" * 5000, "1000000001", "1e3", "-1", "")),
    *((["try", "mine.py", "--trusted", "-n"], value) for value in (HUGE, "1000000001", "0", "x")),
    *(([*SCORE, "-j"], value) for value in ("-1", "1.5", "", "9" * 5000)),
    *(([*SCORE, "--until-width"], value) for value in ("0", "-1", "nan", "inf", "x", "")),
    *(([*SCORE, "--first-trial"], value) for value in ("-1", str(10**12 + 1), "9" * 5000, "1.5", "")),
    *(([*SCORE, "--seed"], value) for value in ("-1", str(2**256), "9" * 5000, "1.5", "")),
    *(([*RATE, "--seed"], value) for value in ("-1", str(2**256))),
    *(([*SCORE, "--game-seconds"], value) for value in ("0", "nan", "-inf", "")),
    *(([*RATE, "--standard-error"], value) for value in ("0", "nan", "-1", "inf", "1e-300", "x")),
    *(([*SWEEP, "--epsilon"], value) for value in ("", ",", ":", "1:2", "1:2:3:4", "nan", "inf:inf:1")),
    *(([*SWEEP, "--epsilon"], value) for value in ("1:1e9:0.001", "1" * 5000 + "x", "-1", "0")),
    *((GRID, f"n_guesses={value}") for value in ("", "x", "1:2", "1:1e9:1", "{}", "nan")),
    *((GRID, f"n_guesses={value}") for value in ("9" * 5000, "(" * 900, "0", "1.5")),
    *((GRID, value) for value in ("", "=", "=1", "n guesses=1", "x" * 5000 + "=1")),
    *(([*SWEEP, "--save"], value) for value in ("", "x.txt", "folder", "n" * 5000 + ".toml", "mine.py/x.toml")),
    *(([*SWEEP, "--batch"], value) for value in ("0", "-1", "x")),
    *((PLAY3, f"NGuess(n_guesses={n}, epsilon=1)") for n in ("1001", "10**9", HUGE, "0", "1.5")),
    *((PLAY3, spec) for spec in ("", "(", "Greedy(**{})", "Greedy(" + "(" * 900 + ")", "x" * 5000)),
    *((PLAY3, f"Greedy({value})") for value in ("'x'", "None", "True", "()", "(((1,),),)", "nan")),
    *((["rank", *WORDS, "-k"], value) for value in (HUGE, "9" * 5000, "0", "-1", "x")),
    *((["rank", *WORDS, "--epsilon"], value) for value in ("nan", "-inf", "", "x")),
    *((["rank", *WORDS, "--criterion", "renyi", "--order"], value) for value in ("0", "nan", "-1", "x")),
    *((AFTER, value) for value in ("", "=", "@", "crate=", "crate=x", "crate=..icc@nan")),
    *((AFTER, "crate=" + value) for value in ("." * 100_000, "..icc@" + "9" * 5000 + "x", "..icc@-1")),
    *((["play", *WORDS, "--seed", "1", "--trial"], value) for value in (HUGE, "-1", "9" * 5000)),
    *((["play", *WORDS, "--epsilon"], value) for value in ("0", "nan", "-1", "")),
    *((["tree", "optimal", *WORDS, "--worst"], value) for value in (HUGE, "9" * 5000, "x")),
    *((["tree", "optimal", *WORDS, "--openers"], value) for value in (HUGE, "-1")),
    *((["check", "mine.py", "--trusted", "--games"], value) for value in (HUGE, "0", "-1")),
    *((["check", "mine.py", "--trusted", "--memory"], value) for value in (HUGE, "0", "-1")),
    *((["clue", "x" * 100_000], word) for word in ("x" * 100_000, "haste", "")),
    *((["clue", ""], word) for word in ("", "ab")),
    *((["entropy", *WORDS], word) for word in ("", "1234", "x" * 100_000)),
    *((["solve", *WORDS], turn) for turn in ("crate=....", "=", "crate=..icc@nan", "x" * 100_000 + "=..icc")),
    *((["tree", "build", *WORDS, "--first"], word) for word in ("", "zzzzz", "x" * 100_000)),
    *((["frontier", "--standard-error", "0.1", "--family"], name) for name in ("", "x" * 5000)),
]  # fmt: skip


@pytest.fixture
def bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("bread\ncrate\nhaste\n")
    Path("mine.py").write_text("class Mine:\n    first_move = next_move = None\n")
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with open("huge", "wb") as file:
        file.truncate(1 << 40)
    Path("bytes").write_bytes(bytes(range(255, 0, -1)) * 40)
    Path("deep").write_text("[" * 100_000)
    Path("short").write_bytes(b"SQLite format 3\0" + b"\0" * 40)


def refused(cli: Cli, *arguments: str) -> str:
    run = cli(*arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1 and "Traceback" not in run.err and len(run.err) < 2100
    return run.err


@pytest.mark.parametrize(
    ("before", "value"), VALUES, ids=[f"{' '.join(b)[:30]} {v[:12]!r} {len(v)}" for b, v in VALUES]
)
def test_a_value_out_of_bounds(cli: Cli, bad_files: None, before: list[str], value: str) -> None:
    refused(cli, *before, value)


FILES = ["/dev/zero", "/dev/full", "pipe", "folder", "", "huge", "bytes", "deep", "n" * 5000, "mine.py/x"]
READERS = [
    ["frontier", "--family", "1 clue", "--no-bound", "--points"],
    ["rank", "--answers"],
    ["rank", *WORDS, "--guesses"],
    ["tree", "check", *WORDS],
    ["tree", "prove", *WORDS, "-j", "1", "--certificate"],
    ["analyze", "crate", "haste", "--share"],
    ["audit", "--receipt"],
    ["check", "--trusted"],
    ["results"],
    ["plot"],
    ["report"],
    ["report", "--ledger"],
    ["leaderboard", "--ledger"],
    ["audit", "--ledger"],
]


@pytest.mark.parametrize("file", FILES, ids=lambda name: name[:12])
@pytest.mark.parametrize("before", READERS, ids=" ".join)
def test_a_file_that_cannot_be_read(cli: Cli, bad_files: None, before: list[str], file: str) -> None:
    refused(cli, *before, file)


@pytest.mark.parametrize("spec", ["pipe.py:X()", "huge.py:X()", "folder.py:X()", "/dev/zero.py:X()"])
def test_a_strategy_file_that_cannot_be_read(cli: Cli, bad_files: None, spec: str) -> None:
    for name in ("pipe", "huge", "folder"):
        Path(f"{name}.py").symlink_to(name)
    assert "cannot read strategy file" in refused(cli, "score", spec)


@pytest.mark.parametrize("name", ["pipe", "huge", "folder", "bytes", "deep", "short"])
def test_a_study_that_cannot_be_read(cli: Cli, bad_files: None, name: str) -> None:
    Path("study.toml").symlink_to(name)
    assert "study.toml" in refused(cli, "sweep", "study.toml")


@pytest.mark.parametrize("out", ["/dev/zero", "folder", "bytes", "mine.py/x", "n" * 5000, "pipe"])
def test_a_study_whose_results_have_no_place(cli: Cli, bad_files: None, out: str) -> None:
    Path("study.toml").write_text(f"out = '{out}'\n[[strategy]]\nspec = 'TwoGuess(9)'\n")
    refused(cli, "sweep", "study.toml", "-n", "1", "-j", "1")


def test_no_more_workers_than_cores(capsys: pytest.CaptureFixture[str]) -> None:
    cores = len(os.sched_getaffinity(0))
    assert [number_of_jobs(jobs) for jobs in (0, 1, cores)] == [cores, 1, cores]
    assert capsys.readouterr().err == ""
    assert number_of_jobs(100_000) == cores
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and "100000" in shown and f"{cores} cores" in shown


def test_no_more_workers_than_games(cli: Cli, bad_files: None, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    from wordpl.simulation import sweep

    whole = sweep.sweep
    monkeypatch.setattr(
        sweep, "sweep", lambda tasks, trials, jobs, **more: started.append(jobs) or whole(tasks, trials, 1, **more)
    )
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    assert cli(*SCORE, "-n", "3").code == 0
    assert started == [3]


def test_words_and_schedules_have_an_end() -> None:
    with pytest.raises(WordplError, match="3 to 8"):
        clue("x" * 100_000, "y" * 100_000)
    with pytest.raises(WordplError, match="from 1 to 1000"):
        parse_strategy("Greedy(epsilon=1, n_guesses=1000000000)")


def test_a_strategy_that_exits_as_it_is_made(cli: Cli, bad_files: None) -> None:
    Path("exits.py").write_text(
        "class Exits:\n    first_move = next_move = None\n    def __init__(self):\n        raise SystemExit(3)\n"
    )
    assert "exits.py:4: SystemExit: 3" in refused(cli, "score", "exits.py:Exits()", "-n", "3", "-j", "1")
