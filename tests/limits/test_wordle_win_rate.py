"""Win rates of games of Wordle: all games gone through, or enough of them played."""

import math

import numpy as np
import pytest

import wordpl
from tests.support.helpers import FEW, AtTwo, list_of
from wordpl import Ask, Setting, Turn, parse_strategy
from wordpl.limits import compute_win_rate


def test_games_of_wordle_without_noise_are_all_gone_through():
    """Against the share of answers that are found, one game for each."""
    strategy = parse_strategy("FollowTree(first_guess='crane')")
    for guesses in (1, 2, 3, 6):
        setting = Setting(FEW, format=wordpl.GameFormat(guesses))
        referee, found = wordpl.Referee(setting, 1), {}
        for trial in range(200):
            game = referee.play(trial, strategy.players(setting)(0))
            found[game.answer] = game.won
        assert len(found) == len(FEW.answers)
        result = compute_win_rate(strategy, setting)
        assert result.exact
        assert result.win_rate == pytest.approx(sum(found.values()) / len(found), abs=1e-12)
    # One for each guess of the tree, of which at most one is no answer.
    assert len(FEW.answers) <= result.histories <= len(FEW.answers) + 1


@pytest.mark.parametrize(
    ("spec", "channel", "answers", "opener"),
    [
        ("Greedy(2)", AtTwo, (*FEW.answers[:5], "haste"), "haste"),
        ("BayesianSolver()", wordpl.channel_family("fibble:2"), FEW.answers, None),
    ],
)
def test_games_of_wordle_with_few_clues_are_summed_over_all_clues(spec, channel, answers, opener):
    """Against the sum over all answers and all clues, with the last guess as the strategy makes it."""
    words, strategy, epsilon = list_of("few", answers), parse_strategy(spec), channel.row_epsilon
    setting = Setting(words, channel=channel, format=wordpl.GameFormat(2, opener))
    first, total = opener or strategy.decide(setting, ()).guess, 0.0
    for answer in words.answers:
        if answer == first:
            total += 1
            continue
        seen = channel(epsilon, words.length).matrix().toarray()[:, wordpl.clue(first, answer, "letterwise").code]
        for code in np.flatnonzero(seen).tolist():
            move = strategy.decide(setting, (Turn(first, epsilon, code),))
            total += seen[code] * ((move.guess if isinstance(move, Ask) else move.word) == answer)
    result = compute_win_rate(strategy, setting)
    assert result.exact
    assert result.win_rate == pytest.approx(total / len(words.answers), rel=1e-9)


@pytest.mark.parametrize(
    ("spec", "channel"),
    [
        ("Greedy(2)", AtTwo),
        ("BayesianSolver()", wordpl.channel_family("fibble:3")),
        ("FollowTree(first_guess='crane')", wordpl.channel_family("fibble:3")),
    ],
)
def test_games_of_wordle_with_many_clues_are_played(spec, channel):
    """Guesses without a limit of epsilon do not make clues true, of which there would be one for each answer."""
    strategy = parse_strategy(spec)
    result = compute_win_rate(strategy, Setting(FEW, channel=channel, format=wordpl.GameFormat(6)), standard_error=0.03)
    assert not result.exact
    assert result.histories < 10_000
    rate = wordpl.evaluate(strategy, 300, seed=5, words=FEW, channel=channel, format="wordle:6")
    assert abs(result.win_rate - rate.win_rate) < 4 * math.hypot(result.standard_error, 0.5 / math.sqrt(300))
