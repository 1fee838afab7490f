"""`wordpl sweep` over grids."""

import json
import re

from tests.support.commands import ROOT, blocks, fault
from tests.support.helpers import SMALL

FEW = ["--trials", "2", "--jobs", "1", "--answers", "small.txt"]


def test_all_combinations_are_played_each_once(cli, tmp_path):
    (tmp_path / "small.txt").write_text("\n".join((*SMALL.answers, "trace")))
    specs = ["NGuess(first_guess=None)", "NGuess(2, 9, first_guess=None)", "Greedy(8)", "TwoGuess(8)"]
    run = cli("sweep", *specs, "--grid", "n_guesses=1:2:1", "--epsilon", "5,9", *FEW, "--json")
    assert [task["strategy"] for task in json.loads(run.out)] == [
        *(f"NGuess(n_guesses={n}, epsilon={e}, first_guess=None)" for n in (1, 2) for e in (5.0, 9.0)),
        *(f"Greedy(epsilon=8.0, n_guesses={n})" for n in (1, 2)),  # which has a default of its own
        "TwoGuess(epsilon=8.0)",
    ]
    again = cli("sweep", *specs, "--grid", "n_guesses=1:2:1", "--epsilon", "5,9", *FEW, "--json")
    assert again.out == run.out


def test_the_commands_of_the_study_in_the_documents_are_such():
    ((_, script),) = blocks((ROOT / "docs/how-to/studies.md").read_text("utf-8"), "bash")
    lines = [line.replace("$rule", "counted") for line in re.findall("wordpl .*", script.replace("\\\n", ""))]
    assert [fault(line, whole=True) for line in lines] == [None, None]
