"""The contest's own loop, with games and percentiles as the contest has them; and what its strategies import."""

import importlib.util
import math
import random
from importlib import resources
from pathlib import Path

import pytest

import wordpl
from experiments.contest_loop import run
from tests.support.helpers import ORIGINAL, SMALL
from wordpl import Setting, Turn, clue
from wordpl.contest import compat, export_strategy
from wordpl.contest.sandbox import word_files
from wordpl.library.two_guess import TwoGuess
from wordpl.model.clues import clue_strings

STRATEGY = TwoGuess(23.0)
EXPORTED = export_strategy(STRATEGY, Setting(SMALL))


@pytest.mark.heavy
def test_an_exported_strategy_wins_as_often_as_it_should() -> None:
    games = 4000
    expected = wordpl.limits.compute_win_rate(STRATEGY, Setting(SMALL), exact=True).win_rate
    row = run(EXPORTED, SMALL, seed=3, games=games)
    assert abs(row["wins"] / games - expected) < 4.5 * math.sqrt(expected * (1 - expected) / games)
    assert row["p05"] == 23.0


# `strategies.utils` as strategies of the contest know it.


@pytest.fixture
def utils(tmp_path, monkeypatch):
    for name, content in word_files(SMALL).items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    place = Path(next(iter(compat.__path__)), "utils.py")
    spec = importlib.util.spec_from_file_location("contest_utils", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_word_files_are_those_of_the_contest() -> None:
    files = {name: content.decode().split() for name, content in word_files(ORIGINAL).items()}
    assert tuple(files["answers.txt"]) == ORIGINAL.answers
    assert tuple(files["valid.txt"]) == ORIGINAL.guesses
    tree = resources.files("wordpl.model") / "data" / "original_salet.tree"
    paths = [line.split()[::2] for line in tree.read_text("utf-8").splitlines()[1:]]
    assert files["easy_words.txt"] == sorted(guesses[-1] for guesses in paths if len(guesses) <= 3)
    assert word_files(SMALL)["easy_words.txt"].decode().split() == list(SMALL.answers), "no tree is bundled"


def test_a_word_fits_the_marks_that_it_would_give(utils):
    """For each word, exactly one mark of each letter is true: that of the clue without noise."""
    assert (utils.answers, utils.valid) == (list(SMALL.answers), list(SMALL.guesses))
    random.seed(1)
    drawn = [utils.jitter(10.0) for _ in range(500)]
    assert 9.0 <= min(drawn) < 9.1 < 10.9 < max(drawn) <= 11.0
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
    found = utils.update_prior(utils.uniform_prior(), guess, epsilon, marks)
    posterior = Setting(SMALL).belief((Turn(guess, epsilon, code),)).probabilities
    assert found["weight"].to_list() == pytest.approx(posterior.tolist())
    fits = (map(utils.is_consistent, [word] * 5, range(5), guess, marks) for word in SMALL.answers)
    weights = [math.prod([math.exp(epsilon / 5)] * sum(five)) for five in fits]
    assert found["weight"].to_list() == [weight / sum(weights) for weight in weights]  # to the last bit
