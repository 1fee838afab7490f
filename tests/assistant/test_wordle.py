"""What hard mode says, and the word of the day."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.assistant.test_session import games
from tests.generators import words_of
from tests.helpers import ORIGINAL
from wordpl.assistant.session import legal_guesses
from wordpl.assistant.wordle import hard_mode_fault, seed_of_the_day
from wordpl.model.clues import clue
from wordpl.model.words import WordList
from wordpl.play.referee import Referee
from wordpl.play.setting import Setting, Turn


@given(games(), st.data())
def test_a_fault_is_found_where_hard_mode_forbids_a_word(game, data: st.DataObject) -> None:
    words, rule, turns = game
    word = data.draw(words_of(words.length) | st.sampled_from(words.guesses))
    assert (not hard_mode_fault(word, turns, rule)) == bool(legal_guesses([word], rule, turns)[0])


@pytest.mark.parametrize(
    ("guess", "answer", "word", "fault"),
    [
        ("crate", "solar", "slink", "the guess must contain R"),
        ("slink", "solar", "crate", "letter 1 must be S"),
        ("geese", "eerie", "erase", "letter 2 must be E"),
        ("eerie", "geese", "geode", "the guess must contain E 3 times"),
        ("crate", "solar", "solar", ""),
    ],
)
def test_what_hard_mode_says(guess: str, answer: str, word: str, fault: str) -> None:
    assert hard_mode_fault(word, (Turn(guess, math.inf, clue(guess, answer, "counted").code),)) == fault


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
