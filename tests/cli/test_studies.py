"""`wordpl sweep` of a study, and `--save`, which writes one."""

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import refused
from tests.support.helpers import ASKS_ONCE, SMALL
from wordpl import load_study

DOCS = Path(__file__).parents[2] / "docs"
STUDY = """\
trials = 6
seed = 3
out = "r.sqlite"
[game]
words = { answers = "small.txt" }
[[strategy]]
spec = "NGuess(first_guess=None)"
n_guesses = [1, 2]
epsilon = [5, 20]
[[strategy]]
spec = "mine.py"
"""
ONE = ["--jobs", "1", "--quiet"]


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "small.txt").write_text("\n".join((*SMALL.answers, "crate")))
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    (tmp_path / "study.toml").write_text(STUDY)


def test_the_results_file_keeps_the_study(cli):
    assert cli("sweep", "study.toml", *ONE, "--batch", "2").code == 0
    (run,) = json.loads(cli("results", "r.sqlite", "--provenance", "--json").out)
    assert run["command"] == "wordpl sweep study.toml --jobs 1 --quiet --batch 2"
    assert run["study"] == STUDY


@pytest.mark.heavy
def test_paths_are_those_of_the_folder_of_the_study(cli, tmp_path):
    (tmp_path / "paper").mkdir()
    for name in ("small.txt", "mine.py", "study.toml"):
        (tmp_path / name).rename(tmp_path / "paper" / name)
    assert cli("sweep", "paper/study.toml", *ONE).out.endswith("results: paper/r.sqlite\n")
    saved = cli("sweep", "paper/study.toml", "--trials", "4", "--out", "here.sqlite", "--save", "paper/less.toml")
    assert saved.out == "5 tasks in paper/less.toml; to run it: wordpl sweep paper/less.toml\n"
    less = load_study("paper/less.toml")
    assert (less.trials, less.results_file) == (4, Path("here.sqlite"))
    assert [task.id for task in less.tasks()] == [task.id for task in load_study("paper/study.toml").tasks()]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study.toml", "--seed", "3"], "--seed does not go with a study; write it in study.toml"),
        (["study.toml", "TwoGuess(9)"], "a study runs alone; give one .toml file"),
        (["TwoGuess(9)", "--save", "study.toml"], "'study.toml' is there already; nothing was written"),
        (["TwoGuess(9)", "--save", "new.toml", "--json"], "--json has nothing to print with --save"),
        (["TwoGuess()", "--grid", "n_guesses=2"], "none of these strategies takes n_guesses; leave out --grid"),
        (["NGuess()", "--grid", "n_guesses"], "grid 'n_guesses' is not NAME=GRID"),
        (["NGuess()", "--grid", "epsilon=2"], "use --epsilon for epsilon"),
    ],
)
def test_mistakes_are_one_line(cli, tmp_path, arguments, said):
    assert said in refused(cli, "sweep", *arguments)
    assert not (tmp_path / "new.toml").exists()
    assert (tmp_path / "study.toml").read_text() == STUDY


def test_the_environment_names_a_checkout_for_a_study_that_names_none(cli, monkeypatch):
    monkeypatch.setenv("WORDPL_CONTEST_FILES", "nowhere")
    assert "study.toml: strategy[" in refused(cli, "sweep", "study.toml", *ONE)


# Any command line

SPECS = ["Greedy()", "NGuess()", "NGuess(3)", "TwoGuess(9)", "Greedy(epsilon=(12, 4.5))", "MaxClueEntropy(2)",
         "Greedy(certainty=0.5)", "mine.py", "Renyi(orders=(1.5,), epsilon=(9,), first_guess=None)"]  # fmt: skip
GRIDS = ["n_guesses=1:3:1", "n_guesses=2", "monte_carlo=None,20", "certainty=0.8,0.95", "first_guess='crate',None",
         "tree='optimal'", "orders=(1.5,),(2,)"]  # fmt: skip
OPTIONS = [["--words", "nyt2023"], ["--rule", "counted"], ["--seed", str(2**255)], ["--until-width", "0.03"],
           ["--game-seconds", "inf"], ["--trials", "77"], ["--out", "a/b.sqlite"], ["--channel", "randomized_response"],
           ["--first-trial", "9"],
           ["--answers", "small.txt"], ["--answers", "small.txt", "--guesses", "small.txt"]]  # fmt: skip
EPSILONS = ["5:50:5", "5,10,inf", "0.1:0.5:0.1,7", "12.3"]


@pytest.mark.heavy
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.lists(st.sampled_from(SPECS), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(GRIDS), max_size=2, unique_by=lambda grid: grid.partition("=")[0]),
    st.sampled_from(EPSILONS),
    st.lists(st.sampled_from(OPTIONS), max_size=4, unique_by=lambda option: option[0]),
)
def test_a_saved_command_line_makes_the_same_tasks(cli, monkeypatch, specs, grids, epsilon, options):
    played: list[Any] = []

    def instead(tasks: Any, run: Any, out: Path, batch: Any, study: str) -> None:
        played.append(([task.id for task in tasks], run.max_trials, run.first_trial or 0, run.until_width, out))
        raise KeyboardInterrupt

    monkeypatch.setattr("wordpl.cli.runs._run", instead)
    Path("saved.toml").unlink(missing_ok=True)
    line = [*specs, "--epsilon", epsilon, *chain(*(("--grid", grid) for grid in grids), *options)]
    typed = cli("sweep", *line)
    if typed.code == 2:  # such as a strategy that has no such list or grid
        assert cli("sweep", *line, "--save", "saved.toml").err == typed.err
        return
    assert cli("sweep", *line, "--save", "saved.toml").code == 0
    assert cli("sweep", "saved.toml").code == 130
    assert played[0] == played[1]


# The documents

EXAMPLES = [
    (page, text)
    for page in sorted(DOCS.rglob("*.md"))
    for text in re.findall(r"^```toml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
]


@pytest.mark.heavy
@pytest.mark.parametrize(("page", "text"), EXAMPLES, ids=[page.name for page, _ in EXAMPLES])
def test_the_studies_of_the_documents_run(cli, page, text):
    Path("shown.toml").write_text(text)
    for name in ("answers.txt", "guesses.txt"):
        Path(name).write_text("\n".join((*SMALL.answers, "crate", "salet")))
    Path("my_strategy.py").write_bytes(ASKS_ONCE)
    run = cli("sweep", "shown.toml", "--trials", "1", *ONE, "--out", "shown.sqlite", "--json")
    assert (run.code, run.err) == (0, "")
    assert len(json.loads(run.out)) > 1
