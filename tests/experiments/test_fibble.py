"""Games of Fibble: the noise that they have, win rates without luck, and steps that resume."""

import math

import numpy as np
import pandas as pd
import pytest

from experiments import fibble, pages
from tests.support.helpers import FEW, SMALL, marks_of
from wordpl import Answer, Fibble, Turn, clue_matrix
from wordpl.library.bayesian_solver import BayesianSolver
from wordpl.scoring import chances_in_three


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Games of the small list."""
    monkeypatch.setattr(fibble, "load_words", lambda name: SMALL)


def all_games(case, answer):
    """Every game of an answer, by the noise, with its probability."""
    setting = case.setting
    words, channel = setting.words, Fibble(lies=case.lies)
    clues = clue_matrix(words, case.rule)

    def after(turns, chance):
        move = BayesianSolver().decide(setting, turns)
        guess = move.word if isinstance(move, Answer) else move.guess
        if guess == words.answers[answer]:
            yield fibble.Played((*turns, Turn(guess, math.inf, words.n_clues - 1)), True), chance
            return
        if len(turns) + 1 == case.guesses:  # what is said to the last guess changes nothing
            yield fibble.Played((*turns, Turn(guess, math.inf, 0)), False), chance
            return
        likelihood = channel.likelihood(int(clues[words.guess_index[guess], answer]))
        for code in np.flatnonzero(likelihood).tolist():
            yield from after((*turns, Turn(guess, math.inf, code)), chance * likelihood[code])

    return after((), 1.0)


@pytest.mark.heavy
def test_a_win_rate_without_luck_is_the_exact_chance_to_win(monkeypatch):
    monkeypatch.setattr(fibble, "load_words", lambda name: FEW)
    case = fibble.Case(1, "counted", 3)
    words = case.setting.words
    wins, without, chances = [], [], []
    for answer in range(len(words.answers)):
        for game, chance in all_games(case, answer):
            wins.append(float(game.won))
            without.append(fibble.without_luck(case, game))
            chances.append(chance / len(words.answers))
    exact, mean = np.dot(chances, wins), np.dot(chances, without)
    assert sum(chances) == pytest.approx(1.0)
    assert mean == pytest.approx(exact, rel=1e-12)
    assert np.dot(chances, (np.array(without) - mean) ** 2) < np.dot(chances, (np.array(wins) - exact) ** 2)


@pytest.mark.parametrize("lies", [0, 2, 5])
def test_a_wrong_guess_has_exactly_so_many_false_marks(lies):
    case, clues = fibble.Case(lies, "counted", 6), clue_matrix(SMALL, "counted")
    for answer, game in enumerate(fibble.play(case, BayesianSolver(), np.arange(len(SMALL.answers)), draw=0)):
        assert game.won or len(game.turns) == 6
        for turn in game.turns:
            true = marks_of(int(clues[SMALL.guess_index[turn.guess], answer]))
            false = sum(a != b for a, b in zip(true, marks_of(turn.clue), strict=True))
            assert false == (0 if turn.guess == SMALL.answers[answer] else lies)
        assert game.won == (turn.guess == SMALL.answers[answer])


def test_the_committed_win_rates_are_below_the_bound_rounded_up():
    kinds = {"low": float, "high": float, "won": float, "bound": float}
    found = pd.DataFrame(pages.read_csv(pages.FIBBLE)).astype(kinds)
    assert (found["low"] <= found["bound"]).all()
    assert (found["low"] <= found["won"]).all() and (found["won"] <= found["high"]).all()
    for bound in (1e-5, 0.00123, 0.0999, 0.5, 0.99999, 1.0, *found["bound"]):
        shown = pages._percent_up(str(bound))
        assert shown.endswith("%") and bound - 1e-9 <= float(shown[:-1]) / 100 <= 1.011 * bound


@pytest.mark.parametrize("lies", [0, 3])
def test_the_bound_with_two_words_is_exact_if_one_guess_follows(lies):
    case, opener = fibble.Case(lies, "counted", 3), SMALL.guesses[0]
    exact = chances_in_three(case.setting.belief(), case.setting.row_epsilon, [SMALL.guess_index[opener]])
    assert fibble.bound_of_two(case, opener) == pytest.approx(exact[0], rel=1e-9)
