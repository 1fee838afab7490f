"""Clues: both repeat rules against a slow version, the matrix against single clues, all notations."""

import math
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.generators import RULE, clues, small_words, words_of
from tests.support.oracles import clue_marks, code_of
from tests.support.refusals import refusal
from wordpl.base.errors import WordplError
from wordpl.model.clues import Clue, clue, clue_matrix, clue_row, clue_rows, html_tiles, packed_clues
from wordpl.model.names import NOTATIONS
from wordpl.model.words import WordList, fold_word


@pytest.mark.heavy
@settings(max_examples=80)
@given(small_words(max_length=8), RULE, st.data())
def test_clues_are_those_of_the_slow_version_one_by_one_and_in_matrices(words, rule, data):
    """Of guesses of the list, and of one with other letters; packed, a mark has two bits."""
    other, kind = data.draw(words_of(words.length, "abcdeéz")), np.uint8 if words.length <= 5 else np.uint16
    marks = [[clue_marks(guess, answer, rule) for answer in words.answers] for guess in (*words.guesses, other)]
    codes = [[code_of(one) for one in row] for row in marks]
    matrix, packed = clue_matrix(words, rule), packed_clues(words, rule)
    for guess, of_marks, of_codes in zip((*words.guesses, other), marks, codes, strict=True):
        found = [clue(guess, answer, rule) for answer in words.answers]
        assert [one.marks for one in found] == of_marks and {one.length for one in found} == {words.length}
        for row in (clue_rows(words, rule)(guess), clue_row(guess, words, rule), clue_row(guess.upper(), words, rule)):
            assert row.tolist() == of_codes == [int(one) for one in found] and row.dtype == kind
    assert (matrix.tolist(), matrix.dtype, matrix.flags.writeable) == (codes[:-1], kind, False)
    bits = [[int("".join(f"{mark:02b}" for mark in one), 2) for one in row] for row in marks[:-1]]
    assert (packed.T.tolist(), packed.dtype, packed.flags.writeable) == (bits, np.uint16, False)
    assert packed is packed_clues(words, rule)


@pytest.mark.parametrize("make", [clue_matrix, packed_clues])
def test_matrices_are_kept_as_far_as_there_is_room(make, monkeypatch):
    lists = [WordList(str(n), *2 * (tuple(f"{chr(97 + k)}{n}a" for k in range(n)),)) for n in (3, 4, 5)]
    sizes = [make(words, "counted").nbytes for words in lists]
    for name in ("_matrices", "_packed"):
        monkeypatch.setattr(f"wordpl.model.clues.{name}", {})
    monkeypatch.setattr("wordpl.model.clues._MOST_BYTES", sizes[0] + sizes[1])
    first, second = (make(words, "counted") for words in lists[:2])
    assert make(lists[0], "counted") is first and make(lists[1], "counted") is second
    third = make(lists[2], "counted")  # there is no room for all
    assert make(lists[2], "counted") is third and make(lists[0], "counted") is not first


@pytest.mark.parametrize(
    "text",
    [
        *("..i.i", "00101", "bbyby", "xxyxy", "BBYBY", ". . i - i", "⬛⬛🟨⬛🟨", "⬛⬛🟦⬛🟦", "◻️▫🟦□🟦", "■◾🟨◽🟨"),
        ":white_large_square::black_large_square::yellow_square: :black_medium_square::YELLOW_square:",
        ":white_small_square::black_medium_small_square::large_blue_square::black_square::blue_square:",
        "⬛\u200b⬛\ufe0e🟨\u2060⬛\u202c🟨\ufeff",
    ],
)
def test_a_clue_is_read_in_every_notation_and_in_the_forms_of_chats(text):
    parsed = Clue.parse(text, 5)
    assert (parsed, parsed.marks) == (Clue(10, 5), (0, 0, 1, 0, 1))
    of_codes = {"yellow": "green", "YELLOW": "GREEN", "blue": "orange"}
    for present, right in (of_codes if ":" in text else dict(zip("i1yY🟨🟦", "c2gG🟩🟧", strict=True))).items():
        text = text.replace(present, right)
    assert Clue.parse(text) == Clue(20)


@given(st.integers(3, 8).flatmap(clues), st.sampled_from(sorted(NOTATIONS)))
def test_show_and_parse_are_inverse(shown, notation):
    for form in (shown.show(notation), shown, int(shown), np.int64(int(shown))):
        assert Clue.parse(form, shown.length) == shown
    assert Clue.parse(shown.show(notation)) == shown and Clue.parse(17) == Clue.parse("..icc")
    assert [0, 1, 2][Clue(2, 3)] == 2  # a clue is an index


BAD_CLUES = [
    ("", 5, "0 marks"),
    ("cc", None, "2 marks; words have 3 to 8"),
    ("c" * 9, None, "9 marks; words have 3 to 8"),
    ("ccizz", 5, "'z' in clue 'ccizz' is not a mark"),
    (".b1cg", 5, "clue '.b1cg' mixes notations"),
    (":large_purple_square:" * 5, 5, "is not a mark"),
    ("⬛⬛🟦🟩🟩", 5, "mixes notations"),
    ("?" * 100_000, 5, "is not a mark"),
    ("c" * 8, 5, "8 marks, the words have 5"),
    (Clue(0, 4), 5, "4 marks, the words have 5"),
    (243, 5, "clue code 243 is not allowed; a whole number from 0 to 242"),
    (-1, 5, "clue code -1 is not allowed"),
    (1.5, 5, "1.5 is not a clue; text"),
    (27, 3, "clue code 27 is not allowed; a whole number from 0 to 26"),
]


def test_bad_clues_and_requests_are_refused(original):
    for text, length, said in BAD_CLUES:
        assert said in refusal(Clue.parse, text, length)
    assert "guess 'crates' has 6 letters, answer 'haste' has 5" in refusal(clue, "crates", "haste")
    assert "guess 'cat' has 3 letters, the words have 5" in refusal(clue_row, "cat", original)
    pair = WordList("two", ("cat", "tag"), ("cat", "tag"))
    clue_row("cat", pair, "counted")[:] = 0  # a row is its owner's
    assert clue_row("cat", pair, "counted").tolist() == [26, code_of((0, 2, 1))]
    for pair in (("at", "it"), ("abcdefghi", "abcdefghi")):
        assert f"word length {len(pair[0])} is not allowed; a whole number from 3 to 8" in refusal(clue, *pair)
    assert "unknown notation 'emojis': did you mean 'emoji'" in refusal(Clue(17).show, "emojis")
    for call in (
        lambda: clue("crate", "haste", "leterwise"),
        lambda: clue_matrix(original, "leterwise"),
        lambda: packed_clues(original, "leterwise"),
    ):
        assert "unknown repeat rule 'leterwise': did you mean 'letterwise'" in refusal(call)


def test_a_clue_is_equal_to_its_text_and_to_no_other_notation():
    clue = Clue.parse("..icc")
    assert clue == "..icc" and clue != "..ici" and hash(clue) == hash("..icc") and {clue: 1}["..icc"] == 1
    assert clue == Clue.parse("00122") and clue != 17 and clue != Clue(17, 6)
    for text in ("00122", "..ICC", "..ic", "haste", "⬛⬛🟨🟩🟩"):
        with pytest.raises(WordplError, match=r"Clue\.parse"):
            _ = clue == text
    shown = Clue.parse(".ic")._repr_html_()
    assert re.findall(r'title="(\w+)".*?>(.)</span>', shown) == [("absent", "."), ("present", "i"), ("correct", "c")]
    assert re.findall(r"background:(#\w+)", shown) == ["#5f6368", "#8a6d00", "#2e7d32"]
    assert re.findall(r">(.)<br>(.)</span>", html_tiles((2, 0, 1), "abc")) == [("A", "c"), ("B", "."), ("C", "i")]


GREEK = wordpl.WordList("greek", *[tuple(sorted(map(fold_word, ("ΛΟΓΟΣ", "ΣΕΙΡΑ", "ΤΟΠΟΣ", "ΣΩΜΑΤ"))))] * 2)


def test_letters_are_the_same_in_every_place_case_and_form():
    assert clue("ΛΟΓΟΣ", "ΣΕΙΡΑ", "counted") == "....i"
    assert clue("λογος", "τοποσ") == clue("ΛΟΓΟΣ", "ΤΟΠΟΣ") == ".c.cc"
    assert clue("İZMİR", "İSLAM", "counted") == "c.i.."
    assert clue(unicodedata.normalize("NFD", "größe"), unicodedata.normalize("NFC", "GRÖẞE")) == "ccccc"
    assert "has 4 letters, answer 'caféx' has 5" in refusal(clue, "cafe\u0301", "caféx")
    for guess in ("ΛΟΓΟΣ", "λογος", "λογοσ"):
        left = wordpl.Posterior(GREEK, "counted").update(guess, math.inf, "....i").possible
        assert {GREEK.answers[i] for i in left} == {"σειρα", "σωματ"}
        assert len(wordpl.Posterior(GREEK).without(guess).possible) == 3
        assert clue_row(guess, GREEK).tolist() == [int(clue("ΛΟΓΟΣ", answer)) for answer in GREEK.answers]
    assert wordpl.score_word(wordpl.Posterior(GREEK, right_ends=True), math.inf, "ΛΟΓΟΣ")["expected_top"] == 0.75


def test_reference_clues():
    for guess, answer, letterwise, counted in (
        *(("crate", "haste", "..icc", "..icc"), ("cat", "tag", ".ci", ".ci")),
        *(("trees", "solve", "..iii", "..i.i"), ("trees", "crier", ".cic.", ".c.c.")),
    ):
        found = clue(guess, answer, "letterwise"), clue(guess, answer, "counted")
        assert [*map(str, found)] == [letterwise, counted]
