"""Win rates of games of Wordle: all games gone through, or enough of them played."""

import math

import numpy as np
import pytest

import wordpl
from tests.support.helpers import FEW, AtTwo, list_of
from wordpl import Ask, GameFormat, Setting, Turn, parse_strategy
from wordpl.limits import compute_win_rate
from wordpl.limits.histories import count_histories


def gone_through(strategy, setting):
    """The chance to win by going through all guesses with all clues to each."""
    words, epsilon, rows, given = setting.words, setting.row_epsilon, setting.format.guesses, setting.format.first_guess
    law = setting.channel(epsilon, words.length).matrix().toarray()

    def won(history, weights):
        move = strategy.decide(setting, history)
        guess = given if given and not history else move.guess if isinstance(move, Ask) else move.word
        right = np.array([word == guess for word in words.answers])
        total, wrong = weights @ right, np.where(right, 0.0, weights)
        codes = [int(wordpl.clue(guess, word, setting.rule)) for word in words.answers]
        for code in np.flatnonzero(law[:, codes] @ wrong).tolist() if len(history) + 1 < rows else ():
            total += won((*history, Turn(guess, epsilon, code)), wrong * law[code, codes])
        return total

    return won((), np.full(len(words.answers), 1 / len(words.answers)))


@pytest.mark.parametrize(
    ("spec", "channel", "answers", "format"),
    [
        *(("FollowTree(first_guess='crane')", "fibble:0", FEW.answers, GameFormat(rows)) for rows in (1, 2, 3, 6)),
        ("Greedy(2)", AtTwo, (*FEW.answers[:5], "haste"), GameFormat(2, "haste")),
        ("BayesianSolver()", "fibble:2", FEW.answers, GameFormat(2)),
    ],
)
def test_games_of_wordle_with_few_clues_are_all_gone_through(spec, channel, answers, format):
    setting = Setting(list_of("few", answers), channel=wordpl.channel_family(channel), format=format)
    result = compute_win_rate(spec, setting)
    assert result.exact
    assert result.win_rate == pytest.approx(gone_through(parse_strategy(spec), setting), rel=1e-9)
    if format.guesses == 6:  # one for each guess of the tree, of which at most one is no answer
        assert len(answers) <= result.histories <= len(answers) + 1


@pytest.mark.parametrize(
    ("spec", "channel"),
    [("Greedy(2)", AtTwo), *((spec, "fibble:3") for spec in ("BayesianSolver()", "FollowTree(first_guess='crane')"))],
)
def test_games_of_wordle_with_many_clues_are_played(spec, channel):
    """Guesses without a limit of epsilon do not make clues true, of which there would be one for each answer."""
    setting = Setting(FEW, channel=wordpl.channel_family(channel), format=GameFormat(6))
    result = compute_win_rate(spec, setting, standard_error=0.03)
    assert not result.exact and count_histories(parse_strategy(spec), setting) == 243**5
    assert result.histories < 10_000
    rate = wordpl.evaluate(spec, 300, seed=5, words=FEW, channel=channel, format="wordle:6")
    assert abs(result.win_rate - rate.win_rate) < 4 * math.hypot(result.standard_error, 0.5 / math.sqrt(300))
