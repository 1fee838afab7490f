"""The questions asked of the exact solvers: the best tree of an opener, and the best opener."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.errors import WordplError, nearest
from wordpl.model.words import WordList
from wordpl.trees.optimal.depth_solver import DepthSolver
from wordpl.trees.optimal.problem import Problem
from wordpl.trees.optimal.search import INFEASIBLE
from wordpl.trees.optimal.solver import NO_DEPTH, Solver, Verdict, expected_cost
from wordpl.trees.tree import Tree, check_mode

OBJECTIVES = ("total", "worst", "any")
QUICK_OPENERS = 30
"""How many of the most promising openers the quick search for the best one tries."""


@dataclass(frozen=True)
class Solution:
    """What a search found."""

    tree: Tree | None
    """None if no tree meets the demands."""
    proven: bool
    """Whether nothing better exists: False if only some openers were tried."""


def solve_tree(
    words: WordList,
    first: str | None = None,
    *,
    rule: str = "counted",
    objective: str = "total",
    hard: bool = False,
    worst: int | None = None,
    openers: int | None = QUICK_OPENERS,
    progress: Callable[[str, Verdict], None] | None = None,
) -> Solution:
    """The tree with the least total number of guesses, with the least worst case, or any within a worst case.

    All guesses are considered at every node. `first` fixes the opener; without it the `openers` most
    promising are tried (None for all, and then the result is proven). `worst` allows no answer more
    than that many guesses. `hard` is official hard mode. `progress` hears the verdict on each opener.
    With the `worst` objective any tree of the least worst case is returned; give that as `worst` to the
    `total` objective for the shortest of these. The `any` objective takes the first tree that keeps to
    `worst`, which is the quick way to learn whether there is one.
    """
    if objective not in OBJECTIVES:
        raise WordplError(f"unknown objective {objective!r}: {nearest(objective, OBJECTIVES)}")
    if worst is not None and worst < 1:
        raise WordplError(f"worst case {worst} is not allowed; a whole number from 1 up is expected")
    if objective == "any" and worst is None:
        raise WordplError("the objective any needs a worst case to keep to")
    if first is not None and first not in words.guess_index:
        raise WordplError(f"first word {first!r} is not among the guesses of {words.name}")
    problem = Problem(words, check_mode(rule, hard))
    chosen = [words.guess_index[first]] if first is not None else rank_openers(problem)[:openers].tolist()
    proven = first is not None or len(chosen) == len(words.guesses)
    if objective == "total":
        tree = _least_total(problem, chosen, hard, worst, progress)
    else:
        most = worst or len(words.answers) + 1  # one more: a first word that tells nothing
        tree = _least_worst(problem, chosen, hard, most if objective == "any" else 1, most)
    return Solution(tree, proven)


def rank_openers(problem: Problem) -> NDArray[np.int64]:
    """All guesses, the most promising opener first, by estimated total."""
    won = problem.code_count - 1
    cost = np.array([expected_cost(size) for size in range(len(problem.words.answers) + 1)])
    total = [cost[np.bincount(row, minlength=won + 1)[:won]].sum() for row in problem.clues]
    return np.argsort(np.array(total), kind="stable")


def _least_total(
    problem: Problem,
    openers: Sequence[int],
    hard: bool,
    worst: int | None,
    progress: Callable[[str, Verdict], None] | None,
) -> Tree | None:
    solver, depth = Solver(problem, hard), worst or NO_DEPTH
    best, best_guess = INFEASIBLE, -1
    for guess in openers:
        verdict = solver.opener(guess, best, depth)
        if progress is not None:
            progress(problem.words.guesses[guess], verdict)
        if verdict.exact and verdict.total < best:
            best, best_guess = verdict.total, guess
    return None if best_guess < 0 else solver.tree(best_guess, depth)


def _least_worst(problem: Problem, openers: Sequence[int], hard: bool, least: int, most: int) -> Tree | None:
    """A tree of the least worst case between `least` and `most`."""
    solver = DepthSolver(problem, hard)
    for depth in range(max(least, solver.least_depth()), most + 1):
        for guess in openers:
            if solver.opener(guess, depth):
                return solver.tree(guess, depth)
    return None
