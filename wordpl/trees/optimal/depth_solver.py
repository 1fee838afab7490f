"""Worst-case questions for one opener: the shell around `depth`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.trees.optimal.contexts import DepthContext, HardDepthContext
from wordpl.trees.optimal.depth import NO, UNKNOWN, add_core, hard_within, largest_families, quick_depth, within
from wordpl.trees.optimal.problem import Problem
from wordpl.trees.optimal.solver import LOG2_TABLE, Basis, EasyMode, HardMode, Position, Rows, TreeSolver

MAX_DEPTH, MAX_CORES, CORE_SIZE = 16, 1 << 15, 40
WORK_STEPS = (10**6, 10**7, 10**8, 10**9, 10**10, 2**62)  # clue cells; about 3 ns each


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


class DepthSolver(TreeSolver[Position]):
    """Whether openers can always finish within a number of guesses."""

    def __init__(self, problem: Problem, log2_table: int = LOG2_TABLE) -> None:
        super().__init__(problem, log2_table)
        self.work = np.zeros(1, np.int64)

    def opener(self, guess: int, depth: int) -> bool:
        """Whether a first guess leaves every answer reachable within `depth` guesses."""
        groups = self.parts(guess, self.answers)
        groups.pop(self.problem.code_count - 1, None)
        if depth == 1:
            return not groups
        rest = [rows for rows in reversed(groups.values()) if len(rows) >= depth]
        return self._all_feasible(rest, guess, depth - 1)

    @abstractmethod
    def _all_feasible(self, rest: list[Rows], guess: int, depth: int) -> bool:
        """Whether all parts that a first guess leaves can be finished within `depth` guesses.

        How hard a part is cannot be told beforehand, so all get a little work each, then more, until one is
        refuted or all are settled.
        """

    def least_depth(self) -> int:
        """A depth no tree can beat, from the most parts any guess makes of the answers."""
        most = max(len(np.unique(row)) for row in self.problem.clues)
        depth, reach = 1, 1
        while reach < len(self.answers):
            depth, reach = depth + 1, 1 + most * reach
        return depth

    def trivial(self, size: int, depth: int) -> bool:
        return size <= depth


class EasyDepths(EasyMode, DepthSolver[Rows]):
    """Worst cases in easy mode."""

    def __init__(self, problem: Problem, log2_table: int = LOG2_TABLE) -> None:
        super().__init__(problem, log2_table)
        answers = problem.words.answers
        self.context = DepthContext(
            self.search_context,
            wildcard_families(answers),
            np.zeros((MAX_DEPTH, MAX_CORES, CORE_SIZE), np.int32),
            np.zeros((MAX_DEPTH, MAX_CORES), np.int32),
            np.zeros((MAX_DEPTH, MAX_CORES + len(answers)), np.int32),
            self.work,
        )

    def search(self, position: Rows, depth: int) -> None:
        self._within(position, depth, WORK_STEPS[-1])

    def _all_feasible(self, rest: list[Rows], guess: int, depth: int) -> bool:
        # The families of a part are tried before it: whichever set is cheapest to refute.
        if any(self._quick(rows, depth) == NO for rows in rest):
            return False
        for work in WORK_STEPS:
            unsettled = []
            for rows in rest:
                for subset in [*self._families(rows, depth), rows]:
                    verdict = self._within(subset, depth, work)
                    if verdict == NO:
                        self._learn(subset, depth)
                        return False
                if verdict == UNKNOWN:
                    unsettled.append(rows)
            rest = unsettled
        return True

    def _quick(self, rows: Rows, depth: int) -> int:
        table, columns = self.problem.table, self.problem.columns
        verdict: int = quick_depth(table, columns, self.answers, self.words, rows, depth, self.stamp, self.context)
        return verdict

    def _within(self, rows: Rows, depth: int, work: int) -> int:
        self.work[0] = work
        table, columns = self.problem.table, self.problem.columns
        verdict: int = within(table, columns, self.answers, self.words, rows, depth, 1, self.context)
        return verdict

    def _families(self, rows: Rows, depth: int) -> list[Rows]:
        families = self.context.families
        picks = np.empty((families.shape[1], 2), np.int32)
        found = largest_families(families, self.answers, rows, 3 * depth - 2, picks)
        return [rows[families[rows, pattern] == family] for pattern, family in picks[:found][::-1]]

    def _learn(self, rows: Rows, depth: int) -> None:
        """Keep a refuted set as a core, after dropping what its cheap refutation can spare."""
        if depth <= 3 or len(rows) > 4 * CORE_SIZE:
            return
        step = max(1, len(rows) // 4)
        while True:
            at = 0
            while at < len(rows):
                less = np.concatenate([rows[:at], rows[at + step :]])
                if self._within(less, depth, WORK_STEPS[0]) == NO:
                    rows = less
                else:
                    at += step
            if step == 1:
                break
            step //= 2
        context = self.context
        add_core(self.answers, rows, depth, context.cores, context.core_sizes, context.core_links)


class HardDepths(HardMode, DepthSolver[Basis]):
    """Worst cases in hard mode."""

    def __init__(self, problem: Problem, log2_table: int = LOG2_TABLE) -> None:
        super().__init__(problem, log2_table)
        self.context = HardDepthContext(self.hard_context, self.work)

    def search(self, position: Basis, depth: int) -> None:
        self._within(position, depth, WORK_STEPS[-1])

    def _all_feasible(self, rest: list[Rows], guess: int, depth: int) -> bool:
        # A generator: parts after the first refuted one are never relabelled.
        children: Iterable[Basis] = (self.after(self.start, guess, rows) for rows in rest)
        for work in WORK_STEPS:
            unsettled = []
            for child in children:
                verdict = self._within(child, depth, work)
                if verdict == NO:
                    return False
                if verdict == UNKNOWN:
                    unsettled.append(child)
            children = unsettled
        return True

    def _within(self, position: Basis, depth: int, work: int) -> int:
        self.work[0] = work
        verdict: int = hard_within(position, depth, self.context)
        return verdict


def depth_solver(problem: Problem, hard: bool = False) -> EasyDepths | HardDepths:
    """The solver for worst cases in easy mode, or in official hard mode."""
    return HardDepths(problem) if hard else EasyDepths(problem)
