"""Measured points of the frontier that are given to later code: only those that it measures alike."""

import json

import pytest

from experiments.frontier import rekey
from tests.support.helpers import ORIGINAL
from wordpl import Setting
from wordpl.limits import Family, measure_frontier


@pytest.mark.heavy
def test_points_of_other_code_are_kept_if_it_plays_alike(tmp_path):
    path, spec = tmp_path / "p.jsonl", "NGuess(n_guesses=2,epsilon={0})"
    families = [Family(name, spec, (1.0, 1.0), (budget,)) for name, budget in (("same", 6), ("other", 9))]
    measure_frontier(families, Setting(ORIGINAL), path, ())
    same, other = map(json.loads, path.read_text().splitlines())
    path.write_text("".join(json.dumps(line | {"task": "0", "win_rate": line["win_rate"] + more}) + "\n"
                            for line, more in ((same, 0.0), (other, 1e-6))))  # fmt: skip
    rekey(path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [same]
    assert [file.name for file in tmp_path.iterdir()] == ["p.jsonl"]
