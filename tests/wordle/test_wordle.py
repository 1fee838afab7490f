"""What hard mode says, and the word of the day."""

import itertools
import math
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import oracles
from tests.support.generators import RULE, clues, words_of
from tests.support.helpers import ORIGINAL
from wordpl import Clue, Fibble, GameFormat, Referee, Setting, Turn, WordList, clue
from wordpl.wordle.rules import clue_fault, hard_mode_fault, impossible_clue, seed_of_the_day


@pytest.mark.parametrize(
    ("guess", "answer", "word", "fault"),
    [
        ("crate", "solar", "slink", "the guess must contain R"),
        ("slink", "solar", "crate", "letter 1 must be S"),
        ("eerie", "geese", "geode", "the guess must contain E 3 times"),
        ("crate", "solar", "solar", ""),
    ],
)
def test_what_hard_mode_says(guess, answer, word, fault):
    assert hard_mode_fault(word, (Turn(guess, math.inf, clue(guess, answer, "counted").code),)) == fault


@pytest.mark.parametrize(
    ("guess", "answer", "word", "fault"),
    [
        ("crate", "solar", "rosin", "the guess must contain A"),
        ("crate", "solar", "carol", "the guess must not contain C"),
        ("sever", "paper", "eerie", "letter 4 must be E"),
        ("eerie", "paper", "rarer", ""),
        ("eerie", "paper", "pried", "the guess must not contain I"),
    ],
)
def test_what_extra_hard_mode_says(guess, answer, word, fault):
    assert hard_mode_fault(word, (Turn(guess, math.inf, clue(guess, answer, "counted").code),), hard="extra") == fault


def word_of(day: date, words: WordList = ORIGINAL, rule: str = "counted") -> str:
    return Referee(Setting(words, rule), seed_of_the_day(words, rule)).open(day.toordinal()).game.answer


def test_the_word_of_the_day_is_the_same_for_all_who_play_the_same_game():
    days = [date(2026, 11, 22) + timedelta(days) for days in range(40)]
    answers = [word_of(day) for day in days]
    assert answers == [word_of(day, WordList("mine", ORIGINAL.answers, ORIGINAL.guesses)) for day in days]
    assert len(set(answers)) > 30
    assert answers != [word_of(day, rule="letterwise") for day in days]
    # What a link to a day shows must not change with the code.
    assert answers[:2] == ["bitty", "equal"]


@settings(max_examples=150)
@given(words_of(3, "abc") | words_of(4, "abc"), RULE, st.data())
def test_a_clue_has_a_fault_if_and_only_if_no_word_gives_it(guess, rule, data):
    marks = data.draw(clues(len(guess)))
    answers = itertools.product("abcx", repeat=len(guess))  # x stands for all letters that the guess has not
    given_by = any(oracles.clue_marks(guess, "".join(answer), rule) == marks.marks for answer in answers)
    assert (clue_fault(guess, marks, rule) == "") == given_by


def test_a_clue_that_no_word_gives_is_said_with_the_rule_that_it_breaks():
    setting = Setting(ORIGINAL, "counted", noiseless=True, format=GameFormat(6))
    one = (Turn("crate", math.inf, Clue.parse("cccci").code),)
    assert "clue 1 (crate=cccci) is impossible: E is marked as elsewhere" in impossible_clue(setting, one)
    two = (Turn("salet", math.inf, Clue.parse("..iii").code), Turn("title", math.inf, Clue.parse(".iiic").code))
    assert "clue 2 (title=.iiic) is impossible: the counted rule" in impossible_clue(setting, two)
    assert "the letterwise rule marks all copies of T" in impossible_clue(replace(setting, rule="letterwise"), two)
    assert impossible_clue(replace(setting, format=GameFormat()), (one[0]._replace(epsilon=13.0),)) == ""
    assert impossible_clue(replace(setting, channel=Fibble), one) == ""
