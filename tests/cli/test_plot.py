"""`wordpl plot`, `report` and the conditions of `wordpl results`, as they are typed."""

import csv
import json
import shutil
from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import refused
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
    look = ["--by", "seed", "--log", "x", "--title", "$x_{", "--label", "*seed 1=ours"]
    run = cli("plot", "a.sqlite", "b.sqlite", "--epsilon", "1:40:1", "--kind", "wins", "--data", *look)
    assert (run.code, run.out, run.err) == (0, "a.png\na.data.csv\n", "")
    assert [file.read_bytes() for file in files] == before
    rows = list(csv.DictReader(Path("a.data.csv").read_text("utf-8").splitlines()))
    assert [row["curve"] for row in rows] == ["ours"] * 2 + ["NGuess(n_guesses=1), seed 2"] * 2
    Path("b.data.csv").mkdir()
    assert "b.data.csv" in refused(cli, "plot", "b.sqlite", "--data") and not Path("b.png").exists()


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
