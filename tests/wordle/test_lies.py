"""Help in games that the right guess ends and whose rows lie, against enumeration of answers and clues."""

import math
from collections import defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.generators import RULE, small_words
from tests.support.helpers import ORIGINAL, SMALL, TINY
from tests.support.oracles import clue_marks, differences
from tests.support.refusals import refusal
from wordpl import Ask, Clue, Game, GameFormat, History, Referee, Setting, Turn, WordList, channel_family
from wordpl.wordle import Assistant, analyze
from wordpl.wordle.rules import belief_of_win, false_mark_chances, winning_guess


def fibble(words: WordList, lies: int, rule: str = "counted", rows: int = 9) -> Setting:
    return Setting(words, rule, channel_family(f"fibble:{lies}"), format=GameFormat(rows))


def played(setting: Setting, seed: int, guesses: list[str]) -> Game:
    opened = Referee(setting, seed).open(0)
    for guess in guesses:
        if opened.take(Ask(guess, math.inf)) is None:
            break
    return opened.game


@st.composite
def lying_games(draw, most: int = 4):
    """A setting of a small list, and a game in it that goes on."""
    words = draw(small_words(3, 4))
    setting = fibble(words, draw(st.integers(0, words.length)), draw(RULE), rows=draw(st.integers(5, 7)))
    guesses = draw(st.lists(st.sampled_from(words.guesses), min_size=1, max_size=most))
    game = played(setting, draw(st.integers(0, 2**32)), guesses)
    assume(not game.won)
    return setting, game


def possible(setting: Setting, lies: int, turns: History) -> list[str]:
    """The answers that can have given these rows, none of which has ended the game."""
    return [
        word
        for word in setting.words.answers
        if all(
            turn.guess != word and differences(clue_marks(turn.guess, word, setting.rule), marks_of(turn)) == lies
            for turn in turns
        )
    ]


def marks_of(turn: Turn) -> tuple[int, ...]:
    return Clue(turn.clue, len(turn.guess)).marks


def lies_of(setting: Setting) -> int:
    found = setting.channel(math.inf, setting.words.length).false_marks
    assert found is not None
    return found


@given(lying_games())
def test_chances_of_false_marks_are_shares_of_the_answers_left(game):
    setting, record = game
    lies, turns = lies_of(setting), record.history
    left = possible(setting, lies, turns)
    for turn in turns:
        truths = [clue_marks(turn.guess, word, setting.rule) for word in left]
        expected = [np.mean([true[k] != shown for true in truths]) for k, shown in enumerate(marks_of(turn))]
        found = false_mark_chances(setting.belief(turns), turn)
        assert found == pytest.approx(expected, abs=1e-12)
        assert found.sum() == pytest.approx(lies)


def test_chances_of_false_marks_under_randomized_response():
    setting = Setting(SMALL, "letterwise", channel_family("randomized_response:4"), format=GameFormat(6))
    turn = Turn(SMALL.guesses[3], 4.0, Clue.parse(".ic..").code)
    belief = setting.belief((turn,))
    expected = sum(
        p * (np.array(clue_marks(turn.guess, word, "letterwise")) != np.array(marks_of(turn)))
        for word, p in zip(SMALL.answers, belief.probabilities, strict=True)
    )
    assert false_mark_chances(belief, turn) == pytest.approx(expected)


def two_guesses(setting: Setting, lies: int, left: list[str], guess: str) -> float:
    """The chance to win by this guess or the best one after its clue, by enumeration of all clues with so many lies."""
    length = setting.words.length
    likely: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for word in left:
        if word != guess:
            true = clue_marks(guess, word, setting.rule)
            for shown in product(range(3), repeat=length):
                if differences(true, shown) == lies:
                    likely[shown] = 1 / (math.comb(length, lies) * 2**lies)  # the best of answers that are as likely
    return ((guess in left) + sum(likely.values())) / len(left)


@given(lying_games(most=3), st.integers(1, 2))
@settings(max_examples=25)
def test_the_last_two_rows_go_by_the_chance_to_win(game, rows):
    setting, record = game
    lies, turns = lies_of(setting), record.history
    words, left = setting.words, possible(setting, lies, record.history)
    helper = Assistant(replace(setting, format=GameFormat(len(turns) + rows)))
    helper.take(turns)
    assume(helper.solved is None)  # where all marks lie, people take a row of another word for a win
    assert helper.rows_left == rows
    chances = {
        guess: (guess in left) / len(left) if rows == 1 else two_guesses(setting, lies, left, guess)
        for guess in words.guesses
    }
    best = helper.suggestions(3)
    assert chances[best[0].word] == pytest.approx(max(chances.values()))
    for figures in best:
        assert helper.scores([figures])[0] == pytest.approx(chances[figures.word])
    told = helper.record(3)
    assert told["scores"] == told["game"]["win_chances"] == pytest.approx([chances[figures.word] for figures in best])
    assert told["criterion"] == ("chance" if rows == 1 else "expected_top")


@given(st.integers(0, 2**32), st.integers(1, 5), st.lists(st.sampled_from(TINY.guesses), min_size=1, max_size=8), RULE)
def test_a_game_is_solved_when_the_referee_says_so(seed, lies, guesses, rule):
    setting = fibble(TINY, lies, rule)
    record = played(setting, seed, guesses)
    helper = Assistant(setting)
    helper.take(record.history)
    assert helper.contradiction is None
    if record.won:
        assert helper.solved == record.answer
        assert helper.answers() == [(record.answer, 1.0)]
        truth = [np.array(clue_marks(t.guess, record.answer, rule)) != marks_of(t) for t in record.history]
        assert np.array_equal(helper.false_marks(), truth)
        assert (helper.rows_left, helper.suggestions()) == (0, [])
    else:
        assert record.answer in dict(helper.answers())
        told = record.history[-1]
        assert (helper.solved is None) or set(str(Clue(told.clue))) == {"c"}  # a lie that people take for a win


def test_an_all_correct_clue_is_a_win_only_at_the_end_and_if_it_can_be():
    setting = fibble(ORIGINAL, 1)
    right = Turn("crate", math.inf, 242)
    assert winning_guess(setting, (right,)) == "crate"
    assert winning_guess(setting, (right, Turn("sonic", math.inf, 0))) is None
    # A true clue that is two marks away cannot be shown with one lie.
    assert winning_guess(setting, (Turn("crane", math.inf, 0), right)) is None
    assert winning_guess(setting, (right, right)) is None
    assert winning_guess(fibble(ORIGINAL, 0), (right, right)) is None
    near = Assistant(setting)  # a guess that would fit, had it not been wrong
    near.add(Turn("aahed", math.inf, 240))
    assert "aahed" not in [close.word for close in near.closest(20)]
    solved = [analyze(setting, (right,), answer=answer).solved for answer in (None, "crate", "crane")]
    assert solved == [True, True, False]
    assert belief_of_win(setting, "crate").right_ends and belief_of_win(setting, "crate").top == ("crate", 1.0)
    helper = Assistant(setting)
    helper.add(Turn("zzzzz", math.inf, 242))  # a word that only the host has
    assert (helper.solved, helper.contradiction) == ("zzzzz", None)


def test_rows_that_no_answer_gives_and_rows_that_the_game_has_not():
    helper = Assistant(replace(fibble(ORIGINAL, 1), format=GameFormat(3)))
    wrong = tuple(helper.read(text) for text in ("crate=ccccc", "sonic=ccccc"))
    helper.take((*wrong[:1], helper.read("crate=.....")))
    assert helper.contradiction is not None
    assert (helper.suggestions(), helper.false_marks()) == ([], [])
    assert "crate" not in [close.word for close in helper.closest() if close.contradicted_marks == 0]
    for close in helper.closest(3000):  # also of CRATE, whose first row has a lie too few
        lies = [differences(clue_marks(turn.guess, close.word, "counted"), marks_of(turn)) for turn in helper.turns]
        assert close.contradicted_marks == sum(abs(number - 1) for number in lies)
    assert "4 rows, and the game has 3; wordle:4 is a game of more rows" in refusal(helper.take, (*wrong, *wrong))
    assert "is at epsilon 13, and all of this game at inf" in refusal(helper.add, Turn("crate", 13.0, 0))


@given(lying_games(most=3), st.data())
@settings(max_examples=9)
def test_bits_and_luck_average_out_over_all_that_could_have_happened(game, data):
    setting, record = game
    lies, words = lies_of(setting), setting.words
    left = possible(setting, lies, record.history)
    guess = data.draw(st.sampled_from(words.guesses))
    chances: defaultdict[int, float] = defaultdict(float)
    for word in left:
        true = clue_marks(guess, word, setting.rule)
        for shown in product(range(3), repeat=words.length):
            if guess != word and differences(true, shown) == lies:
                code = int("".join(map(str, shown)), 3)
                chances[code] += 1 / (len(left) * math.comb(words.length, lies) * 2**lies)
    if lies:
        chances.pop(words.n_clues - 1, None)  # it would be taken for a win
        assume(sum(chances.values()) + (guess in left) / len(left) > 1 - 1e-9)
    if guess in left:
        chances[words.n_clues - 1] += 1 / len(left)
    reviews = {code: analyze(setting, (*record.history, Turn(guess, math.inf, code))).turns[-1] for code in chances}
    assert sum(chances.values()) == pytest.approx(1)
    actual = sum(p * reviews[code].actual_bits for code, p in chances.items())
    assert {round(review.expected_bits, 9) for review in reviews.values()} == {round(actual, 9) + 0.0}
    lucks = [(p, reviews[code].luck) for code, p in chances.items()]
    if len(chances) > 1:
        assert sum(p * luck for p, luck in lucks if luck is not None) == pytest.approx(49.5, abs=0.51)
    else:
        assert lucks[0][1] is None
