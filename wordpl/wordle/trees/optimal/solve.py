"""The questions asked of the exact solvers: the best tree of an opener, and the best opener."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import whole_number
from wordpl.base.defaults import OPENERS
from wordpl.base.errors import WordplError, nearest
from wordpl.base.progress import Progress
from wordpl.model.words import WordList, as_words
from wordpl.wordle.trees.names import OBJECTIVES
from wordpl.wordle.trees.optimal.depth_solver import DepthSolver
from wordpl.wordle.trees.optimal.search import INFEASIBLE
from wordpl.wordle.trees.optimal.solver import NO_DEPTH, TotalSolver, TreeProblem, expected_cost
from wordpl.wordle.trees.tree import Tree, check_mode


@dataclass(frozen=True)
class Solution:
    """The result of `solve_tree`."""

    tree: Tree | None
    """None if no tree meets the demands."""
    proven: bool
    """True if nothing better exists; False if only some openers were tried."""


def solve_tree(
    words: WordList | str,
    first: str | None = None,
    *,
    rule: str = "counted",
    objective: str = "total",
    hard: bool = False,
    worst: int | None = None,
    openers: int | None = OPENERS,
    progress: Progress | None = None,
) -> Solution:
    """Search for an optimal noiseless decision tree, with all guesses considered at every node.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`. `objective` is one of `OBJECTIVES`:
    the smallest `total` of guesses over all answers, and of the trees that have it one with the smallest worst case;
    the smallest `worst` case, by any tree that has it; or `any` tree within `worst` guesses, which is the quickest.
    `worst` is the most guesses allowed for any answer, from 1 up.

    `first` fixes the first guess. Without it the `openers` most promising first guesses are tried (30 by default,
    None for all; the result is proven only then). `hard` keeps to official hard mode. `progress` is called before each
    first guess, with the openers done; they are counted anew for each worst case that is tried.

    Returns a `Solution`, whose `tree` is None if no tree meets the demands. Raises `WordplError` for another objective
    or rule, a `first` that is not in the word list, numbers below 1, `any` without `worst`, or `hard` with the
    letterwise rule.
    """
    words = as_words(words)
    if objective not in OBJECTIVES:
        raise WordplError(f"unknown objective {objective!r}: {nearest(objective, OBJECTIVES)}")
    worst = None if worst is None else whole_number("worst case", worst)
    openers = None if openers is None else whole_number("openers", openers)
    if objective == "any" and worst is None:
        raise WordplError("the objective any needs a worst case")
    if first is not None and first not in words.guess_index:
        raise WordplError(f"first word {first!r} is not in the word list {words.name}")
    problem = TreeProblem(words, check_mode(rule, hard), hard)
    chosen = [words.guess_index[first]] if first is not None else rank_openers(problem)[:openers].tolist()
    proven = first is not None or len(chosen) == len(words.guesses)
    if objective == "total":
        tree = _least_total(problem, chosen, worst, progress)
    else:
        max_depth = worst or len(words.answers) + 1  # one more: a first word that tells nothing
        depths = range(max_depth if objective == "any" else 1, max_depth + 1)
        tree = _least_worst(problem, chosen, depths, progress)
    return Solution(tree, proven)


def rank_openers(problem: TreeProblem) -> NDArray[np.int64]:
    """Return the indices of all guesses, the most promising first guess first, by estimated total: [guesses]."""
    won = problem.words.n_clues - 1
    cost = np.array([expected_cost(size) for size in range(len(problem.words.answers) + 1)])
    total = [cost[np.bincount(row, minlength=won + 1)[:won]].sum() for row in problem.clues_by_column()]
    return np.argsort(np.array(total)[problem.place], kind="stable")


def _least_total(
    problem: TreeProblem, openers: Sequence[int], worst: int | None, progress: Progress | None
) -> Tree | None:
    solver, depth = TotalSolver(problem), worst or NO_DEPTH
    tree, limit = None, INFEASIBLE
    while depth > 0:
        best = -1
        for guess in _announce(problem, openers, progress):
            result = solver.opener(guess, limit, depth)
            if result.exact and result.total < limit:
                limit, best = result.total, guess
        if best < 0:
            break
        tree = solver.tree(best, depth)
        limit, depth = limit + 1, tree.worst - 1  # the same total, with a smaller worst case
    return tree


def _announce(problem: TreeProblem, openers: Sequence[int], progress: Progress | None) -> Iterator[int]:
    """The openers, each told of before it is worked on."""
    for number, guess in enumerate(openers):
        if progress is not None:
            progress(problem.words.guesses[guess], int(number > 0), number, len(openers))
        yield guess


def _least_worst(problem: TreeProblem, openers: Sequence[int], depths: range, progress: Progress | None) -> Tree | None:
    """Return a tree whose worst case is the smallest of `depths`, or None."""
    solver = DepthSolver(problem)
    for depth in range(max(depths.start, solver.least_depth()), depths.stop):
        for guess in _announce(problem, openers, progress):
            if solver.opener(guess, depth):
                return solver.tree(guess, depth)
    return None
