"""What each command shows when it is used as it should be.

What any test of a command prints with --json is held to its schema by `tests/cli/conftest.py`.
"""

import csv
import inspect
import io
import json
import re
import sqlite3
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wordpl
from docs._records import COMMANDS
from tests.cli.conftest import refused, schema_of, valid, written
from tests.support.commands import LEAVES
from tests.support.helpers import ERRS, SMALL, list_of
from wordpl.cli.runs import refuse_broken
from wordpl.contest import TEMPLATES
from wordpl.contest.contestant import ContestantProcess
from wordpl.limits.families import FAMILIES
from wordpl.limits.frontier import SmallestBudget

FIRST, SECOND = SMALL.answers[:2]


def test_clues_in_every_notation_true_and_noisy(cli):
    assert cli("clue", "CRATE", "haste", "--notation", "210").out == "00122  letterwise\n"
    drawn = json.loads(cli("clue", "trees", "solve", "--rule", "counted", "-e", "inf", "-k", "2", "--json").out)
    assert (drawn["rule"], drawn["clue"], drawn["noisy_clues"]) == ("counted", "..i.i", ["..i.i"] * 2)
    drawn = cli("clue", "crate", "haste", "--epsilon", "13").out.splitlines()
    assert drawn == ["..icc  letterwise", "i.icc  1 false mark", "..icc  0 false marks", "..ic.  1 false mark",
                     "..iic  1 false mark", "..icc  0 false marks"]  # fmt: skip
    for epsilon, *channel in (["6", "--channel", "ball:1"], ["inf", "--channel", "fibble:2"], ["inf"]):
        several = json.loads(cli("clue", "crate", "haste", "-e", epsilon, *channel, "--seed", "0", "--json").out)
        explained = json.loads(cli("explain", epsilon, *channel, "--seed", "0", "--json").out)
        for name in ("channel", "epsilon", "seed", "noisy_clues"):
            assert several[name] == explained[name]


def test_what_clues_without_noise_are_said_to_do(cli):
    start, out = "If two words seem equally likely, one clue can", "rule one of them out for certain."
    # A mark of one lie in five is true with 4/5, and each other one with 1/10.
    made = "make one of them at most e"
    for typed, said in (
        ("inf", f"{start} {out} One mark alone can {out}"),
        ("--channel fibble:1", f"{start} {out} One mark alone can {made}^2.079 = 8 times as likely as"),
        ("40", f"{start} {made}^40 = 2.354e+17 times as likely as"),
        ("5000", f"{start} {made}^5000 times as likely as the other. One mark alone can {made}^1000 times as"),
    ):
        assert said in " ".join(cli("explain", *typed.split()).out.split())


def test_rank_shows_the_words_that_are_named_and_so_many_of_the_best(cli):
    belief = wordpl.Posterior(wordpl.load_words())
    shown = json.loads(cli("rank", "crate", "SALET", "crate", "-e", "6,90", "--json").out)["guesses"]
    assert shown == wordpl.scoring.rank_guesses(belief, [6, 90], guesses=["crate", "SALET"]).to_dict("records")
    rows = list(csv.DictReader(io.StringIO(cli("rank", "-e", "9,inf", "-k", "2", "--format", "csv").out)))
    best = {epsilon: wordpl.best_guesses(belief, float(epsilon), count=2) for epsilon in ("9", "inf")}
    assert [(row["epsilon"], row["word"]) for row in rows] == [(e, word) for e in best for word, _ in best[e]]


@pytest.mark.heavy
def test_score_shows_why_trials_were_lost(cli, tmp_path):
    (tmp_path / "mine.py").write_bytes(ERRS)
    for command in ("score", "sweep"):
        run = cli(command, "mine.py:Mine()", "--trials", "5", "--jobs", "1")
        assert run.code == 2
        trusts, lost = run.err.splitlines()
        assert trusts == "mine.py runs with your permissions; score, check and watch confine it with --sandbox"
        assert lost == "wordpl: mine.py:Mine() lost all 5 trials by errors: epsilon is NaN"
        assert "5 trials lost: epsilon is NaN" in run.out
        assert "∞" in run.out


def test_errors_in_every_game_are_refused_and_timeouts_are_not():
    found = wordpl.evaluate("TwoGuess(9)", 2, words=SMALL)
    for verdict, reasons, played, said in (
        ("TIMEOUT", "too slow", 2, ""),
        ("CRASH", "too slow", 2, "lost all 2 trials by errors: too slow"),
        ("TIMEOUT", "too slow", 3, "lost its first 2 trials: too slow"),  # and of 3 games only these were played
        ("TIMEOUT", ["too slow", ""], 3, ""),
    ):
        found.results["reason"], found.results["verdict"] = reasons, verdict
        with pytest.raises(wordpl.WordplError, match=said) if said else nullcontext():
            refuse_broken([replace(found)], played)


@pytest.mark.heavy
def test_sweep_saves_and_results_lists_and_merges(cli):
    common = ["--trials", "40", "--jobs", "1", "--words", "nyt2022"]
    specs = ["Greedy(n_guesses=2)", "TwoGuess(17.9)"]
    run = cli("sweep", *specs, "--epsilon", "5:15:5", *common, "--out", "a/run.sqlite", "--json")
    played = [f"Greedy(epsilon={epsilon}, n_guesses=2)" for epsilon in (5.0, 10.0, 15.0)]
    assert [row["strategy"] for row in json.loads(run.out)] == [*played, "TwoGuess(epsilon=17.9)"]
    cli("sweep", "Greedy(10)", *common, "--seed", "2", "--out", "b.sqlite")
    both = ["results", "a/run.sqlite", "b.sqlite"]
    before = [Path(name).read_bytes() for name in both[1:]]
    assert cli(*both, "--check").out == "a/run.sqlite is sound\nb.sqlite is sound\n"
    assert "there is no results file" in cli(*both, "none.sqlite", "--check").err and not Path("none.sqlite").exists()
    shown = json.loads(cli(*both, "--json").out)
    assert len(shown) == 5 and len(json.loads(cli(*both, "--provenance", "--json").out)) == 2
    assert cli(*both, "--games", "--out", "both.csv", "--epsilon", "5,10").err == "120 trials written to both.csv\n"
    assert "to write some of them" in cli(*both, "--out", "all.sqlite", "--epsilon", "10").err
    assert not Path("all.sqlite").exists()
    assert [Path(name).read_bytes() for name in both[1:]] == before
    merged = cli(*both, "--out", "all.sqlite")
    assert merged.err == "160 trials added from a/run.sqlite\n40 trials added from b.sqlite\n"
    assert json.loads(cli("results", "all.sqlite", "--json").out) == shown
    assert cli("results", "all.sqlite", "--games", "--out", "one.csv", "--epsilon", "5,10").code == 0
    assert Path("one.csv").read_bytes() == Path("both.csv").read_bytes()


def test_all_combinations_of_a_grid_are_played_each_once(cli, tmp_path):
    few = ["-n", "2", "-j", "1", *written(list_of("few", (*SMALL.answers, "trace")), tmp_path)]
    specs = ["NGuess(first_guess=None)", "NGuess(2, 9, first_guess=None)", "Greedy(8)", "TwoGuess(8)"]
    command = ["sweep", *specs, "--grid", "n_guesses = 1:2:1", "--epsilon", "5,9", *few, "--json"]
    run = cli(*command)
    assert [task["strategy"] for task in json.loads(run.out)] == [
        *(f"NGuess(n_guesses={n}, epsilon={e}, first_guess=None)" for n in (1, 2) for e in (5.0, 9.0)),
        *(f"Greedy(epsilon=8.0, n_guesses={n})" for n in (1, 2)),  # which has a default of its own
        "TwoGuess(epsilon=8.0)",
    ]
    assert cli(*command).out == run.out


CHANNEL = """
import wordpl
class Near(wordpl.Ball):
    pass
class Mine(Near):
    def __init__(self, epsilon, length=5):
        super().__init__(epsilon, length, radius=RADIUS)
"""


@pytest.mark.heavy
def test_a_channel_of_ones_own_is_named_by_its_file(cli):
    """It plays as the one of the library that it is; another source is another task."""
    games = ["score", "TwoGuess(9)", "-n", "40", "--json"]
    Path("deep").mkdir()
    ids = []
    for radius in (1, 2):
        Path("deep/own.py").write_text(CHANNEL.replace("RADIUS", str(radius)))
        names = "deep/own.py:Mine", f"ball:{radius}"
        own, known = (json.loads(cli(*games, "--channel", name, "-o", "r.db").out) for name in names)
        assert own["channel"] == "own.py:Mine"
        assert {own[name] == known[name] for name in ("win_rate", "p05", "posterior_win_rate")} == {True}
        ids.append(own["task"])
    assert len(set(ids)) == 2
    assert len(json.loads(cli("results", "r.db", "--channel", "own.py:Mine", "--json").out)) == 2


def test_a_score_of_every_answer_has_the_sum_and_the_most_of_their_turns(cli, tmp_path):
    turns = wordpl.evaluate("Greedy(inf)", words=SMALL, every_answer=True).frame.turns
    shown = cli("score", "Greedy(inf)", "--every-answer", *written(SMALL, tmp_path), "--jobs", "1").out
    shown = " ".join(shown.split())
    assert f"Each answer was played once: {turns.sum()} turns in all, {turns.max()} at most." in shown
    assert f"turns of won games: {turns.mean():.3f} on average ({(turns == 1).sum()} on turn 1, " in shown


def test_several_strategies_are_scored_in_one_table(cli):
    specs, few = ["TwoGuess(18)", "NGuess(2, 9)"], ["--trials", "20", "--jobs", "1"]
    together = json.loads(cli("score", *specs, *few, "--json").out)
    alone = [json.loads(cli("score", spec, *few, "--json").out) for spec in specs]
    for one in (*together, *alone):
        for timed in ("seconds", "wall_seconds", "slowest_move", "seconds_per_move"):
            assert one.pop(timed) > 0
    assert together == alone
    assert cli("sweep", *specs, *few, "--out", "r.sqlite").out.startswith(cli("score", *specs, *few).out)
    assert cli("score", *specs, *few, "-o", "scored.CSV", "--sort", "strategy").out == ""
    assert cli("results", "r.sqlite", "--out", "kept.csv", "--sort", "strategy").err == "table written to kept.csv\n"
    assert Path("scored.CSV").read_bytes() == Path("kept.csv").read_bytes()


@pytest.mark.parametrize(
    "line",
    ["score --first-trial 7 --rule counted", "score --words nyt2023 --channel fibble:2 --seed 0",
     "sweep --seed 5 --first-trial 2 --words fibble --channel ball:1", "sweep --game wordle:4:crane --words nyt2022",
     "compare --seed 5 --words nyt2023", "compare --game wordle:4:crane --words nyt2022 --rule counted"],
)  # fmt: skip
def test_what_is_kept_was_played_as_the_options_say(cli, line):
    """Whatever the file has already, and whatever list usually goes with a channel."""
    common, (command, *typed) = ["-n", "3", "-j", "1", "-o", "r.sqlite"], line.split()
    assert cli("score", "TwoGuess(9)", *common).code == 0
    exact = "fibble:" in line or "wordle" in line
    specs = ["Greedy(inf, n_guesses=4)", "Greedy(inf, n_guesses=3)"] if exact else ["TwoGuess(9)", "TwoGuess(8)"]
    assert cli(command, *specs[: 2 if command == "compare" else 1], *common, *typed).code == 0
    given = dict(zip(typed[::2], typed[1::2], strict=True))
    words, seed = given.get("--words", "original"), int(given.get("--seed", "1"))
    terms = [words, given.get("--rule", "letterwise"), given.get("--channel", "randomized_response")]
    terms += [given.get("--game", "contest"), str(seed)]
    answers, first = wordpl.load_words(words).answers, int(given.get("--first-trial", "0"))
    expected = [(n, answers[wordpl.play.seeds.Seeds(seed).answer(n, len(answers))]) for n in range(first, first + 3)]
    with closing(sqlite3.connect("r.sqlite")) as file:
        rows = file.execute(
            "SELECT strategy, trial, answer FROM trials JOIN tasks ON key = task WHERE"
            " words = ? AND rule = ? AND channel = ? AND format = ? AND seed = ? AND trial >= ? ORDER BY task, trial",
            [*terms, first],
        ).fetchall()
    played = list(dict.fromkeys(strategy for strategy, _, _ in rows))
    assert len(played) == (2 if command == "compare" else 1)
    assert rows == [(strategy, *row) for strategy in played for row in expected]


def test_list_explains_a_strategy(cli):
    for name, kind in wordpl.strategies().items():
        shown = " ".join(cli("list", name).out.split())
        assert [one for one in inspect.signature(kind).parameters if f" {one} " not in shown] == []
        for one in wordpl.simulation.describe_strategy(name).win_rates:
            low, high = (f"{100 * end:.1f}%" for end in one.interval)
            assert re.search(r"spec\W+budget\W+win rate\W+95%", shown)
            cells = f" {one.budget:g} {100 * one.win_rate:.1f}% [{low}, {high}] "
            assert cells in shown.replace(" │", "") and f"in {one.trials:,} games" in shown


@pytest.mark.heavy
def test_tables_for_papers(cli):
    specs = ["Greedy()", "TwoGuess()", "-e", "8,20"]
    assert cli("sweep", *specs, "-n", "30", "--out", "r.sqlite", "-j", "1").code == 0
    run = cli("results", "r.sqlite", "--compare", "--format", "csv", "--sort", "-difference")
    values = [float(row["difference"]) for row in csv.DictReader(io.StringIO(run.out)) if row["difference"]]
    assert len(values) > 1 and values == sorted(values, reverse=True)
    for command in ("results r.sqlite", "rank crate"):
        for name, form in {"t.CSV": "csv", "t.md": "markdown", "t.tex": "latex", "t.json": "json"}.items():
            assert cli(*command.split(), "--out", name).err == f"table written to {name}\n"
            assert Path(name).read_text(encoding="utf-8") == cli(*command.split(), "--format", form).out, command
    heads = cli("results", "r.sqlite", "--confidence", "0.9", "--format", "markdown").out.replace("\\", "")
    assert "| win rate | 90% of win rate | posterior win rate |" in heads and "| p95 | 90% of p95 |" in heads


# `wordpl new` and `contest export`: the files that they write pass `check` and can be scored.


@pytest.mark.heavy
@pytest.mark.parametrize("interface", TEMPLATES)
def test_a_template_passes_check_and_plays(cli, tmp_path, interface, monkeypatch):
    anew = ContestantProcess.start_anew  # of two new processes it meets one, for time
    monkeypatch.setattr(ContestantProcess, "start_anew", lambda self, seed: anew(self, seed) if seed == 2 else None)
    lists = written(list_of("few", (*SMALL.answers, "trace", "lions")), tmp_path)
    run = cli("new", "mine.py", "--interface", interface)
    assert (run.code, run.out) == (0, "mine.py is written; next: wordpl check mine.py\n")
    findings = json.loads(cli("check", "mine.py", "--games", "1", *lists, "--json").out)
    assert [finding for finding in findings if not finding["passed"]] == []
    assert re.fullmatch(rf"Mine\(.*\), {interface} interface, [\d.e+-]+ s", findings[0]["message"])
    assert "\nwordpl check mine.py " in (tmp_path / "mine.py").read_text()
    tried = json.loads(cli("score", "mine.py", "-n", "60", "-j", "1", *lists, "--json").out)
    assert tried["errors"] == tried["timeouts"] == 0
    # More than 5%, so that it reaches a percentile if it is submitted as it is.
    assert tried["posterior_win_rate_interval"][0] > 0.05


def test_a_file_is_written_over_by_force_alone(cli, tmp_path):
    (tmp_path / "there.py").write_text("mine")
    link = "https://example.org/ann"
    assert "https" in refused(cli, "contest", "export", "Greedy(10)", "-o", "mine.py", "--link", "javascript:x")
    assert "--force" in refused(cli, "contest", "export", "Greedy(10)", "-o", "there.py")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    over = ["Greedy(10)", "-o", "there.py", "--force", "--author", "Ann Lee", "--link", link]
    made = cli("contest", "export", *over)
    assert made.code == 0 and "no bound" in made.out and f"| [Ann Lee]({link}) |" in made.out
    written = (tmp_path / "there.py").read_text()
    assert "class Greedy(_Exported)" in written and f"\n# Author: Ann Lee <{link}>\n" in written


# Tables for programs, and JSON.


def test_list_gives_its_tables_to_programs(cli):
    def rows(*command):
        return list(csv.DictReader(io.StringIO(cli(*command, "--format", "csv").out)))

    names = [row["strategy"].partition("(")[0] for row in rows("list")]
    assert names == [one["name"] for one in json.loads(cli("list", "--json").out)]
    words = wordpl.load_words("fibble")
    assert [row["word"] for row in rows("list", "--words", "fibble")] == list(words.answers)
    assert cli("list", "--words", "fibble", "--every-guess").out.split() == list(words.guesses)


def test_the_frontier_keeps_the_best_and_the_bound_longest(cli, monkeypatch):
    curve = [SmallestBudget(budget, 0.25 * (budget > 50)) for budget in np.linspace(10, 90, 99).tolist()]
    curves = {family.name: curve for family in FAMILIES} | {"best": curve}
    monkeypatch.setattr("wordpl.limits.measure_frontier", lambda *args, **more: {})
    monkeypatch.setattr("wordpl.limits.smallest_budgets", lambda *args, **more: curves)
    heading = cli("frontier", "--measure", COLUMNS="60").out.split("──")[0]
    assert "best" in heading and "bound" in heading
    assert cli("frontier", "--measure", "-o", "f.csv", "-o", "f.png").out == ""
    told = json.loads(cli("frontier", "--measure", "--json").out)
    assert list(told) == [*curves, "bound", "bound, 2 clues", *(f"{name}, error" for name in curves)]
    assert list(zip(told["best"], told["best, error"], strict=True)) == list(map(tuple, curve))
    assert Path("f.csv").read_text().startswith("win_rate,1 clue,")


def test_every_command_with_json_has_a_schema():
    with_json = {schema_of(path) for path, one in LEAVES.items() if any("--json" in p.opts for p in one.params)}
    more = {"rank --clues", "results --games --out FILE.json", "results --provenance", "score --sandbox"}
    assert set(COMMANDS) == with_json | more


RARE = {
    "score Greedy(inf) -n 4 -j 1": {"epsilon": "inf", "noiseless": True, "mean_budget": "inf", "p50": None},
    "watch Greedy(inf) --trial 1": {"budget": "inf"},
    f"solve {FIRST}=..... --game wordle:3 --lies 1": {"only": None},
    f"solve {FIRST}=..... {FIRST}=c....": {"answers": []},
    f"analyze {FIRST}=..... {SECOND}=i.... --lies 1": {"solved": False},
}
"""Commands, and what they print where a value is rare."""


@pytest.mark.parametrize(("line", "values"), RARE.items())
def test_a_rare_value(cli, tmp_path, line, values):
    found = json.loads(cli(*line.split(), *written(SMALL, tmp_path), "--json").out)
    assert found == found | values


def test_the_games_of_a_sweep_in_a_file(cli, tmp_path):
    run = ["--epsilon", "5,inf", "--out", "s.sqlite", "--trials", "9", "--jobs", "1", *written(SMALL, tmp_path)]
    assert cli("sweep", "NGuess(1)", "Greedy", *run).code == 0
    assert cli("results", "s.sqlite", "--games", "--out", "t.json", "--timings").code == 0
    rows = valid("results --games --out FILE.json", Path("t.json").read_text())
    assert {row["budget"] for row in rows if row["noiseless"] and row["asks"]} == {"inf"}
