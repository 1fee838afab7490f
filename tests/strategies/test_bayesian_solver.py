"""BayesianSolver: against the exact optimum of tiny games, and what it is for."""

import math

import numpy as np
import pytest

import wordpl
from tests.support.helpers import MIDDLE, SMALL
from tests.support.refusals import refusal
from tests.support.small_games import THREE, TWO, optimum
from wordpl import Ask, GameFormat, Setting, limits
from wordpl.library.bayesian_solver import BayesianSolver, wins_to_come
from wordpl.scoring import expected_wins


def setting_of(words, lies, guesses, rule="counted", first=None):
    return Setting(words, rule, wordpl.channel_family(f"fibble:{lies}"), format=GameFormat(guesses, first))


@pytest.mark.parametrize("rule", ["counted", "letterwise"])
@pytest.mark.parametrize(("words", "lies"), [(TWO, 0), (TWO, 1), (THREE, 1), (THREE, 2)])
def test_the_last_three_guesses_are_the_best_there_are(words, lies, rule):
    for guesses in (1, 2, 3):
        solver = BayesianSolver(look_ahead=3, candidates=len(words.guesses))
        found = limits.compute_win_rate(solver, setting_of(words, lies, guesses, rule), exact=True)
        assert found.win_rate == pytest.approx(optimum(words, lies, rule, guesses), rel=1e-9)


@pytest.mark.parametrize(
    ("ahead", "left", "criterion"),
    [(1, 2, "information_gain"), (2, 2, "expected_top"), (3, 2, "expected_top"), (3, 3, "information_gain")],
)
def test_noisy_guesses_tell_most_until_two_are_left(ahead, left, criterion):
    """With two left, the proposal after the clue is to be as probable as possible."""
    setting = Setting(SMALL, "counted", wordpl.channel_family("randomized_response:15"), format=GameFormat(left + 1))
    history = (wordpl.Turn(SMALL.guesses[0], 15.0, 30),)
    scores = wordpl.score_guesses(setting.belief(history), 15.0, criterion)
    move = BayesianSolver(look_ahead=ahead).decide(setting, history)
    assert scores[SMALL.guesses.index(move.guess)] == pytest.approx(scores.max(), rel=1e-9)


@pytest.mark.parametrize("ahead", [1, 2, 3])
@pytest.mark.parametrize(("guess", "code"), [(1, 1), (0, 82), (0, 58)])
def test_counted_answers_tell_most_until_it_looks_ahead(ahead, guess, code):
    """With two guesses left, it then counts the noisy clues after which an answer is left to propose. Of ties, as
    after clue 82, the first possible answer is asked; after clue 58 another answer stands before it."""
    setting, history = setting_of(SMALL, 1, 3), (wordpl.Turn(SMALL.guesses[guess], math.inf, code),)
    belief, sizes = setting.belief(history), np.arange(len(SMALL.answers) + 1.0)
    known = sizes * (1.0 - np.log(np.maximum(sizes, 1.0)) / math.log(len(belief.possible)))
    scores = expected_wins(belief, math.inf, known if ahead == 1 else np.minimum(sizes, 1.0))
    best = [SMALL.guesses[at] for at in np.flatnonzero(scores > scores.max() - 1e-9)]
    possible = [word for word in best if word in {SMALL.answers[at] for at in belief.possible}]
    move = BayesianSolver(look_ahead=ahead, middle="information").decide(setting, history)
    assert move.guess == (possible or best)[0]


@pytest.mark.parametrize(("words", "guess", "code", "ahead", "rank"), [(MIDDLE, 0, 9, 2, 1), (SMALL, 1, 0, 3, 4)])
def test_with_three_left_it_counts_what_one_clue_can_tell_apart(words, guess, code, ahead, rank):
    """Looking ahead, it compares the best four. In SMALL, the fourth beats the first three, and the fifth beats it."""
    setting, history = setting_of(words, 2, 4), (wordpl.Turn(words.guesses[guess], math.inf, code),)
    boxes, sizes = 243 / 40, np.arange(len(words.answers) + 1.0)  # with two lies, a clue becomes one of 40
    values = np.minimum(sizes, -boxes * np.expm1(-sizes / boxes))
    scores = expected_wins(setting.belief(history), math.inf, values)
    move = BayesianSolver(look_ahead=ahead).decide(setting, history)
    assert scores[words.guesses.index(move.guess)] == pytest.approx(np.sort(scores)[-rank], rel=1e-9)


def test_needs_a_limited_number_of_guesses_and_an_answer_that_fits():
    given = SMALL.guesses[3]
    assert BayesianSolver().decide(setting_of(SMALL, 3, 6, first=given), ()) == Ask(given, math.inf)
    assert "limited number of guesses: add --game wordle:8" in refusal(wordpl.make_task, BayesianSolver(), words=SMALL)
    history = (wordpl.Turn(SMALL.answers[0], math.inf, 242),)
    with pytest.raises(wordpl.ContradictionError):
        BayesianSolver().decide(setting_of(SMALL, 0, 6), history)


def test_wins_go_by_information_while_the_answers_are_few():
    sizes = np.arange(101.0)
    known = 1.0 - np.log(np.maximum(sizes, 1.0)) / math.log(49)
    assert wins_to_come(100, 49, math.log2(1001)) == pytest.approx(sizes * known)
    filled = 1001 * (1.0 - np.exp(-sizes / 1001))
    assert wins_to_come(100, 51, math.log2(1001)) == pytest.approx(np.minimum(sizes, filled))
    assert (wins_to_come(100, 49, 0.0) == np.minimum(sizes, 1.0)).all()  # no clue to come: the last guess
