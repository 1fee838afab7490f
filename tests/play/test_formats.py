"""Formats, and games of Wordle as the referee plays them."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordpl
from tests.helpers import list_of
from wordpl import Answer, Ask, GameFormat, Setting, Turn, WordplError
from wordpl.model.channel import RandomizedResponse
from wordpl.play.referee import Referee, Verdict, chance

WORDS = ("abbey", "abbot", "baton", "crane", "eaten", "haste", "taste", "react", "crate", "waste", "paste", "tacit")


def small_words():
    return list_of("small", WORDS)


class Fixed:
    """Plays words in turn, and keeps what it is told."""

    def __init__(self, *moves):
        self.moves, self.told = list(moves), []

    def first_move(self):
        return self.moves.pop(0)

    def next_move(self, guess, epsilon, clues):
        self.told.append((guess, epsilon, clues))
        return self.moves.pop(0)


class AtTwo(RandomizedResponse):
    """Randomized response at epsilon 2 a guess."""

    row_epsilon = 2.0


@given(st.one_of(st.none(), st.integers(1, 100)), st.one_of(st.none(), st.text("abcz", min_size=1, max_size=8)))
def test_a_format_is_read_as_it_is_written(guesses, word):
    format = GameFormat(guesses, word if guesses else None)
    assert GameFormat.parse(str(format)) == format


@pytest.mark.parametrize(
    "text",
    ["", "wordl:6", "wordle", "wordle:", "wordle:0", "wordle:101", "wordle:-1", "wordle:6.0", "wordle:٦", "wordle:1_0",
     "wordle:6:", "wordle:6:CRANE", "wordle:6:cr ne", "wordle:6:crane:x", "contest:6", " contest",
     "wordle:" + "9" * 999],
)  # fmt: skip
def test_other_texts_are_refused_in_a_line(text):
    with pytest.raises(WordplError) as caught:
        GameFormat.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_first_guess_belongs_to_wordle_and_to_the_list():
    with pytest.raises(WordplError, match="first guess"):
        GameFormat(None, "crane")
    with pytest.raises(WordplError, match="not in the list"):
        Setting(small_words(), format=GameFormat(6, "zzzzz"))


def test_the_right_guess_ends_the_game_and_its_clue_is_true():
    words = small_words()
    setting = Setting(words, channel=wordpl.Fibble, format=GameFormat(6))
    referee = Referee(setting, 1)
    answer = referee.open(0).game.answer
    other = next(word for word in words.answers if word != answer)
    player = Fixed(Ask(other, math.inf), Answer(answer), Ask(other, math.inf))
    game = referee.play(0, player)
    assert (game.verdict, game.turns, game.score) == (Verdict.WIN, 2, 2.0)
    assert game.history[1] == Turn(answer, math.inf, 242)
    assert len(player.told) == 1  # the lie about the first guess; nobody is asked after the end
    true = wordpl.clue(other, answer, "letterwise").code
    assert wordpl.Fibble().likelihood(game.history[0].clue)[true] > 0


def test_the_last_guess_ends_the_game_even_if_it_is_no_answer():
    words = wordpl.WordList("few", ("abbey", "abbot"), ("abbey", "abbot", "abaca"))
    referee = Referee(Setting(words, format=GameFormat(2)), 1)
    game = referee.play(0, Fixed(Ask("abaca", math.inf), Ask("abaca", math.inf)))
    assert (game.verdict, game.turns, game.score, game.proposed) == (Verdict.LOSS, 2, math.inf, "abaca")
    assert chance(referee.setting, game.history[:1], "abaca") == 0.0


def test_a_given_first_guess_is_played_whatever_the_player_moves():
    words = small_words()
    given = words.guesses[3]
    referee = Referee(Setting(words, format=GameFormat(2, given)), 5)
    player = Fixed("nonsense", Ask(words.answers[0], math.inf))
    game = referee.play(0, player)
    assert game.history[0].guess == given
    assert player.told[0][:2] == (given, math.inf) if len(game.history) > 1 else game.won


def test_every_guess_is_at_the_epsilon_of_the_game():
    words = small_words()
    setting = Setting(words, channel=AtTwo, format=GameFormat(6))
    assert not setting.noiseless
    game = Referee(setting, 1).play(0, Fixed(Ask(words.guesses[0], 3.0)))
    assert (game.verdict, game.reason) == (Verdict.INVALID, "asked with epsilon 3.0; that of this game is 2.0")
    with pytest.raises(WordplError, match="its epsilon is 3"):
        wordpl.make_task(wordpl.parse_strategy("Greedy(3)"), words=words, channel=AtTwo, format="wordle:6")


def test_the_belief_is_that_of_a_game_that_goes_on():
    """By hand: likelihoods of the clues, with each guess ruled out."""
    words = small_words()
    setting = Setting(words, channel=AtTwo, format=GameFormat(6))
    turns = (Turn(words.answers[0], 2.0, 242), Turn(words.answers[1], 2.0, 7))
    weights = np.ones(len(words.answers))
    for turn in turns:
        for i, answer in enumerate(words.answers):
            true = wordpl.clue(turn.guess, answer, "letterwise").code
            weights[i] *= RandomizedResponse(2.0).likelihood(turn.clue)[true] * (answer != turn.guess)
    assert setting.belief(turns).probabilities == pytest.approx(weights / weights.sum(), rel=1e-12)
    assert (setting.belief(turns).probabilities[:2] == 0).all()


def test_the_chances_estimate_the_win_rate():
    """Mean chance and win rate agree within four standard errors, at noise and with lies."""
    words = small_words()
    play = partial(wordpl.evaluate, trials=400, words=words)
    for spec, channel, format in (
        ("Greedy(2)", AtTwo, "wordle:4"),
        ("FollowTree(first_guess='crane')", RandomizedResponse, "wordle:2"),
    ):
        found = play(wordpl.parse_strategy(spec), channel=channel, format=format)
        assert found.expected_win_rate == pytest.approx(found.win_rate, abs=4 * math.sqrt(0.25 / 400))
        assert 0 < found.win_rate < 1
        rates = [rate for rate, _ in found.win_rates_within.values()]
        assert rates == sorted(rates)
        assert rates[-1] == found.win_rate
        assert found.scores[found.won].max() <= len(rates)


@pytest.mark.heavy
def test_the_salet_tree_takes_7920_guesses_in_all():
    """Selby's optimum, through the referee, the format and every answer of the list."""
    words = wordpl.load_words("original")
    setting = Setting(words, "counted", format=GameFormat(6))
    make_player = wordpl.parse_strategy("FollowTree()").players(setting)
    trial_of: dict[str, int] = {}
    referee = Referee(setting, 1)
    trial = 0
    while len(trial_of) < len(words.answers):
        trial_of.setdefault(words.answers[referee.seeds.answer(trial, len(words.answers))], trial)
        trial += 1
    games = [referee.play(trial, make_player(0)) for trial in trial_of.values()]
    assert all(game.won for game in games)
    assert sum(game.turns for game in games) == 7920
    assert max(game.turns for game in games) == 5
