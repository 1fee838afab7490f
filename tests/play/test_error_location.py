"""Where an error came about: the last line of the strategy's own code."""

import importlib.util
import json

import pytest

from tests.helpers import SMALL
from wordpl import Referee, Setting
from wordpl.play.error_location import raised_at, with_place

MINE = """
import json
import wordpl

def deeper(word):
    return helper(word)

def helper(word):
    {line}

class Mine:
    def first_move(self):
        return deeper("crate")
"""
NINTH = 9


@pytest.mark.parametrize(
    "line",
    [
        "raise ValueError(word)",
        "json.loads(word)",  # the standard library raises it
        "import numpy; numpy.zeros(word)",  # an installed package
        "wordpl.load_words(word)",  # and we
    ],
)
def test_it_is_the_last_line_of_the_strategys_own_code(tmp_path, line):
    path = tmp_path / "mine.py"
    path.write_text(MINE.format(line=line))
    spec = importlib.util.spec_from_file_location("mine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    game = Referee(Setting(SMALL), 1).play(0, module.Mine())
    assert game.verdict == "CRASH"
    assert game.reason.endswith(f" (mine.py, line {NINTH})")


def test_an_error_of_no_code_of_the_strategys():
    error = ValueError("x")
    assert raised_at(error) == ""
    assert with_place("ValueError: x", error) == "ValueError: x"


def test_a_long_line_is_cut_before_the_place():
    try:
        json.loads("x")
    except ValueError as error:
        line = with_place("y" * 500, error)
    assert len(line) == 200
    assert "y... (test_error_location.py, line " in line
