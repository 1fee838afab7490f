"""How guesses and clues are typed: every way that is allowed, every slip that is told."""

import math
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import clues, epsilons
from tests.support.helpers import ORIGINAL, SMALL
from tests.support.refusals import refusal
from wordpl import Setting, Turn
from wordpl.model.names import NOTATIONS
from wordpl.model.words import WordList, words_from_text
from wordpl.wordle.reading import (
    check_word,
    did_you_mean,
    read_any_word,
    read_turn,
    read_turns,
    read_word,
    write_turn,
)
from wordpl.wordle.session import Assistant

MISTAKES = [
    ("crate", "not a guess with its clue"),
    ("crate=..c..@", "no number after @"),
    ("crate ..c..@١٣", "is not allowed; a number from 0"),
    ("crate ..c..@nan", "epsilon 'nan' is not allowed"),
    ("crate ..c..@1e300", "from 0 to 1,000,000"),
    ("crate ..c..@1e400", "epsilon '1e400' is not allowed"),
    ("crate ..c.", "4 marks"),
    ("crate ..q..", "'q' in clue"),
    ("crate ..2c.", "mixes notations"),
    ("cr4te ..c..", "not letters; did you mean 'crate'?"),
    ("crates ..c..", "6 letters, the words have 5; did you mean 'crate'?"),
    ("crtae ..c..", "'crtae' is not among the guesses of original; did you mean 'crate'? write crtae! if"),
    ("zzzzz ..c..", "'zzzzz' is not among the guesses of original; write zzzzz! if your site takes it"),
    ("\u0441rane ..c..", "(CYRILLIC SMALL LETTER ES), which no word of original has; did you mean 'crane'?"),
]


@pytest.mark.parametrize(("text", "named"), MISTAKES)
def test_what_is_no_turn_is_told(text, named):
    assert named in refusal(read_turn, text, ORIGINAL)


def cased(text: str):
    """The text with any of its letters in upper case."""
    return st.lists(st.booleans(), min_size=len(text), max_size=len(text)).map(
        lambda upper: "".join(c.upper() if up else c for c, up in zip(text, upper, strict=True))
    )


@st.composite
def typed_turns(draw, words: WordList = SMALL):
    """A turn, and one of the many ways to type it."""
    word, clue = draw(st.sampled_from(words.guesses)), draw(clues(words.length))
    notation = draw(st.sampled_from(sorted(NOTATIONS)))
    marks = draw(cased(clue.show(notation)))
    if notation == "emoji":
        marks = draw(st.sampled_from(["", " ", "\ufe0f"])).join(marks)
    between = draw(st.sampled_from([" ", "=", " = ", "\t", "  "]))
    text = f"{draw(cased(word))}{between}{marks}"
    epsilon = draw(st.none() | epsilons(zero=False))
    if epsilon is not None:
        text += f"{draw(st.sampled_from(['@', ' @', ' @ ']))}{epsilon!r}"
    return Turn(word, 6.0 if epsilon is None else epsilon, clue.code), f" {text} "


@given(typed_turns())
def test_however_a_turn_is_typed_it_is_the_same_turn(pair):
    turn, text = pair
    assert read_turn(text, SMALL, 6.0) == Assistant(Setting(SMALL), epsilon=6.0).read(text) == turn
    assert read_turn(write_turn(turn), SMALL, math.inf) == turn
    assert {read_turn(f"crate ..c..@{no_noise}", ORIGINAL).epsilon for no_noise in ("INF", "∞")} == {math.inf}


@given(st.lists(typed_turns(), min_size=1, max_size=3), st.data())
def test_arguments_may_be_one_or_two_for_each_turn(pairs, data):
    arguments: list[str] = []
    for _, text in pairs:
        apart = text.split(maxsplit=1)
        plain = "=" not in text and "@" not in text
        arguments += apart if plain and data.draw(st.booleans()) else [text]
    assert read_turns(arguments, SMALL, 6.0) == tuple(turn for turn, _ in pairs)


def test_an_exclamation_mark_means_any_word():
    assert read_any_word("ZZZZZ!", ORIGINAL) == "zzzzz"
    assert read_any_word(" crate! ", ORIGINAL) == "crate"
    assert write_turn(read_turn("crate ..c..@-0", ORIGINAL)) == "crate=..c..@0"
    assert read_turns(["zzzzz!", "....c", "zzzzz!=....c"], ORIGINAL) == (Turn("zzzzz", math.inf, 2),) * 2
    assert "not letters" in refusal(read_word, "zzzzz!", ORIGINAL)
    words = words_from_text("greek", "λόγος\nδόξας")  # of other letters
    assert {read_word(typed, words) for typed in ("ΛΌΓΟΣ", "λόγος", "λο\u0301γος")} == {"λόγοσ"}
    assert did_you_mean("a" * 100_000, ORIGINAL) == ""
    assert did_you_mean("xight", ORIGINAL) == "; did you mean 'eight' or 'fight' or 'light'?"


@pytest.mark.parametrize("typed", ["crat", "flaire", "acron", "slote", "ight"])
def test_words_that_are_a_slip_away_are_those_of_one_edit(typed):
    halves = [(typed[:k], typed[k:]) for k in range(len(typed) + 1)]
    swapped = {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    others = {a + c + b[at:] for a, b in halves for c in ["", *ascii_lowercase] for at in (0, 1)}
    near = [word for word in ORIGINAL.answers if word in swapped | others][:3]
    assert len(near) > 1
    assert did_you_mean(typed, ORIGINAL) == f"; did you mean {' or '.join(map(repr, near))}?"


def test_a_word_of_no_list():
    assert (check_word(" CAT "), check_word("abcdefgh")) == ("cat", "abcdefgh")
    for word, named in (("ab", "3 to 8"), ("a" * 9, "3 to 8"), ("a b c", "not"), (50 * "a", f"'{40 * 'a'}…' has 50")):
        assert named in refusal(check_word, word)
