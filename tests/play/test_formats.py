"""Formats, and games of Wordle as the referee plays them."""

import math
from collections import Counter

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.support.helpers import FEW, AtTwo, Scripted
from tests.support.refusals import refusal
from wordpl import Answer, Ask, GameFormat, Setting, Turn, WordplError
from wordpl.play.referee import Referee, Verdict, chance

UNLIMITED = GameFormat(unlimited=True)


@given(
    st.one_of(st.none(), st.integers(1, 100)),
    st.one_of(st.none(), st.text("abcz", min_size=1, max_size=8)),
    st.booleans(),
)
def test_a_format_is_read_as_it_is_written(guesses, word, every_answer):
    format = GameFormat(guesses, word if guesses else None, every_answer=every_answer)
    assert GameFormat.parse(str(format)) == format
    assert GameFormat.parse(str(UNLIMITED)) == UNLIMITED


def test_other_texts_and_first_guesses_are_refused_in_a_line():
    for text in ("wordle", "wordle:0", "wordle:101", "wordle:6.0", "wordle:6:", "unlimited:6"):
        refusal(GameFormat.parse, text)
    assert "no number of guesses" in refusal(GameFormat, 6, unlimited=True)
    assert "first guess" in refusal(GameFormat, None, "crane")
    assert "not in the list" in refusal(Setting, FEW, format=GameFormat(6, "zzzzz"))
    assert GameFormat.parse("wordle:6:CRANE") == GameFormat(6, "crane"), "it is folded"
    assert GameFormat(6, "ΛΟΓΟΣ") == GameFormat(6, "λογος")


WORDS = wordpl.WordList("few", FEW.answers, tuple(sorted({*FEW.answers, "abaca"})))
GUESS = st.sampled_from(WORDS.guesses)


@given(st.lists(GUESS, min_size=6, max_size=6), st.integers(1, 6), st.none() | GUESS, st.integers(0, 20))
@example([*FEW.answers[:5], "abaca"], 6, None, 0)  # no answer is a last guess
def test_the_right_guess_or_the_last_one_ends_a_game_of_wordle(asked, guesses, given, trial):
    """A first guess that is given is played whatever the player moves."""
    referee = Referee(Setting(WORDS, channel=wordpl.Fibble, format=GameFormat(guesses, given)), 1)
    moves = [Answer(word) if word in WORDS.answers[::2] else Ask(word, math.inf) for word in asked]
    player, answer = Scripted("nonsense" if given else moves[0], *moves[1:]), referee.open(trial).game.answer
    game = referee.play(trial, player)
    played = [given or asked[0], *asked[1:guesses]]
    played = played[: played.index(answer) + 1] if answer in played else played
    won = played[-1] == answer
    assert [turn.guess for turn in game.history] == played and (game.turns, game.proposed) == (len(played), played[-1])
    assert (game.verdict, game.score) == ((Verdict.WIN, len(played)) if won else (Verdict.LOSS, math.inf))
    assert len(player.told) == len(played) - 1, "nobody is asked after the end"
    for guess, epsilon, code in game.history:
        lies = wordpl.Fibble().likelihood(code)[int(wordpl.clue(guess, answer))] > 0
        assert epsilon == math.inf and (code == 242 if guess == answer else lies)
    assert chance(referee.setting, game.history[:1], "abaca") == 0.0


@pytest.mark.heavy
@given(
    st.lists(st.tuples(st.sampled_from(FEW.answers), st.sampled_from([0.0, 0.25, 3.0, 20.0])), max_size=9), st.data()
)
def test_an_unlimited_game_ends_by_the_right_guess_and_costs_its_asks(asked, data):
    """The score is a sum in plain code; the posterior is that of the clues, without the words that were guessed."""
    opened = Referee(Setting(FEW, format=UNLIMITED), data.draw(st.integers(0, 50))).open(0)
    answer, budget, belief = opened.game.answer, 0.0, wordpl.Posterior(FEW)
    for word, epsilon in (one for one in asked if one[0] != answer):
        turn = opened.take(Ask(word, epsilon) if epsilon else Answer(word))
        assert turn[:2] == (word, epsilon)
        budget, belief = budget + epsilon, belief.update(*turn).without(word)
        np.testing.assert_allclose(opened.rules.setting.belief(opened.game.history).probabilities, belief.probabilities)
    assert not opened.game.won
    assert opened.take(Ask(answer, 2.5)) is None
    game = opened.game
    assert (game.won, game.score, game.turns) == (True, budget + 2.5, len(game.history))
    assert game.history[-1] == Turn(answer, 2.5, 242)


def test_the_first_guess_of_fibble_has_an_absent_mark_and_is_drawn_evenly():
    words = wordpl.WordList("few", ("abet", "beat", "beta", "cold", "gnat"), ("abet", "beat", "beta", "cold", "gnat"))
    setting = Setting(words, "counted", wordpl.Fibble, format=GameFormat.parse("wordle:9:fibble"))
    drawn = Counter()
    for trial in range(400):
        opened = Referee(setting, 5).open(trial)
        opened.take("whatever the player moves")
        drawn[opened.game.answer, opened.game.history[0].guess] += 1
    anagrams = {"abet", "beat", "beta"}
    allowed = {
        (answer, first)
        for answer in words.answers
        for first in words.answers
        if first != answer and not {answer, first} <= anagrams
    }
    assert set(drawn) == allowed
    assert scipy.stats.chisquare([n for (answer, _), n in drawn.items() if answer == "cold"]).pvalue > 1e-3
    alone = Setting(wordpl.WordList("pair", ("abet", "beat"), ("abet", "beat")), format=setting.format)
    assert "no answer of pair can be the given first guess" in refusal(Referee(alone, 5).open, 0)


def test_every_guess_is_at_the_epsilon_of_the_game():
    setting = Setting(FEW, channel=AtTwo, format=GameFormat(6))
    assert not setting.noiseless
    for at in (3.0, 1.0):
        game = Referee(setting, 1).play(0, Scripted(Ask(FEW.guesses[0], at)))
        assert (game.verdict, game.reason) == (Verdict.INVALID, f"asked with epsilon {at}; that of this game is 2.0")
    with pytest.raises(WordplError, match=r"has epsilon 3.0, and each clue of channel .* has epsilon 2"):
        wordpl.make_task(wordpl.parse_strategy("Greedy(3)"), words=FEW, channel=AtTwo, format="wordle:6")
    said, more = "write epsilon={} in the strategy", ", or name channel randomized_response:E for clues at epsilon E"
    for channel, game, end in (
        ("randomized_response", "game wordle:6", said.format("inf") + more),
        ("randomized_response:2", "channel randomized_response:2", said.format("2.0")),
    ):
        told = refusal(wordpl.make_task, "Greedy(3)", words=FEW, channel=channel, format="wordle:6")
        assert f"each clue of {game} has epsilon" in told and told.endswith(end)
