"""`strategies.utils` as strategies of the contest know it, tested against the contest's rules."""

import importlib.util
import math
from pathlib import Path

import pytest

from tests.helpers import SMALL
from wordpl import Setting, Turn, clue
from wordpl.contest import compat
from wordpl.contest.words import lists
from wordpl.model.clues import clue_strings


@pytest.fixture
def utils(tmp_path, monkeypatch):
    for name, content in lists(SMALL).items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    place = Path(next(iter(compat.__path__)), "utils.py")
    spec = importlib.util.spec_from_file_location("contest_utils", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lists(utils):
    assert (utils.answers, utils.valid) == (list(SMALL.answers), list(SMALL.guesses))
    assert utils.uniform_prior()["word"].to_list() == utils.answers
    assert set(utils.uniform_prior()["weight"]) == {1}
    assert 0.9 * 7 <= utils.jitter(7.0) <= 1.1 * 7


def test_a_word_fits_the_marks_that_it_would_give(utils):
    """For each word, exactly one mark of each letter is true: that of the clue without noise."""
    guess = SMALL.guesses[7]
    for word in SMALL.answers:
        marks = str(clue(guess, word))
        for index, letter in enumerate(guess):
            assert [mark for mark in "ci." if utils.is_consistent(word, index, letter, mark)] == [marks[index]]
    for wrong in (" ", "g", ""):
        with pytest.raises(ValueError, match="is none of 'c', 'i'"):
            utils.is_consistent("crate", 0, "c", wrong)


@pytest.mark.parametrize("code", [0, 7, 121, 242])
def test_an_absent_letter_is_evidence_as_any_other_mark(utils, code):
    """Weights are the posterior: each mark that fits counts e^(epsilon/5) times one that does not."""
    guess, epsilon = SMALL.guesses[3], 8.0
    marks = clue_strings(5)[code]
    table = utils.uniform_prior()
    found = utils.update_prior(table, guess, epsilon, marks)
    assert found is table
    expected = [math.exp(epsilon / 5 * sum(map(str.__eq__, marks, str(clue(guess, w))))) for w in SMALL.answers]
    assert found["weight"].to_list() == pytest.approx([weight / sum(expected) for weight in expected])
    posterior = Setting(SMALL).belief((Turn(guess, epsilon, code),)).probabilities
    assert found["weight"].to_list() == pytest.approx(posterior.tolist())


def test_update_weight(utils):
    row = {"word": "crate", "weight": 3.0}
    assert utils.update_weight(row, 0, "z", ".", 5.0) == pytest.approx(3 * math.e)
    assert utils.update_weight(row, 0, "c", ".", 5.0) == 3.0
