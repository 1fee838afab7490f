"""`wordpl plot`, `report` and `compare`, and the conditions and the provenance of `wordpl results`."""

import csv
import json
import shlex
import shutil
from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import refused, written
from tests.support.helpers import SMALL
from wordpl import Store
from wordpl.reporting import PlotStyle
from wordpl.simulation import TaskFilter


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with two results files, of a seed each; the second has the first's trials as well."""
    folder = tmp_path_factory.mktemp("played")
    specs = [wordpl.parse_strategy(spec) for spec in ("NGuess(1, 4)", "NGuess(1, 12)", "Greedy(inf)")]
    with Store(folder / "a.sqlite") as a, Store(folder / "b.sqlite") as b:
        for seed, store in ((1, a), (2, b)):
            wordpl.sweep([wordpl.make_task(spec, seed, words=SMALL) for spec in specs], 10, store=store)
        b.merge(a)
    return folder


@pytest.fixture
def files(cli, tmp_path, played):
    """Copies of them where the command line runs."""
    return [Path(shutil.copy(played / name, tmp_path)) for name in ("a.sqlite", "b.sqlite")]


def test_files_are_chosen_from_drawn_and_left_as_they_are(cli, files):
    before = [file.read_bytes() for file in files]
    given = ["--epsilon", "1:40:1", "--kind", "wins", "--data", "--label", "*seed 1=ours"]
    run = cli("plot", "a.sqlite", "b.sqlite", *given)
    assert (run.code, run.out, run.err) == (0, "a.png\na.data.csv\n", "")
    assert [file.read_bytes() for file in files] == before
    rows = list(csv.DictReader(Path("a.data.csv").read_text("utf-8").splitlines()))
    assert [row["curve"] for row in rows] == ["ours"] * 2 + ["NGuess(n_guesses=1), seed 2"] * 2


def test_each_option_of_a_picture_is_what_it_says(cli, files, monkeypatch):
    seen = []
    monkeypatch.setattr(wordpl, "draw", lambda *given, **more: seen.append((given[1:], more)) or [])
    look = ["--by", "seed", "--log", "y", "--title", "A", "--size", "8x5"]
    for options in ([], ["--out", "p.svg", "--kind", "turns", *look, "--label", "D=E", "--epsilon", "4"]):
        assert cli("plot", "a.sqlite", *options).code == 0
    (usual, plain), (given, more) = seen
    assert (usual, given) == ((Path("a.png"), "all"), (Path("p.svg"), "turns"))
    assert vars(plain["style"]) == vars(PlotStyle()) and plain["where"] == TaskFilter()
    style = PlotStyle(by="seed", log="y", title="A", labels={"D": "E"}, size=(8.0, 5.0))
    assert vars(more["style"]) == vars(style) and more["where"].epsilons == TaskFilter(epsilons=[4.0]).epsilons


def test_results_are_listed_and_exported_by_conditions(cli, tmp_path, files):
    where = ["--strategy", "nguess", "--epsilon", "12", "--channel", "randomized_response"]
    found = json.loads(cli("results", "b.sqlite", *where, "--json").out)
    assert {one["strategy"] for one in found} == {"NGuess(n_guesses=1, epsilon=12.0)"}
    assert cli("results", "b.sqlite", "--epsilon", "7", "--json").out == "[]\n"
    for command in (["results", "a.sqlite"], ["plot", "a.sqlite", "b.sqlite"]):
        assert "did you mean 'NGuess'?" in refused(cli, *command, "--strategy", "NGues")
    assert {path.name for path in tmp_path.iterdir()} == {"a.sqlite", "b.sqlite"}


def test_a_report_is_named_as_the_file_unless_options_say_otherwise(cli, files):
    assert cli("report", "a.sqlite").out == "a.html\n"
    assert "<title>a.sqlite</title>" in Path("a.html").read_text("utf-8")
    options = ("--title", "Two <words>", "--epsilon", "12", "--strategy", "nguess(*", "--out", "deep/r.html")
    assert cli("report", "a.sqlite", *options).out == "deep/r.html\n"
    page = Path("deep/r.html").read_text("utf-8")
    assert "<title>Two &lt;words&gt;</title>" in page and "1 strategy, 1 task, 10 games" in page


def test_the_commands_can_be_copied_and_run_again(cli, tmp_path):
    (tmp_path / "my words.txt").write_text("\n".join(SMALL.answers))
    games = ["--jobs", "1", "--answers", "my words.txt", "--out", "r.sqlite"]
    commands = [
        ["score", "TwoGuess(epsilon=8)", "--trials", "5", *games],
        ["sweep", "TwoGuess()", "NGuess(2)", "--epsilon", "8,12", "--trials", "7", *games],
    ]
    for command in commands:
        assert cli(*command, "--quiet").code == 0
    assert cli("sweep", "TwoGuess(8)", "--trials", "7", *games).code == 0  # adds nothing
    run = cli("results", "r.sqlite", "--provenance", "--format", "csv")
    assert (run.code, run.err) == (0, "")
    rows = list(csv.reader(run.out.splitlines()))[1:]
    assert [shlex.split(row[0]) for row in rows] == [["wordpl", *command, "--quiet"] for command in commands]
    assert [row[1:3] for row in rows] == [["5", "1"], ["23", "4"]]
    only = cli("results", "r.sqlite", "--provenance", "--strategy", "nguess(*")
    assert "score" not in only.out


# `wordpl compare`: pairs of a grid, and what it writes.


@pytest.fixture
def lists(tmp_path):
    return ["--jobs", "1", *written(SMALL, tmp_path)]


def test_strategies_are_paired_at_each_epsilon(cli, lists):
    """One that has its own epsilon meets all; itself, where the grid has that epsilon, it does not meet."""
    specs = ["NGuess(1)", "TwoGuess()", "NGuess(1, 5)"]
    rule = ["--statistic", "posterior_win_rate", "--margin", "0.05", "--confidence", "0.9", "--seed", "3"]
    told = json.loads(cli("compare", *specs, "-e", "5,9", "-n", "20", *rule, *lists, "--json").out)
    assert (told["statistics"], told["margin"], told["error"]) == (["posterior_win_rate"], 0.05, 0.1)
    pairs = told["pairs"]
    assert {(str(pair["first"]["seed"]), pair["trials"]) for pair in pairs} == {("3", 20)}
    shown = [(pair["first"]["strategy"], pair["second"]["strategy"]) for pair in pairs]
    ones, twos = ([f"{call}epsilon={e})" for e in (5.0, 9.0)] for call in ("NGuess(n_guesses=1, ", "TwoGuess("))
    assert shown == [(ones[0], twos[0]), (ones[1], twos[1]), (ones[1], ones[0]), (twos[1], ones[0])]


MINE = f"""
class Mine:
    def __init__(self, epsilon=9.0): self.move = {SMALL.answers[0]!r}, epsilon
    def first_move(self): return self.move
    def next_move(self, *turn): return {SMALL.answers[0]!r}, 0
"""


@pytest.mark.heavy
def test_the_default_of_a_file_counts_unless_a_grid_is_given(cli, tmp_path, lists):
    (tmp_path / "mine.py").write_text(MINE)
    specs, few = ["mine.py", "TwoGuess(18)"], ["-n", "2", *lists, "--json"]
    (pair,) = json.loads(cli("compare", *specs, *few).out)["pairs"]
    assert pair["second"]["epsilon"] == 18.0
    on_grid = json.loads(cli("compare", "mine.py:Mine", specs[1], "-e", "5,7", *few).out)["pairs"]
    assert [pair["first"]["epsilon"] for pair in on_grid] == [5.0, 7.0]
    assert len(json.loads(cli("sweep", *specs, "TwoGuess", "-e", "5,7", *few).out)) == 5


@pytest.mark.heavy
def test_it_keeps_trials_and_draws(cli, tmp_path, lists):
    common = ["compare", "NGuess(1)", "Greedy(20)", "-e", "5,9,inf", "-n", "30", *lists]
    run = cli(*common, "--out", "r.sqlite", "--out", "new/r.PNG")
    assert run.out.endswith("results: r.sqlite\nplot: new/r.PNG\n")
    assert (tmp_path / "new" / "r.PNG").read_bytes().startswith(b"\x89PNG")
    run = cli(*common, "--out", "r.sqlite", "--format", "csv")  # never in what programs read
    assert (run.out.count("r.sqlite"), run.err.count("results: r.sqlite\n")) == (0, 1)
    rule = ["--statistic", "p50", "--margin", "0.5", "--confidence", "0.9"]
    stored = json.loads(cli("results", "r.sqlite", "--compare", "-o", "s.svg", *rule, "--json").out)
    assert (stored["statistics"], stored["margin"], stored["error"]) == (["p50"], 0.5, pytest.approx(0.1))
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


@pytest.mark.heavy
def test_a_tournament_at_equal_budgets(cli, tmp_path, lists):
    command = ["compare", "--all", "TwoGuess()", "NGuess(2)", "NGuess(3)", "--budget", "12,18", "-n", "40", *lists]
    found = json.loads(cli(*command, "--out", "new/t.png", "--json").out)
    assert (found["statistics"], found["corrected_for"]) == (["posterior_win_rate"], 6)
    assert {(one["round"], one["budget"]) for one in found["ranking"]} == {(1, 12.0), (2, 18.0)}
    assert [(pair["first"]["epsilon"], pair["second"]["epsilon"]) for pair in found["pairs"]] == [
        *((12.0, 6.0), (12.0, 4.0), (6.0, 4.0)),
        *((18.0, 9.0), (18.0, 6.0), (9.0, 6.0)),
    ]
    assert (tmp_path / "new" / "t.png").read_bytes().startswith(b"\x89PNG")
