"""Conditions on tasks: what they select, and what is said where nothing is left."""

import fnmatch
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.refusals import refusal
from tests.support.selections import ROWS
from wordpl.simulation import TaskFilter
from wordpl.simulation.tasks import matches


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (TaskFilter(), "ab12 cd34 ef56"),
        (TaskFilter(["NGuess"]), "ab12"),
        (TaskFilter(["NGuess(n_guesses=2, epsilon=4.0)"]), "ab12"),
        (TaskFilter(["NGuess(n_guesses=2)"]), "ab12"),
        (TaskFilter(["Gu"]), ""),
        (TaskFilter(["Fifth", "greedy"]), "cd34 ef56"),
        (TaskFilter(epsilons=(0.1, 4.0000000000001)), "ab12"),
        (TaskFilter(epsilons=(4.0000001,)), ""),
        (TaskFilter(epsilons=(4, math.inf)), "ab12 cd34"),
        (TaskFilter(["g*"], (4, math.inf)), "cd34"),
        (TaskFilter(channel="fibble"), ""),
        (TaskFilter(contains="FIFTH or (n_guesses"), "ab12 ef56"),
        (TaskFilter(contains="nguess(n_guesses=2) or Greedy()"), "ab12 cd34"),  # as curves are called
        (TaskFilter(contains="fifth", strategies=["NGuess"]), ""),
    ],
)
def test_selects(where, ids):
    assert " ".join(row.id for row in ROWS if where.holds(row)) == ids


def test_where_nothing_is_left_it_says_what_there_is():
    assert TaskFilter(["Gredy"]).nothing(ROWS) == "no task has strategy Gredy; did you mean 'Greedy'?"
    both = TaskFilter(["x", "y"], [1, 2.5]).nothing(ROWS)
    assert both.startswith("no task has strategy x or y and epsilon 1,2.5; its")
    said = TaskFilter(epsilons=[7], channel="fibble").nothing(ROWS)
    assert said == "no task has epsilon 7 and channel fibble; its strategies are Fifth, Greedy, NGuess"
    assert TaskFilter(epsilons=[4]).nothing(ROWS) == TaskFilter(["x"]).nothing([]) == ""
    assert refusal(TaskFilter, epsilons=5).startswith("epsilons ")


LETTERS = st.text(alphabet="ab*?[]().|-é", max_size=8)


@given(LETTERS, LETTERS)
def test_patterns_match_as_the_shell_has_them_without_sets_of_letters(text, pattern):
    plain = pattern.translate(str.maketrans("[]", "<>"))
    assert matches(text, pattern) == fnmatch.fnmatchcase(text.translate(str.maketrans("[]", "<>")), plain)
    assert not matches("a" * 3000, "*a" * 30 + "*b")  # in no exponential time
