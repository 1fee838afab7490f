"""Bounds by privacy accounting, and on games of Fibble: against definitions, and against exact optima of tiny games.
And these games: the noise that they have, and win rates without luck."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy

from experiments import fibble, pages
from experiments.bounds import accounting, guess_limit
from experiments.bounds.accounting import pure_success, renyi_success
from experiments.bounds.guess_limit import guess_limit_bound
from tests.support.helpers import FEW, SMALL, marks_of
from tests.support.small_games import THREE, TWO, optimum
from wordpl import Answer, Fibble, RandomizedResponse, Turn, clue_matrix
from wordpl.library.bayesian_solver import BayesianSolver
from wordpl.limits import privacy_of
from wordpl.scoring import chances_in_three

N = 2315


@pytest.mark.parametrize(("budget", "rounds"), [(5.0, 1), (9.0, 2), (14.3, 2), (20.0, 4)])
@pytest.mark.parametrize("answers", [3, N])
def test_renyi_success_is_the_root_of_the_definition(budget, rounds, answers, monkeypatch):
    orders = (1.2, 1.5, 2.0, 4.0, 8.0)
    monkeypatch.setattr(accounting, "ORDERS", orders)

    def excess(success: float, order: float) -> float:
        ours, others = (success, 1.0 - success), ((1.0 - success) / (answers - 1), 1 - (1.0 - success) / (answers - 1))
        moment = sum(p**order * q ** (1.0 - order) for p, q in zip(ours, others, strict=True))
        return math.log(moment) / (order - 1.0) - privacy_of(RandomizedResponse(budget / rounds), rounds).renyi(order)

    roots = [scipy.optimize.brentq(excess, 1.0 / answers + 1e-9, 1.0 - 1e-12, args=(order,)) for order in orders]
    assert renyi_success(budget, rounds, answers) == pytest.approx(min(roots), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("answers", [2, 3])
def test_pure_success_is_reached_by_randomized_response_over_the_answers(epsilon, answers):
    # The mechanism that says the right answer with chance e^B / (e^B + N - 1) is B-DP: the bound is tight.
    keep = math.exp(epsilon) / (math.exp(epsilon) + answers - 1)
    assert pure_success(epsilon, answers) == pytest.approx(keep, rel=1e-12)


@pytest.mark.parametrize("rule", ["counted", "letterwise"])
@pytest.mark.parametrize(("words", "lies"), [(TWO, 0), (TWO, 2), (THREE, 1)])
def test_no_player_of_a_tiny_game_passes_the_bound(words, lies, rule):
    bounds = guess_limit_bound(3, words, lies, rule)
    best = [optimum(words, lies, rule, n) for n in (1, 2, 3)]
    assert all(exact <= bound <= 1.0 for exact, bound in zip(best, bounds, strict=True))
    # Two guesses are the first real one and a position that a table knows exactly.
    assert bounds[0] == pytest.approx(best[0], rel=1e-5)
    assert bounds[1] == pytest.approx(best[1], rel=1e-5)
    assert bounds[2] <= 1.06 * best[2]
    given = guess_limit_bound(3, words, lies, rule, first_guess=words.guesses[-1])
    for n, (bound, free) in enumerate(zip(given, bounds, strict=True), start=1):
        assert optimum(words, lies, rule, n, words.guesses[-1]) <= bound <= free


@pytest.mark.parametrize(("length", "lies"), [(2, 1), (3, 1), (3, 2), (4, 3)])
def test_no_clues_have_less_than_the_least_sum_of_squares(length, lies):
    marks = list(itertools.product(range(3), repeat=length))
    reached = np.array([[sum(a != b for a, b in zip(x, y, strict=True)) == lies for y in marks] for x in marks])
    rng = np.random.default_rng(length)
    for count in (1, 2, 5, 11):
        least = guess_limit.sum_of_squares(count, lies, length)
        for _ in range(50):
            found = reached[:, rng.integers(0, 3**length, count)].sum(axis=1)
            assert (found**2).sum() >= least
    everything = guess_limit.sum_of_squares(3**length, lies, length)
    assert everything == pytest.approx((reached.sum(axis=1) ** 2).sum(), rel=1e-4)


def test_a_mean_of_whole_numbers_is_below_any_curve_above_them():
    values = np.array([0.0, 1.0, 1.5, 1.7])
    for chances in np.random.default_rng(1).dirichlet(np.ones(4), 40):
        mean, square = chances @ np.arange(4), chances @ np.arange(4) ** 2
        assert chances @ values <= guess_limit._most(values, mean, square) + 1e-9
    assert guess_limit._most(values, 1.0, 0.0) == pytest.approx(1.0)
    assert math.isfinite(guess_limit._most(values, 1.0, 2.0))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Games of Fibble are of the small list."""
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
