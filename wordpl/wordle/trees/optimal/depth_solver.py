"""Worst-case questions for one opener: the shell around `depth`."""

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.wordle.trees.optimal.depth import NO, UNKNOWN, YES, quick_depth, within
from wordpl.wordle.trees.optimal.hard import OUT_OF_WORK, hard_search
from wordpl.wordle.trees.optimal.search import INFEASIBLE
from wordpl.wordle.trees.optimal.solver import ALL_WORK, Position, TreeProblem, TreeSolver

MAX_DEPTH, MAX_CORES, CORE_SIZE = 16, 1 << 15, 40
WORK_STEPS = (10**6, 10**7, 10**8, 10**9, 10**10, ALL_WORK)  # clue codes; about 3 ns each


def wildcard_families(words: tuple[str, ...]) -> NDArray[Any]:
    """Family number [word, pattern] for every choice of one or two wildcard places."""
    length = len(words[0])
    patterns = [set(c) for k in (1, 2) if k < length for c in combinations(range(length), k)]
    columns = []
    for wild in patterns:
        ids: dict[str, int] = {}
        masked = ("".join("_" if p in wild else x for p, x in enumerate(w)) for w in words)
        columns.append([ids.setdefault(m, len(ids)) for m in masked])
    return np.array(columns, np.int32).T.copy()


class DepthSolver(TreeSolver):
    """A solver that tells whether openers can always finish within a number of guesses."""

    def __init__(self, problem: TreeProblem) -> None:
        super().__init__(problem)
        self.families = wildcard_families(problem.words.answers)
        # Known cores (see `add_core`); hard mode does without.
        cores = 0 if problem.hard else MAX_CORES
        self.cores = (
            np.zeros((MAX_DEPTH, cores, CORE_SIZE), np.int32),
            np.zeros((MAX_DEPTH, cores), np.int32),
            np.zeros((MAX_DEPTH, cores + len(problem.words.answers)), np.int32),
        )
        self.depth_context = self.context, self.families, *self.cores, self.work

    def opener(self, guess: int, depth: int) -> bool:
        """Return whether a first guess leaves every answer reachable within `depth` guesses.

        How hard a cell is cannot be told beforehand, so all get a little work each, then more, until one is
        refuted or all are settled.
        """
        groups = self.cells(guess, self.answers)
        groups.pop(self.won, None)
        if depth == 1:
            return not groups
        depth -= 1
        rest = [rows for rows in reversed(groups.values()) if len(rows) > depth]
        if not self.hard:
            for rows in rest:
                if quick_depth(self.basis, rows, depth, self.stamp, self.depth_context) == NO:
                    return False
        # A generator: cells after the first refuted one are never relabelled.
        left: Iterable[Position] = (self.after(self.start, guess, rows) for rows in rest)
        for work in WORK_STEPS:
            unsettled = []
            for position in left:
                verdict = self.search(position, depth, work)
                if verdict == NO:
                    return False
                if verdict == UNKNOWN:
                    unsettled.append(position)
            left = unsettled
        return True

    def least_depth(self) -> int:
        """A depth no tree can beat, from the most cells any guess makes of the answers."""
        most = max(len(np.unique(row)) for row in self.problem.clues_by_column())
        depth, reach = 1, 1
        while reach < len(self.answers):
            depth, reach = depth + 1, 1 + most * reach
        return depth

    def trivial(self, size: int, depth: int) -> bool:
        return size <= depth

    def search(self, position: Position, depth: int, work: int = ALL_WORK) -> int:
        """Whether a position can be finished within `depth` guesses, as `within` says it."""
        self.work[0] = work
        if self.hard:
            total = hard_search(position, INFEASIBLE, INFEASIBLE - 1, depth, self.hard_context)
            return UNKNOWN if total == OUT_OF_WORK else YES if total < INFEASIBLE else NO
        return int(within(self.basis, position, depth, 1, self.depth_context))
