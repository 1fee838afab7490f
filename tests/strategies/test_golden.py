"""Every strategy of the library plays what the golden file says."""

import json

import pytest

from tests.golden import ADVICE, FILE, GAMES, examples, kept, play
from wordpl.base.engine import ENGINE_VERSION

EXAMPLES = examples()
KEPT = kept()


@pytest.mark.parametrize("name", EXAMPLES)
def test_moves_are_as_they_were(name):
    assert name in KEPT, f"no moves of {name} are kept; run: python -m tests.golden"
    now = play(name, EXAMPLES[name])
    assert now == KEPT[name], f"moves of {name} changed: {ADVICE}"


def test_the_file_is_of_this_engine_and_of_these_strategies():
    assert json.loads(FILE.read_text())["engine"] == ENGINE_VERSION, "run: python -m tests.golden"
    assert set(KEPT) == set(EXAMPLES), "run: python -m tests.golden"
    assert {len(games) for games in KEPT.values()} == {GAMES}
    assert all(
        ":" in line and "CRASH" not in line and "INVALID" not in line for games in KEPT.values() for line in games
    )
