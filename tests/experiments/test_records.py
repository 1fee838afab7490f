"""The search behind the record of the 95th percentile, on a small list."""

import json

import pytest

from experiments import records
from tests.support.helpers import list_of
from tests.support.tops import value_of
from wordpl import Setting
from wordpl.limits import load_policy

WORDS = list_of("words", ("abc", "bca", "cab", "abb", "dad"))


@pytest.mark.heavy
def test_the_third_guess_is_the_best_and_a_stopped_search_resumes(tmp_path, monkeypatch):
    patches = {"setting": lambda *_: Setting(WORDS), "POLICIES": tmp_path, "STEPS": tmp_path}
    for name, value in (patches | {"EFFORTS": [(0.0, 2, 0.75, 2, 0.9)]}).items():
        monkeypatch.setattr(records, name, value)

    def search():
        records.ninety_fifth(24.0, "abc", 6.0, 7.0, 0.55, pairs=5, finely=3, widely=2, jobs=1)
        return (tmp_path / "ninety_fifth.json").read_bytes()

    table, moves = search(), load_policy(tmp_path / "ninety_fifth.json").moves
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    for step in map(json.loads, lines[-2:]):
        pair = tuple(map(int, step["step"].removeprefix("widely ").split()))
        guess, epsilon = moves[pair]
        belief, rest = records._after(pair, moves, 24.0)
        assert step["value"] == pytest.approx(value_of(belief, guess, epsilon, rest - epsilon), abs=1e-5)
        assert step["value"] > max(value_of(belief, word, 0.55 * rest, 0.45 * rest) for word in WORDS.guesses) - 1e-3
    path.write_text("".join(lines[:-4]) + lines[-4][:20])
    assert search() == table
