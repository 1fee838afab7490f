"""Bounds and memory of the exact searches, against plain counts: most errors in them cost time and change no tree."""

import itertools
import math
import random
from functools import cache

import numpy as np
import pytest

from tests.support.helpers import ORIGINAL, list_of
from tests.support.oracles import clue_marks
from tests.wordle.trees.brute import Brute, large_words, obeys, random_words, weak_words
from wordpl.wordle import solve_tree
from wordpl.wordle.trees.optimal import depth_solver
from wordpl.wordle.trees.optimal.depth import add_core, holds_core, largest_families
from wordpl.wordle.trees.optimal.depth_solver import DepthSolver, wildcard_families
from wordpl.wordle.trees.optimal.kernels import first_perfect, most_cells, scan_counts, split, split_arrays
from wordpl.wordle.trees.optimal.search import INFEASIBLE, quick, set_key
from wordpl.wordle.trees.optimal.solver import NO_DEPTH, TotalSolver, TreeProblem
from wordpl.wordle.trees.optimal.table import find, new_table, store

told = cache(clue_marks)


def cells_of(guess: str, left: list[str]) -> list[list[str]]:
    """The answers by their clue to a guess."""
    marks = [told(guess, answer, "counted") for answer in left]
    return [[answer for answer, own in zip(left, marks, strict=True) if own == code] for code in sorted({*marks})]


def bound(guess: str, left: list[str]) -> int:
    """The least total after a guess, were each other cell told apart by its next guess, one of it: 2n - 1."""
    return 3 * len(left) - len(cells_of(guess, left)) - (guess in left)


def second_bound(guess: str, left: list[str], legal: list[str]) -> int:
    """The same one guess later, all of `legal` being allowed after each clue."""
    cells = (cell for cell in cells_of(guess, left) if cell != [guess])
    return len(left) + sum(min(bound(word, cell) for word in legal) for cell in cells)


@pytest.mark.parametrize("hard", [False, True])
def test_what_a_cheap_look_refutes_is_not_searched(hard):
    """Nor what the second look at its cells refutes; the keys are those of sets that were looked at."""
    for words in (random_words(1), large_words(1), weak_words(1)):
        solver, left = TotalSolver(TreeProblem(words, "counted", hard), log2_table=6), list(words.answers)
        for at, guess in enumerate(words.guesses):
            verdict = solver.opener(at, 1)
            assert (verdict.total, verdict.exact) == (bound(guess, left), False)
            for rows in solver.cells(at, solver.answers).values():
                keys, part, work = solver.context[1], [words.answers[row] for row in rows], int(solver.work[0])
                marks = told(guess, part[0], "counted")
                legal = [word for word in words.guesses if not hard or obeys(word, guess, marks)]
                cells = {tuple(cell) for word in legal for cell in cells_of(word, part) if len(cell) > 2}
                first = 1, min(bound(word, part) for word in legal)
                second = 1 + len(cells), min(second_bound(word, part, legal) for word in legal)
                for most, limit in (first, second) if len(part) > 2 else ():
                    keys[:] = 0
                    assert solver.search(solver.after(solver.start, at, rows), NO_DEPTH, limit) == limit
                    assert np.count_nonzero(keys.any(axis=1)) <= most and solver.work[0] == work


@pytest.mark.parametrize(
    "words", [*map(random_words, range(2)), *map(weak_words, range(2))], ids=lambda words: words.name
)
def test_the_cheap_looks_at_a_set(words):
    """At what is known, at the answers of the set, at all guesses; none of which is a search."""
    rng = random.Random(1)
    for n, depth in itertools.product(range(1, len(words.answers) + 1), (2, 3, NO_DEPTH)):
        at = sorted(rng.sample(range(len(words.answers)), n))
        left = [words.answers[i] for i in at]
        own, least = (min(bound(guess, left) for guess in some) for some in (left, words.guesses))
        done = own == 2 * n - 1 or (own == 2 * n and depth > 2)
        looks = [(2 * n - 1, False, 0), (min(own, 2 * n), done, 3 if done else 1), (least, False, 2)]
        if done or n < 3:
            looks[2] = looks[1] if n > 2 else (own, True, 3)
        elif any(bound(guess, left) == 2 * n for guess in words.guesses if guess not in left):
            looks[2] = (2 * n, True, 3)
        elif depth == 2:
            looks[2] = (INFEASIBLE, True, 3)
        for level, expected in enumerate(looks):
            solver = TotalSolver(TreeProblem(words), log2_table=6)
            found = [
                quick(solver.basis, np.array(at, np.int32), depth, level, solver.stamp, solver.context) for _ in "12"
            ]
            assert found[0] == (expected if n > 2 else looks[2])
            assert found[1] == found[0], "it is kept"


def test_a_large_set_that_a_guess_tells_apart_takes_two_guesses_each():
    """None of its answers does."""
    some = tuple({told("salet", answer, "counted"): answer for answer in ORIGINAL.answers}.values())[:14]
    words = list_of("apart", some, ("salet",))
    assert min(bound(guess, list(some)) for guess in some) > 28
    assert TotalSolver(TreeProblem(words)).search(np.arange(14, dtype=np.int32), NO_DEPTH) == 28


def test_the_most_cells_are_one_more_where_the_guess_may_be_right():
    rng = np.random.default_rng(4)
    for counts in rng.integers(1, 7, (20, 9)).astype(np.int16):
        rows = rng.choice(9, 4, replace=False).astype(np.int32)
        assert most_cells(counts, rows) == max(n + (at in rows.tolist()) for at, n in enumerate(counts.tolist()))
        assert first_perfect(counts, 3) == next((at for at, n in enumerate(counts.tolist()) if n == 3), -1)


def test_a_set_has_one_key_where_it_cannot_run_out_of_guesses():
    rows, zobrist = np.arange(5, dtype=np.int32), np.random.default_rng(1).integers(0, 2**64, (200, 2), np.uint64)
    keys = [set_key(rows, rows[1:], depth, zobrist) for depth in range(1, 8)]
    assert [len(set(some)) for some in (keys[:4], keys[3:])] == [4, 1]


@pytest.mark.parametrize("seed", range(3))
def test_cells_come_smallest_first_with_that_of_the_guess(seed):
    table = np.random.default_rng(seed).integers(0, 4, (9, 12)).astype(np.uint8)
    table[np.arange(9), np.arange(9)] = 4  # a guess that is right
    arrays = split_arrays(9, 5)
    for column in range(12):
        cells, win = split(table, column, *arrays)
        counts, _, order, bounds = arrays
        found = [order[start:end].tolist() for start, end in itertools.pairwise(bounds[: cells + 1])]
        expected = [np.flatnonzero(table[:, column] == code).tolist() for code in np.unique(table[:, column])]
        assert sorted(found) == sorted(expected) and [*map(len, found)] == sorted(map(len, expected))
        assert (found[win] == [column] if column < 9 else win == -1) and not counts.any()


def test_the_first_column_that_tells_all_apart_is_found_in_any_block():
    for codes, words in ((60, 1), (243, 4)):
        table = np.random.default_rng(codes).integers(0, 3, (5, 1200)).astype(np.uint8)
        for column in (1100, 700, 600, 3):
            table[:, column] = np.arange(codes - 5, codes)
            assert scan_counts(table, np.arange(5, dtype=np.int32), words, np.empty(1200, np.int16)) == column


def test_a_full_bucket_of_the_cache_loses_the_least_bound():
    keys, values = new_table(3)
    for bound_of in (50, 20, 90, 30, 80, 40, 70, 60, 10):
        store(keys, values, np.uint64(8 * bound_of), np.uint64(1), bound_of, 1, 2, 5)
        assert values[find(keys, np.uint64(8 * bound_of), np.uint64(1))].tolist() == [bound_of, 1 + 2 * 2 + 8 * 6]
    store(keys, values, np.uint64(8 * 30), np.uint64(1), 35, 0, 0, -1)
    assert find(keys, np.uint64(8 * 30), np.uint64(2)) == -1
    assert sorted(map(tuple, values.tolist())) == [(10, 53), (35, 0), *((n, 53) for n in range(40, 91, 10))]


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


def test_families_are_answers_that_agree_outside_one_or_two_places():
    every = map("".join, itertools.product("bdf", "aeo", "lm", "kt"))
    words = list_of("many", (*list(every)[::3], "zzzz", "zzzy"))
    families, out = wildcard_families(words.answers), np.empty((10, 2), np.int32)
    wilds = [wild for k in (1, 2) for wild in itertools.combinations(range(4), k)]
    assert families.shape == (len(words.answers), len(wilds))
    rows = np.arange(0, len(words.answers), 2, dtype=np.int32)
    for smallest in (1, 2, 3):
        largest = []
        for pattern, wild in enumerate(wilds):
            masked = ["".join("_" if k in wild else x for k, x in enumerate(word)) for word in words.answers]
            same = [[one == other for other in masked] for one in masked]
            assert (families[:, [pattern]] == families[:, pattern]).tolist() == same
            size, first = max((sum(masked[i] == masked[j] for j in rows), -i) for i in rows)
            if smallest <= size < len(rows):
                largest.append((size, (pattern, families[-first, pattern])))
        n = largest_families(families, np.arange(len(words.answers), dtype=np.int32), rows, smallest, out)
        assert sorted(map(tuple, out[:n].tolist())) == sorted(pair for _, pair in largest)
        sizes = dict(pair[::-1] for pair in largest)
        assert [sizes[pair] for pair in map(tuple, out[:n].tolist())] == sorted(sizes.values())


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


def test_work_that_runs_out_anywhere_makes_no_core_of_what_can_be_done(monkeypatch):
    """Each solver has less work than it needs, then enough."""
    words = weak_words(0, 11)
    brute, problem, every = Brute(words), TreeProblem(words), frozenset(words.guesses)
    for guess, work in itertools.product(range(0, len(words.guesses), 4), range(1, 3000, 97)):
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
        most = max(len({told(guess, a, "counted") for a in words.answers}) for guess in words.guesses)
        depth = next(d for d in range(1, 99) if sum(most**k for k in range(d)) >= len(words.answers))
        assert DepthSolver(TreeProblem(words)).least_depth() == depth
    assert solve_tree(chain, "pppp", objective="worst").tree.worst == 7
