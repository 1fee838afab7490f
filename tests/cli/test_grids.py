"""`wordpl sweep` over grids, and the study of the documents."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import blocks
from tests.support.helpers import SMALL

FEW = ["--trials", "2", "--jobs", "1", "--answers", "small.txt"]
PAGE = Path(__file__).parents[2] / "docs/how-to/studies.md"


@pytest.fixture(autouse=True)
def _words(tmp_path):
    (tmp_path / "small.txt").write_text("\n".join((*SMALL.answers, "trace")))


def test_all_combinations_are_played_each_once(cli):
    specs = ["NGuess(first_guess=None)", "NGuess(2, 9, first_guess=None)", "Greedy(8)", "TwoGuess(8)"]
    run = cli("sweep", *specs, "--grid", "n_guesses=1:2:1", "--epsilon", "5,9", *FEW, "--json")
    assert [task["strategy"] for task in json.loads(run.out)] == [
        *(f"NGuess(n_guesses={n}, epsilon={e}, first_guess=None)" for n in (1, 2) for e in (5.0, 9.0)),
        *(f"Greedy(epsilon=8.0, n_guesses={n})" for n in (1, 2)),  # which has a default of its own
        "TwoGuess(epsilon=8.0)",
    ]
    again = cli("sweep", *specs, "--grid", "n_guesses=1:2:1", "--epsilon", "5,9", *FEW, "--json")
    assert again.out == run.out


@pytest.mark.heavy
def test_the_script_of_the_documents_runs(tmp_path):
    ((_, script),) = blocks(PAGE.read_text("utf-8"), "bash")
    assert "letterwise counted" in script and "--until-width 0.1" in script
    less = script.replace("letterwise counted", "counted").replace("--until-width 0.1", " ".join(FEW))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-e", "-c", less], cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout.count("results: results/study.sqlite")) == (0, 1)
