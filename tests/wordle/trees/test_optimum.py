"""Branch and bound against brute force, in every mode, on small random lists."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from tests.support.games import replayed
from tests.support.helpers import MIDDLE, SMALL, TINY, list_of
from tests.support.oracles import clue_marks
from tests.support.refusals import refusal
from tests.wordle.trees.brute import Brute, large_words, random_words, weak_words
from wordpl import WordList
from wordpl.wordle import Solution, solve_tree, verify
from wordpl.wordle.trees.optimal import depth_solver
from wordpl.wordle.trees.optimal.depth import add_core, holds_core
from wordpl.wordle.trees.optimal.depth_solver import DepthSolver
from wordpl.wordle.trees.optimal.search import INFEASIBLE
from wordpl.wordle.trees.optimal.solve import rank_openers
from wordpl.wordle.trees.optimal.solver import TotalSolver, TreeProblem

# Easy mode under both repeat rules; hard mode is of the counted rule alone.
MODES = [("counted", False), ("letterwise", False), ("counted", True)]
MODE = pytest.mark.parametrize(("rule", "hard"), MODES, ids=["easy", "easy-letterwise", "hard"])
SEEDS = pytest.mark.parametrize("seed", range(3))
ONE = list_of("one", ("abc",), ("abd", "xyz"))


@MODE
@SEEDS
def test_least_total_and_worst_case_of_an_opener(seed, rule, hard):
    words = random_words(seed)
    brute, mode = Brute(words, rule, hard), {"rule": rule, "hard": hard}
    for first in random.Random(seed + 1).sample(words.guesses, 3):
        for worst in (None, *range(1, 6)):
            expected = brute.opener(first, worst or brute.enough)
            found = solve_tree(words, first, worst=worst, **mode)
            assert found.proven and (found.tree is None) == math.isinf(expected)
            if found.tree is not None:
                total, longest = replayed(found.tree, words, hard)
                assert total == expected and longest <= (worst or longest)
                assert (found.tree.root.guess, found.tree.rule) == (first, rule)
        least = next(depth for depth in range(1, 30) if brute.opener(first, depth) < math.inf)
        assert replayed(solve_tree(words, first, objective="worst", **mode).tree, words, hard)[1] == least
        assert solve_tree(words, first, objective="worst", worst=least, **mode).tree is not None
        if least > 1:
            found = solve_tree(words, first, objective="worst", worst=least - 1, **mode)
            assert found == Solution(None, proven=True)


@MODE
@SEEDS
def test_the_best_of_all_openers(seed, rule, hard):
    words = random_words(seed + 100)
    brute = Brute(words, rule, hard)
    mode = {"rule": rule, "hard": hard, "openers": None}
    total = solve_tree(words, **mode)
    assert total.proven
    optimum = brute.best(brute.enough)
    fewest = next(depth for depth in range(1, 99) if brute.best(depth) == optimum)
    assert replayed(total.tree, words, hard) == (optimum, fewest)
    least = brute.least_worst()
    assert replayed(solve_tree(words, objective="worst", **mode).tree, words, hard)[1] == least
    both = replayed(solve_tree(words, worst=least, **mode).tree, words, hard)
    assert both == (brute.best(least), least)
    assert replayed(solve_tree(words, objective="any", worst=least, **mode).tree, words, hard)[1] <= least
    if least > 1:
        for objective in ("total", "worst", "any"):
            none = solve_tree(words, objective=objective, worst=least - 1, **mode)
            assert none.tree is None and none.proven


LIMITED = [
    *((random_words(seed), *mode, 5) for seed in range(200, 205) for mode in MODES),
    *((weak_words(seed, 11), "counted", hard, 10) for seed in (0, 1, 3) for hard in (False, True)),
    *((large_words(seed), "counted", False, 10) for seed in range(3)),
]


@pytest.mark.parametrize(("words", "rule", "hard", "log2_table"), LIMITED, ids=range(len(LIMITED)))
def test_a_limit_gives_the_optimum_below_it_and_a_true_bound_above(words, rule, hard, log2_table):
    """One solver for all openers, once with a table so small that entries are lost all the time; and for one that tells
    nothing, where a depth cuts trees off."""
    brute, solver = Brute(words, rule, hard), TotalSolver(TreeProblem(words, rule, hard), log2_table)
    nothing = words.guess_index.get("q" * words.length)
    openers, depths = (range(0, len(words.guesses), 2), [20]) if nothing is None else ([nothing], [20, 6, 5, 4])
    for guess, depth in itertools.product(openers, depths):
        least = brute.opener(words.guesses[guess], depth)
        for limit in [INFEASIBLE] if math.isinf(least) else [least - 2, least, least + 1, least + 3, INFEASIBLE]:
            verdict = solver.opener(guess, int(limit), depth)
            assert verdict.exact == (least < limit)
            assert verdict.total == least if verdict.exact else limit <= verdict.total <= least


def test_cores_are_kept_as_long_as_there_is_room():
    cores = np.zeros((4, 4, 3), np.int32), np.zeros((4, 4), np.int32), np.zeros((4, 4 + 9), np.int32)
    answers = np.arange(9, dtype=np.int32)
    for rows in ([1, 2], [1, 3, 5], [1, 2, 3, 4], [6], [7], [8]):  # one too large; two come too late
        add_core(answers, np.array(rows), 3, *cores)
    add_core(answers, np.array([8]), 4, *cores)  # a depth without a list
    for n in range(1, 6):
        for rows in itertools.combinations(range(9), n):
            known = any(set(core) <= set(rows) for core in ([1, 2], [1, 3, 5], [6]))
            assert holds_core(answers, np.array(rows), 3, *cores) == known
    assert not any(holds_core(answers, answers, depth, *cores) for depth in (1, 2, 4))


def test_a_tree_as_deep_as_it_has_answers_and_the_smallest_worst_case_of_one_total():
    """Where no guess tells two others apart, they are tried one by one; here after a guess that tells nothing."""
    words = list_of("chain", tuple(f"{letter}igh" for letter in "bdfklmnrstwz"), ("pppp",))
    found = solve_tree(words, "pppp").tree
    assert (found.total, found.worst) == (sum(range(2, 14)), 13)
    tree = solve_tree(random_words(2), openers=None).tree
    assert (tree.total, tree.worst) == (18, 2)  # the first one found with this total takes up to three guesses


def test_the_openers_that_are_tried_are_those_of_the_smallest_estimate():
    """The guesses after it are estimated by the size of each part."""

    def estimate(guess: str, words: WordList) -> float:
        sizes = Counter(clue_marks(guess, answer, "counted") for answer in words.answers if answer != guess).values()
        return sum({1: 1.0, 2: 3.0}.get(n, n * (1.5 + 0.25 * math.log(n))) for n in sizes)

    for words in (SMALL, TINY):
        order = sorted(words.guesses, key=lambda guess: round(estimate(guess, words), 9))
        assert [words.guesses[at] for at in rank_openers(TreeProblem(words))] == order
    told: list[object] = []
    solve_tree(TINY, openers=3, progress=lambda *facts: told.append(facts))
    assert told[:3] == [(guess, int(at > 0), at, 3) for at, guess in enumerate(order[:3])]
    told.clear()
    assert not solve_tree(MIDDLE, progress=lambda *facts: told.append(facts)).proven, "few openers prove nothing"
    assert told[0][-1] == 30 and solve_tree(TINY, openers=len(TINY.guesses)).proven


@pytest.mark.parametrize("objective", ["total", "worst"])
@pytest.mark.parametrize("hard", [False, True])
def test_one_answer(objective, hard):
    assert verify(solve_tree(ONE, objective=objective, hard=hard).tree, ONE, hard=hard) == {1: 1}
    for first in ("abd", "xyz"):
        assert verify(solve_tree(ONE, first, objective=objective, hard=hard).tree, ONE, hard=hard) == {2: 1}
        assert solve_tree(ONE, first, objective=objective, hard=hard, worst=1) == Solution(None, proven=True)


def test_an_optimal_tree_of_hard_mode_keeps_to_it_where_others_do_not():
    hard, easy = (solve_tree(MIDDLE, MIDDLE.answers[9], hard=mode).tree for mode in (True, False))
    assert sum(verify(hard, MIDDLE, hard=True).values()) == len(MIDDLE.answers) and easy.total < hard.total
    assert "against hard mode" in refusal(verify, easy, MIDDLE, hard=True)
    twice = list_of("twice", ("acag", "adah", "aeai", "afaj"), ("aaxx", "acde"))  # a green a, a yellow one: use both
    assert solve_tree(twice, "aaxx", hard=True).tree.total == 14
    # A tree of that total is known; bounds that are a little too high miss it.
    assert solve_tree(MIDDLE, MIDDLE.answers[12]).tree.total == 874
    totals = {"adopt": 861, "bozos": 950, "chase": 839, "krill": 900, "ninny": 960, "puppy": 981}
    for first, total in totals.items():
        assert replayed(solve_tree(MIDDLE, first, hard=True).tree, MIDDLE, hard=True)[0] == total


@pytest.mark.parametrize("hard", [False, True])
def test_a_verdict_on_a_depth_is_the_same_however_often_work_runs_out(hard, monkeypatch):
    monkeypatch.setattr(depth_solver, "WORK_STEPS", (*range(1, 3000, 50), 10**6))
    family = *(f"{letter}igh" for letter in "bdfklmnrs"), "moat", "bold"
    lists = [list_of("family", family, more) for more in (("bdfk", "zzzz"), ("bdfk", "lmnr", "pppp", "zzzz"))]
    for words in (random_words(1), weak_words(5, 11), *lists):
        brute, solver = Brute(words, hard=hard), DepthSolver(TreeProblem(words, "counted", hard))
        for at, guess in enumerate(words.guesses[::2]):
            for depth in range(1, 7):
                assert solver.opener(2 * at, depth) == (brute.opener(guess, depth) < math.inf)


def test_work_that_runs_out_anywhere_decides_nothing_and_makes_no_core_of_what_can_be_done(monkeypatch):
    """Each solver has less work than it needs, then enough. In the second list it ends between two guesses."""
    for words, guesses, works in (
        (weak_words(0, 11), range(0, 13, 4), range(1, 3000, 97)),
        (weak_words(3, 11), [12], [92, 96]),
    ):
        brute, problem, every = Brute(words), TreeProblem(words), frozenset(words.guesses)
        for guess, work in itertools.product(guesses, works):
            monkeypatch.setattr(depth_solver, "WORK_STEPS", (work, 10**9))
            solver = DepthSolver(problem)
            assert solver.opener(guess, 4) == (brute.opener(words.guesses[guess], 4) < math.inf)
            cores, sizes, links = solver.cores
            for at in range(1, links[3, 0] + 1):
                core = frozenset(words.answers[i] for i in cores[3, at, : sizes[3, at]])
                assert math.isinf(brute.least(core, every, 3))


def test_the_least_depth_is_that_of_a_tree_that_always_divides_most():
    chain = list_of("chain", tuple(f"{letter}igh" for letter in "bdfklm"), ("pppp",))
    for words in (chain, *map(random_words, range(4)), large_words(4)):
        most = max(len({clue_marks(guess, a, "counted") for a in words.answers}) for guess in words.guesses)
        depth = next(d for d in range(1, 99) if sum(most**k for k in range(d)) >= len(words.answers))
        assert DepthSolver(TreeProblem(words)).least_depth() == depth
