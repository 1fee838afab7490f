"""Orders of the clue matrix."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordpl
from tests.support import generators
from tests.support.helpers import MIDDLE
from wordpl.model.words import words_from_text
from wordpl.web.matrix_order import order_words

SMALL = words_from_text("small", "abc\nabd\ncab\ndad\n", "abc\nabd\ncab\ndad\naaa\nbbb\nbcd\n")


def bits(row: np.ndarray) -> float:
    shares = np.unique(row, return_counts=True)[1] / len(row)
    return -sum(p * math.log2(p) for p in shares)


def steps(matrix: np.ndarray, order: np.ndarray, length: int) -> float:
    """The mean number of marks in which neighbouring rows differ, over some of the columns."""
    marks = np.array([wordpl.Clue(code, length).marks for code in range(3**length)], dtype=np.uint8)
    rows = matrix[order][:, ::37]
    return float((marks[rows[1:]] != marks[rows[:-1]]).sum(axis=2).mean())


@given(words=generators.small_words(), by=st.sampled_from(["word", "entropy", "similarity"]), rule=generators.RULE)
def test_each_order_of_any_list_has_every_word_once(words, by, rule):
    assert sorted(order_words(words, "guesses", by, rule)) == list(range(len(words.guesses)))
    assert sorted(order_words(words, "answers", by, rule)) == list(range(len(words.answers)))


@pytest.mark.parametrize("rule", wordpl.RULES)
def test_by_entropy_the_clue_tells_less_and_less(rule):
    matrix = wordpl.clue_matrix(SMALL, rule)
    for axis, rows in (("guesses", matrix), ("answers", matrix.T)):
        found = [(-round(bits(rows[i]), 9), i) for i in order_words(SMALL, axis, "entropy", rule)]
        assert found == sorted(found)


def test_by_similarity_neighbours_differ_in_few_marks():
    matrix = wordpl.clue_matrix(MIDDLE)
    for axis, found in (("guesses", matrix), ("answers", matrix.T)):
        order = order_words(MIDDLE, axis, "similarity", "letterwise")
        assert steps(found, order, 5) < 0.75 * steps(found, np.arange(len(order)), 5)


def test_similarity_puts_words_with_the_same_clues_side_by_side():
    # The letters x, y and z are in no answer, so these guesses look alike.
    words = words_from_text("alike", "abc\nabd\n", "abc\nabd\nxyz\nbca\nzzz\nyyy\n")
    names = [words.guesses[i] for i in order_words(words, "guesses", "similarity", "letterwise")]
    places = sorted(names.index(word) for word in ("xyz", "zzz", "yyy"))
    assert places[2] - places[0] == 2


@pytest.mark.heavy
def test_an_alphabet_of_thousands_of_letters_can_be_ordered():
    letters = [chr(0x4E00 + i) for i in range(3000)]
    words = words_from_text("many", "\n".join("".join(letters[i : i + 3]) for i in range(0, 3000, 3)))
    assert sorted(order_words(words, "guesses", "similarity", "letterwise")) == list(range(1000))
