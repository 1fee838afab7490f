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
from tests.wordle.trees.brute import Brute, large_words, obeys, random_words, weak_words
from wordpl import WordList, load_words
from wordpl.wordle import Solution, solve_tree, verify
from wordpl.wordle.trees.optimal.depth_solver import DepthSolver
from wordpl.wordle.trees.optimal.hard import hard_key
from wordpl.wordle.trees.optimal.kernels import best_member, rebase, scan_counts
from wordpl.wordle.trees.optimal.search import INFEASIBLE
from wordpl.wordle.trees.optimal.solve import rank_openers
from wordpl.wordle.trees.optimal.solver import DEPTH_TAGS, NO_DEPTH, TotalSolver, TreeProblem

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


def test_cells_of_a_column_are_its_different_codes():
    codes = np.random.default_rng(1).integers(0, 243, (9, 700)).astype(np.uint8)
    codes[8] = codes[0]  # so that no column tells all rows apart, which would end the scan
    counts = np.empty(700, np.int16)
    assert scan_counts(codes, np.arange(9, dtype=np.int32), 4, counts) == -1
    assert counts.tolist() == [len(set(column)) for column in codes.T.tolist()]


def test_the_first_of_the_answers_that_tell_most_apart_is_tried():
    codes, stamp = np.random.default_rng(3).integers(0, 5, (7, 7)).astype(np.uint8), np.zeros(5, np.int32)
    for rows in map(list, itertools.combinations(range(7), 5)):
        counts = [len(set(codes[rows, column].tolist())) for column in rows]
        found = best_member(codes, np.array(rows, dtype=np.int32), stamp)
        assert found == (max(counts), counts.index(max(counts))) and not stamp.any()


def test_positions_of_hard_mode_have_different_keys():
    """By the answers left, the guesses allowed, and the guesses left where they may be too few."""
    zobrist = TotalSolver(TreeProblem(random_words(3), "counted", hard=True)).context[0]
    some = [np.array(chosen, np.int32) for n in (1, 2, 3) for chosen in itertools.combinations(range(4), n)]
    cases = [(gids, rows, depth) for gids in some for rows in some for depth in (len(rows), len(rows) - 1)]
    keys = [hard_key(gids, np.arange(4, dtype=np.int32), *rest, zobrist, 4) for gids, *rest in cases]
    assert DEPTH_TAGS > NO_DEPTH, "a depth must not have the random word of a guess"
    assert len(set(keys)) == len({part for key in keys for part in key}) / 2 == len(cases)


@pytest.mark.parametrize("seed", [9, 53, 58, 59])
def test_hard_mode_keeps_the_guesses_that_obey_and_tell_a_cell_apart(seed):
    """And the answers of the cell. These lists have letters that are marked twice."""
    words = random_words(seed)
    solver = TotalSolver(TreeProblem(words, "counted", hard=True))
    for guess, word in enumerate(words.guesses):
        for code, rows in solver.cells(guess, solver.answers).items():
            left, kept = {words.answers[row] for row in rows}, solver.after(solver.start, guess, rows)[1]
            told = {other: {clue_marks(other, answer, "counted") for answer in left} for other in words.guesses}
            (marks,) = {clue_marks(word, answer, "counted") for answer in left}
            useful = {other for other in words.guesses if obeys(other, word, marks) and len(told[other]) > 1}
            assert code == solver.won or {words.guesses[at] for at in kept} == useful | left


def test_a_basis_keeps_each_way_to_split_a_set_once():
    """The columns of its own answers all; of the others those that split it, and no split twice."""
    codes = np.random.default_rng(2).integers(0, 3, (6, 40)).astype(np.uint8)
    codes[:, 39] = 1  # which tells nothing
    codes[:, 3] = codes[:, 1]  # two answers that split alike
    rows, growth = np.array([1, 3, 4, 5], dtype=np.int32), np.arange(7, dtype=np.float32)
    gids = np.arange(100, 140, dtype=np.int32)
    for allowed in (np.empty(0, np.uint8), np.ones(40, np.uint8)):
        table, kept, answers, counts, costs, most = rebase(
            codes, gids, np.arange(6, dtype=np.int32), rows, allowed, growth, 3
        )
        ways, expected = set(), []
        for column in [*rows, *(at for at in range(40) if at not in rows)]:
            seen = codes[rows, column].tolist()
            way = tuple(map(list(dict.fromkeys(seen)).index, seen))
            if len(expected) < len(rows) or (len(set(way)) > 1 and (allowed.size or way not in ways)):
                expected.append((column + 100, way, max(way) + 1))
            ways.add(way)
        assert [*zip(kept, map(tuple, table.T.tolist()), counts, strict=True)] == expected
        assert (answers.tolist(), most) == (rows.tolist(), max(number for _, _, number in expected))
        rises = [sum(n * (n - 1) / 2 for n in Counter(way).values()) for _, way, _ in expected]
        assert costs.tolist() == [rise - (at < len(rows)) for at, rise in enumerate(rises)]


def test_cores_that_are_remembered_cannot_be_done_and_refute_nothing_else():
    """Answers that differ in one letter, a guess that tells four of them, and one that tells nothing."""
    words = list_of("family", tuple(f"{letter}igh" for letter in "bdfklmnrstw"), ("bdfk", "zzzz"))
    brute, solver = Brute(words), DepthSolver(TreeProblem(words))
    for depth in range(4, 10):
        assert solver.opener(words.guess_index["zzzz"], depth) == (brute.opener("zzzz", depth) < math.inf)
    total = TotalSolver(TreeProblem(words)).opener(words.guess_index["zzzz"])  # no guess tells more than four apart
    assert (total.total, total.exact) == (brute.opener("zzzz", brute.enough), True)
    cores, sizes, links = solver.cores
    known = [(depth, cores[depth, at, : sizes[depth, at]]) for depth in (3, 4) for at in range(1, links[depth, 0] + 1)]
    for depth, core in known:
        left = frozenset(words.answers[i] for i in core)
        assert math.isinf(brute.least(left, frozenset(words.guesses), depth))
    assert {len(core) for depth, core in known if depth == 3} == {4}


def test_a_tree_may_be_as_deep_as_it_has_answers():
    """Where no guess tells two others apart, they are tried one by one; here after a guess that tells nothing."""
    words = list_of("chain", tuple(f"{letter}igh" for letter in "bdfklmnrstwz"), ("pppp",))
    found = solve_tree(words, "pppp").tree
    assert (found.total, found.worst) == (sum(range(2, 14)), 13)


def test_of_trees_of_one_total_that_of_the_smallest_worst_case_is_found():
    words = list_of("three", ("bumpy", "dumpy", "jumpy"), load_words("original").guesses)
    tree = solve_tree(words, openers=None).tree
    assert (tree.total, tree.worst) == (6, 2)


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
    assert not solve_tree(MIDDLE, progress=lambda *facts: told.append(facts)).proven
    assert told[0][-1] == 30


def test_few_openers_prove_nothing():
    words = random_words(3)
    found = solve_tree(words, openers=2)
    assert not found.proven
    assert found.tree.total >= solve_tree(words, openers=None).tree.total
    assert solve_tree(words, openers=len(words.guesses)).proven


@pytest.mark.parametrize("objective", ["total", "worst"])
@pytest.mark.parametrize("hard", [False, True])
def test_one_answer(objective, hard):
    assert verify(solve_tree(ONE, objective=objective, hard=hard).tree, ONE, hard=hard) == {1: 1}
    for first in ("abd", "xyz"):
        assert verify(solve_tree(ONE, first, objective=objective, hard=hard).tree, ONE, hard=hard) == {2: 1}
        assert solve_tree(ONE, first, objective=objective, hard=hard, worst=1) == Solution(None, proven=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"objective": "mean"}, "unknown objective 'mean'"),
        ({"worst": 0}, "worst case 0 is not allowed"),
        ({"openers": 0}, "openers 0 is not allowed"),
        ({"objective": "any"}, "needs a worst case"),
        ({"first": "zzz"}, "first word 'zzz' is not among the guesses of one"),
        ({"rule": "count"}, "unknown repeat rule 'count'"),
        ({"rule": "letterwise", "hard": True}, "needs rule counted"),
    ],
)
def test_what_cannot_be_solved(given, message):
    assert message in refusal(solve_tree, ONE, **given)


def test_an_optimal_tree_of_hard_mode_keeps_to_it_where_others_do_not():
    """In a list that is large enough for that."""
    hard, easy = (solve_tree(MIDDLE, MIDDLE.answers[9], hard=mode).tree for mode in (True, False))
    assert sum(verify(hard, MIDDLE, hard=True).values()) == len(MIDDLE.answers) and easy.total < hard.total
    assert "against hard mode" in refusal(verify, easy, MIDDLE, hard=True)
    # A tree of that total is known; bounds that are a little too high miss it.
    assert solve_tree(MIDDLE, MIDDLE.answers[12]).tree.total == 874
    totals = {"adopt": 861, "bozos": 950, "chase": 839, "krill": 900, "ninny": 960, "puppy": 981}
    for first, total in totals.items():
        assert replayed(solve_tree(MIDDLE, first, hard=True).tree, MIDDLE, hard=True)[0] == total
