"""A game of ordinary Wordle, against the rules as a slow reference has them."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.assistant.test_session import games, slow_legal
from tests.generators import RULE, small_words, words_of
from tests.helpers import ORIGINAL, SMALL, Scripted
from tests.oracles import differences
from wordpl.assistant.analysis import analyze
from wordpl.assistant.session import legal_guesses
from wordpl.assistant.wordle import FIBBLE_TURNS, TURNS, Wordle, hard_mode_fault
from wordpl.errors import WordplError
from wordpl.model.clues import Clue, clue
from wordpl.model.fibble import fibble_rows
from wordpl.model.words import WordList
from wordpl.play.moves import Answer
from wordpl.play.referee import Referee
from wordpl.play.strategy import Setting


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
        ("slink", "solar", "crate", "the 1st letter must be S"),
        ("geese", "eerie", "erase", "the 2nd letter must be E"),
        ("eerie", "geese", "geode", "the guess must contain E three times"),
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


def test_six_turns() -> None:
    assert TURNS == 6
    assert Wordle(SMALL, lambda guess: clue(guess, SMALL.answers[0])).max_turns == 6
    assert not Wordle(SMALL, lambda guess: clue(guess, SMALL.answers[0]), max_turns=None).over


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


@given(st.integers(0, 2**64), st.integers(1, 5), st.lists(st.sampled_from(SMALL.guesses), max_size=12), RULE)
def test_each_row_of_fibble_has_its_lies_and_the_right_guess_none(seed, lies, guesses, rule):
    game = Wordle.fibble(SMALL, seed, lies, rule=rule)
    for guess in guesses:
        if game.over:
            break
        shown, true = game.guess(guess), clue(guess, game.answer, rule)
        assert differences(shown.marks, true.marks) == (0 if guess == game.answer else lies)
        assert (set(str(shown)) == {"c"}) == (guess == game.answer) == game.won
        belief = Setting(SMALL, rule, fibble_rows(lies), noiseless=True).belief(game.turns)
        assert SMALL.answer_index[game.answer] in belief.possible
    assert game.over == (game.won or len(game.turns) == FIBBLE_TURNS)


def test_a_game_of_fibble_is_analyzed_by_its_own_channel():
    game = Wordle.fibble(ORIGINAL, 3, 1)
    for guess in ("crate", "sloth", game.answer):
        game.guess(guess)
    found = analyze(ORIGINAL, game.turns, channel=fibble_rows(1))
    left = [len(Setting(ORIGINAL, "counted", fibble_rows(1)).belief(game.turns[:n]).possible) for n in range(4)]
    assert found.solved
    assert found.turns[-1].line == ()
    assert found.turns[0].before == left[0]
    assert found.turns[-1].after == left[3] == 1
    for turn, played in zip(found.turns, game.turns, strict=True):
        assert (turn.guess, turn.clue, turn.epsilon) == (played.guess, str(Clue(played.clue)), math.inf)
