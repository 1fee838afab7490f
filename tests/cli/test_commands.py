"""What each command shows when it is used as it should be."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import Cli

SCORE_KEYS = {
    "strategy",
    "trials",
    "win_rate",
    "win_rate_interval",
    "p05",
    "p50",
    "p95",
    "timeouts",
    "errors",
    "seconds",
}


def test_clue_in_every_notation(cli: Cli) -> None:
    assert cli("clue", "crate", "haste").out == "..icc\n"
    assert cli("clue", "CRATE", "haste", "--notation", "210").out == "00122\n"
    assert cli("clue", "cat", "tag", "--notation", "emoji").out == "⬛🟩🟨\n"
    assert cli("clue", "trees", "solve", "--rule", "counted").out == "..i.i\n"
    assert json.loads(cli("clue", "trees", "solve", "--json").out)["clue"] == "..iii"


def test_entropy_gives_the_reference_numbers(cli: Cli) -> None:
    json_out = cli("entropy", "crate", "salet", "--epsilon", "12.3", "--json").out
    words = json.loads(json_out)["guesses"]
    assert [word["clue_entropy"] for word in words] == pytest.approx([6.74608566, 6.74515236], abs=5e-9)
    assert cli("entropy", "CRATE", "Salet", "--epsilon", "12.3", "--json").out == json_out
    assert "6.746 " in cli("entropy", "crate", "--epsilon", "12.3").out


def test_entropy_needs_no_compiled_code() -> None:
    code = (
        "import sys; sys.argv = ['wordpl', 'entropy', 'crate', '--epsilon', '12.3']\n"
        "from wordpl.cli import main\n"
        "try: main()\n"
        "except SystemExit: print('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.endswith("False\n")


def test_rank_ranks_by_the_criterion(cli: Cli) -> None:
    best = json.loads(cli("rank", "--epsilon", "12.3", "--count", "1", "--json").out)["guesses"][0]
    assert best["word"] == "soare"
    arguments = ["rank", "-e", "9.3", "-c", "expected_top", "--count", "1", "--json"]
    best = json.loads(cli(*arguments).out)["guesses"][0]
    assert (best["word"], round(best["expected_top"], 4)) == ("trace", 0.0183)
    fewest = json.loads(cli("rank", "-c", "largest_part", "--rule", "counted", "-k", "3", "--json").out)["guesses"]
    assert [word["largest_part"] for word in fewest] == sorted(word["largest_part"] for word in fewest)


def test_rank_takes_clues_already_seen(cli: Cli) -> None:
    shown = cli("rank", "--after", "crate=..icc", "--after", "haste=ccccc@20", "--count", "1", "--json")
    assert json.loads(shown.out)["guesses"][0]["clue_entropy"] >= 0


def test_score_prints_one_json_object_and_nothing_else(cli: Cli) -> None:
    run = cli("score", "TwoGuess(epsilon=17.9)", "--trials", "300", "--seed", "7", "--jobs", "1", "--json")
    figures = json.loads(run.out)
    assert run.code == 0
    assert figures.keys() >= SCORE_KEYS
    assert figures["trials"] == 300
    assert figures["p95"] is None  # infinite
    same = wordpl.evaluate(wordpl.parse_strategy("TwoGuess(17.9)"), 300, seed=7)
    assert figures["win_rate"] == same.win_rate
    assert figures["win_rate_interval"] == list(same.interval)


def test_score_shows_why_trials_were_lost(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def first_move(self): return 'crate', 5.0\n"
        "    def next_move(self, guess, epsilon, clues): return 'qqqqq', float('nan')\n"
    )
    run = cli("score", "mine.py:Mine()", "--trials", "5", "--jobs", "1")
    assert run.code == 2
    assert run.err == "wordpl: mine.py:Mine() lost all 5 trials by errors: epsilon is NaN\n"
    assert "5 trials lost: epsilon is NaN" in run.out
    assert "∞" in run.out


@pytest.mark.heavy
def test_sweep_saves_lists_merges_exports_and_plots(cli: Cli, tmp_path: Path) -> None:
    common = ["--trials", "40", "--jobs", "1", "--words", "nyt2022"]
    specs = ["Greedy(n_guesses=2)", "TwoGuess(17.9)"]
    run = cli("sweep", *specs, "--epsilon", "5:15:5", *common, "--out", "a/run.sqlite", "--json")
    assert [row["strategy"] for row in json.loads(run.out)] == [
        "Greedy(epsilon=5.0, n_guesses=2)",
        "Greedy(epsilon=10.0, n_guesses=2)",
        "Greedy(epsilon=15.0, n_guesses=2)",
        "TwoGuess(epsilon=17.9)",
    ]
    cli("sweep", "Greedy(10)", *common, "--seed", "2", "--out", "b.sqlite")
    merged = cli("results", "a/run.sqlite", "--merge", "b.sqlite", "--json")
    assert "40 trials added" in merged.err
    assert len(json.loads(merged.out)) == 5
    assert cli("results", "a/run.sqlite", "--merge", "b.sqlite").err.startswith("0 trials added")
    assert "TwoGuess" not in cli("results", "a/run.sqlite", "--match", "greedy").out
    for ending in ("csv", "json", "parquet"):
        assert cli("results", "a/run.sqlite", "--out", f"out.{ending}").code == 0
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert len(lines) == 1 + 5 * 40
    assert len(json.loads((tmp_path / "out.json").read_text())) == 5 * 40
    assert cli("plot", "a/run.sqlite").out.strip() == "a/run.png"
    assert (tmp_path / "a/run.png").read_bytes().startswith(b"\x89PNG")


VERSIONED = """
from dataclasses import dataclass
from wordpl import Answer, HistoryStrategy

@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float = 9.0

    def decide(self, setting, history):
        return Answer(setting.words.answers[0])
"""


def test_results_show_the_code_where_two_rows_would_look_the_same(cli: Cli, tmp_path: Path) -> None:
    def play(word: str) -> dict[str, str]:
        (tmp_path / "mine.py").write_text(VERSIONED.replace("[0]", f"[{word}]"))
        arguments = ["--trials", "5", "--jobs", "1", "--out", "r.sqlite", "--json"]
        found: dict[str, str] = json.loads(cli("score", "mine.py:Mine()", *arguments).out)
        return found

    one = play("0")
    cli("score", "TwoGuess(9)", "--trials", "5", "--jobs", "1", "--out", "r.sqlite")
    assert "code" not in cli("results", "r.sqlite").out
    two = play("1")
    rows = json.loads(cli("results", "r.sqlite", "--json").out)
    assert [row["strategy"] for row in rows].count("mine.py:Mine()") == 2
    assert one["code"] != two["code"]
    assert {row["code"] for row in rows} > {one["code"], two["code"]}
    table = cli("results", "r.sqlite").out
    assert one["code"][:8] in table and two["code"][:8] in table
    assert "engine" not in table
    play("0")  # as it was: nothing is added
    assert len(json.loads(cli("results", "r.sqlite", "--json").out)) == 3


def test_sweep_at_infinity_counts_turns(cli: Cli) -> None:
    arguments = ["sweep", "Greedy()", "--epsilon", "inf", "--rule", "counted", "--trials", "60", "--jobs", "1"]
    row = json.loads(cli(*arguments, "--json").out)[0]
    assert row["win_rate"] == 1.0
    assert row["p50"] is None
    assert sum(row["turns"].values()) == 60
    assert cli("plot", "results/sweep.sqlite", "--kind", "turns", "-o", "turns.png").code == 0


def test_list_names_every_strategy(cli: Cli) -> None:
    from wordpl.play.specs import strategies

    shown = json.loads(cli("list", "--json").out)
    assert [entry["name"] for entry in shown] == list(strategies())
    assert all(entry["account"] for entry in shown)


def test_version(cli: Cli) -> None:
    assert cli("--version").out.strip() == wordpl.__version__


def test_help_imports_nothing_heavy() -> None:
    heavy = ("numpy", "numba", "pandas", "scipy", "prompt_toolkit")
    code = f"import sys, wordpl.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_output_can_be_cut_short_by_its_reader() -> None:
    wordpl_command = Path(sys.executable).with_name("wordpl")
    done = subprocess.run(f"{wordpl_command} list | head -1", shell=True, capture_output=True, text=True, check=True)  # noqa: S602
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_six_letter_words_work(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "six.txt").write_text("\n".join(["orange", "banana", "cherry", "papaya", "quince", "damson"]))
    shown = cli("rank", "--answers", "six.txt", "--epsilon", "6", "--json")
    best = json.loads(shown.out)["guesses"][0]
    assert best["clue_entropy"] < 6 * math.log2(3)
    spec = "MaxClueEntropy(2, 20)"
    run = cli("score", spec, "--answers", "six.txt", "--trials", "30", "--jobs", "1", "--json")
    assert json.loads(run.out)["errors"] == 0
