"""What hard mode says, the word of the day, and the host that changes its answer."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import oracles
from tests.support.generators import RULE, clues, small_words, words_of
from tests.support.helpers import ORIGINAL, list_of
from tests.support.refusals import refusal
from wordpl import Clue, Fibble, GameFormat, Referee, Setting, Turn, WordList, channel_family, clue
from wordpl.wordle import Adversary, rules
from wordpl.wordle.rules import impossible_clue, player_format


@pytest.mark.parametrize(
    ("hard", "guess", "answer", "word", "fault"),
    [
        (True, "slink", "solar", "crate", "letter 1 must be S"),
        (True, "eerie", "geese", "geode", "the guess must contain E 3 times"),
        ("extra", "crate", "solar", "carol", "the guess must not contain C"),
        ("extra", "sever", "paper", "eerie", "letter 4 must be E"),
        ("extra", "eerie", "paper", "rarer", ""),
    ],
)
def test_what_hard_mode_says(hard, guess, answer, word, fault):
    turns = (Turn(guess, math.inf, clue(guess, answer, "counted").code),)
    assert rules.hard_mode_fault(word, turns, hard=hard) == fault


RESPONSE_12 = "randomized_response:12"


@pytest.mark.parametrize(
    ("game", "channel", "noisy", "format"),
    [
        (None, "randomized_response", False, "wordle:6"),
        (None, "randomized_response", True, "contest"),
        (None, "fibble:2", True, "wordle:9"),
        (None, "fibble:0", False, "wordle:6"),
        (None, RESPONSE_12, True, "wordle:6"),
        ("wordle:7", "fibble:2", False, "wordle:7"),
        ("unlimited", "ball:1", True, "unlimited"),
    ],
)
def test_the_format_of_a_game(game, channel, noisy, format):
    assert str(player_format(game, channel_family(channel), noisy)) == format
    assert rules.MOST_ROWS == 50


def test_rows_that_do_not_go_with_the_noise_are_refused():
    response = channel_family("randomized_response")
    assert "have one epsilon" in refusal(player_format, "contest", channel_family("fibble:2"), noisy=False)
    assert "no epsilon of its own" in refusal(player_format, "wordle:6", response, noisy=True)
    for channel, epsilon, own in ((response, 13.0, "inf"), (channel_family(RESPONSE_12), 9.0, "12")):
        setting = Setting(ORIGINAL, "counted", channel, format=GameFormat(6))
        turns = Turn("crate", setting.row_epsilon, 0), Turn("crate", epsilon, 0)
        said = refusal(rules.check_turns, setting, turns, False, False)
        assert f"is at epsilon {epsilon:g}, and all of this game at {own}" in said


def test_the_word_of_the_day_is_the_same_for_all_who_play_the_same_game_and_changes_by_utc(monkeypatch):
    class Late(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 11, 22, 23, 30, tzinfo=UTC).astimezone(tz or timezone(timedelta(hours=9)))

    monkeypatch.setattr("wordpl.wordle.rules.datetime", Late)
    assert rules.today() == date(2026, 11, 22)

    def word_of(day: date, words: WordList = ORIGINAL, rule: str = "counted") -> str:
        return Referee(Setting(words, rule), rules.seed_of_the_day(words, rule)).open(day.toordinal()).game.answer

    days = [date(2026, 11, 22) + timedelta(days) for days in range(9)]
    answers = [word_of(day) for day in days]
    assert answers == [word_of(day, WordList("mine", ORIGINAL.answers, ORIGINAL.guesses)) for day in days]
    assert len(set(answers)) > 7
    assert answers != [word_of(day, rule="letterwise") for day in days]
    # What a link to a day shows must not change with the code.
    assert answers[:2] == ["bitty", "equal"]


@settings(max_examples=100)
@given(words_of(3, "abc") | words_of(4, "abc"), RULE, st.data())
def test_a_clue_has_a_fault_if_and_only_if_no_word_gives_it(guess, rule, data):
    marks = data.draw(clues(len(guess)))
    answers = itertools.product("abcx", repeat=len(guess))  # x stands for all letters that the guess has not
    given_by = any(oracles.clue_marks(guess, "".join(answer), rule) == marks.marks for answer in answers)
    assert (rules.clue_fault(guess, marks, rule) == "") == given_by


def test_a_clue_that_no_word_gives_is_said():
    setting = Setting(ORIGINAL, "counted", noiseless=True, format=GameFormat(6))
    one = (Turn("crate", math.inf, Clue.parse("cccci").code),)
    assert "clue 1 (crate=cccci) is impossible: E is marked as elsewhere" in impossible_clue(setting, one)
    assert impossible_clue(replace(setting, format=GameFormat()), (one[0]._replace(epsilon=13.0),)) == ""
    assert impossible_clue(replace(setting, channel=Fibble), one) == ""


@given(small_words(), RULE, st.data())
def test_each_clue_is_that_of_the_largest_part(words, rule, data):
    host, left = Adversary(words, rule), list(words.answers)
    for guess in data.draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), max_size=6)):
        sizes = Counter(clue(guess, word, rule).code for word in left)
        given = host.clue(guess).code
        largest = [str(Clue(code, words.length)) for code in sizes if sizes[code] == max(sizes.values())]
        fewest = min((text.count("c"), text.count("i"), Clue.parse(text).code) for text in largest)
        assert given == fewest[-1]
        if given == words.n_clues - 1:
            assert left == [guess]  # it wins only when forced
        left = [word for word in left if clue(guess, word, rule).code == given]
        assert host.left == tuple(left)
        assert left


def test_ties_go_as_in_absurdle():
    host = Adversary("original")
    asked = "sonar", "plied", "beech", "fugue"
    assert [str(host.clue(guess)) for guess in ("SONAR", *asked[1:])][2:] == [".i...", "ccccc"]
    assert [turn.guess for turn in host.history] == [*asked] and host.is_answer("fugue")
    assert not Adversary("original").is_answer("fugue"), "others are left"
    assert Adversary(list_of("two", ("xax", "cxb"))).clue("abc").show() == "i..", "fewer marks"
    one_mark_each = list_of("three", ("axx", "xbx", "xxc"))
    assert Adversary(one_mark_each).clue("abc").show() == "..c", "the smallest code"
