"""A game of ordinary Wordle, against the rules as a slow reference has them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.assistant.test_session import games, slow_legal
from tests.generators import RULE, small_words, words_of
from tests.helpers import ORIGINAL, SMALL, Scripted
from wordpl.assistant.session import legal_guesses
from wordpl.assistant.wordle import Wordle, hard_mode_fault
from wordpl.errors import WordplError
from wordpl.model.clues import clue
from wordpl.model.words import WordList
from wordpl.play.moves import Answer
from wordpl.play.referee import Referee
from wordpl.play.setting import Setting


@given(small_words(), RULE, st.booleans(), st.integers(1, 4), st.data())
def test_a_game_goes_by_the_rules(words: WordList, rule: str, hard: bool, most: int, data: st.DataObject) -> None:
    answer = data.draw(st.sampled_from(words.answers))
    game = Wordle(words, lambda guess: clue(guess, answer, rule), rule, hard, most)
    for word in data.draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), max_size=8)):
        before = game.turns
        over = bool(before) and (before[-1].guess == answer or len(before) == most)
        assert game.over == over
        if over or word not in words.guesses or (hard and not slow_legal(word, before, rule)):
            with pytest.raises(WordplError):
                game.guess(word)
            assert game.turns == before
        else:
            assert game.guess(word) == clue(word, answer, rule)
            assert [turn.guess for turn in game.turns] == [*(turn.guess for turn in before), word]
        assert game.won == (bool(game.turns) and game.turns[-1].guess == answer)


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
    words = WordList("four", (answer,), tuple(sorted({guess, answer, word})))
    game = Wordle(words, lambda asked: clue(asked, answer, "counted"), hard=True)
    game.guess(guess)
    assert hard_mode_fault(word, game.turns) == fault
    if fault:
        with pytest.raises(WordplError, match=f"hard mode: {fault}"):
            game.guess(word)


def test_the_answer_is_the_one_that_the_referee_would_draw() -> None:
    for trial in range(20):
        game = Wordle.drawn(SMALL, 3, trial)
        assert game.answer == Referee(Setting(SMALL), 3).play(trial, Scripted(Answer(SMALL.answers[0]))).answer
        game.guess(game.answer)
        assert game.won
    assert Wordle.drawn(SMALL, 3, rule="letterwise", hard=True).hard


def test_the_word_of_the_day_is_the_same_for_all_who_play_the_same_game():
    days = [date(2026, 11, 22) + timedelta(days) for days in range(40)]
    answers = [Wordle.of_the_day(ORIGINAL, day).answer for day in days]
    assert answers == [
        Wordle.of_the_day(WordList("mine", ORIGINAL.answers, ORIGINAL.guesses), day).answer for day in days
    ]
    assert len(set(answers)) > 30
    assert answers != [Wordle.of_the_day(ORIGINAL, day, "letterwise").answer for day in days]
    # What a link to a day shows must not change with the code.
    assert answers[:2] == ["bitty", "equal"]
