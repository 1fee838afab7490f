"""Worst-case questions for one opener: the shell around `depth`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.trees.optimal.contexts import DepthContext, HardDepthContext
from wordpl.trees.optimal.depth import NO, UNKNOWN, add_core, hard_within, largest_families, quick_depth, within
from wordpl.trees.optimal.problem import Problem
from wordpl.trees.optimal.solver import TreeSolver

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


class DepthSolver(TreeSolver):
    """Whether openers can always finish within a number of guesses."""

    def __init__(self, problem: Problem, hard: bool = False, log2_table: int = 20) -> None:
        super().__init__(problem, hard, log2_table)
        self.work = np.zeros(1, np.int64)

    @cached_property
    def context(self) -> DepthContext:
        answers = self.problem.words.answers
        return DepthContext(
            self.search_context,
            wildcard_families(answers),
            np.zeros((MAX_DEPTH, MAX_CORES, CORE_SIZE), np.int32),
            np.zeros((MAX_DEPTH, MAX_CORES), np.int32),
            np.zeros((MAX_DEPTH, MAX_CORES + len(answers)), np.int32),
            self.work,
        )

    @cached_property
    def hard_context(self) -> HardDepthContext:
        return HardDepthContext(self.hard_search_context, self.work)

    def opener(self, guess: int, depth: int) -> bool:
        """Whether a first guess leaves every answer reachable within `depth` guesses."""
        groups = self.parts(guess, self.answers)
        groups.pop(self.problem.code_count - 1, None)
        if depth == 1:
            return not groups
        rest = [rows for rows in reversed(groups.values()) if len(rows) >= depth]
        if self.hard:
            return self._hard_opener(rest, guess, depth - 1)
        return self._easy_opener(rest, depth - 1)

    def _hard_opener(self, rest: list[NDArray[Any]], guess: int, depth: int) -> bool:
        """Whether all parts are feasible; see `_easy_opener` for the rationed work."""
        # A generator: parts after the first refuted one are never relabelled.
        children: Iterable[tuple[Any, ...]] = (self.hard_child(self.root(), rows, guess) for rows in rest)
        for work in WORK_STEPS:
            unsettled = []
            for child in children:
                self.work[0] = work
                verdict = hard_within(child, depth, self.hard_context)
                if verdict == NO:
                    return False
                if verdict == UNKNOWN:
                    unsettled.append(child)
            children = unsettled
        return True

    def _easy_opener(self, rest: list[NDArray[Any]], depth: int) -> bool:
        """Whether all parts are feasible, refuting whichever set is cheapest to refute.

        How hard a set is cannot be told beforehand, so all parts and their families get
        a little work each, then more, until one is refuted or all parts are settled.
        """
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

    def _quick(self, rows: NDArray[Any], depth: int) -> int:
        table, columns, answers, words = self._basis()
        verdict: int = quick_depth(table, columns, answers, words, rows, depth, self.stamp, self.context)
        return verdict

    def _within(self, rows: NDArray[Any], depth: int, work: int) -> int:
        self.work[0] = work
        table, columns, answers, words = self._basis()
        verdict: int = within(table, columns, answers, words, rows, depth, 1, self.context)
        return verdict

    def _basis(self) -> tuple[Any, ...]:
        return self.problem.table, self.problem.columns, self.answers, self.words

    def _families(self, rows: NDArray[Any], depth: int) -> list[NDArray[Any]]:
        families = self.context.families
        picks = np.empty((families.shape[1], 2), np.int32)
        found = largest_families(families, self.answers, rows, 3 * depth - 2, picks)
        return [rows[families[rows, pattern] == family] for pattern, family in picks[:found][::-1]]

    def _learn(self, rows: NDArray[Any], depth: int) -> None:
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

    def least_depth(self) -> int:
        """A depth no tree can beat, from the most parts any guess makes of the answers."""
        most = max(len(np.unique(row)) for row in self.problem.clues)
        depth, reach = 1, 1
        while reach < len(self.answers):
            depth, reach = depth + 1, 1 + most * reach
        return depth

    def trivial(self, size: int, depth: int) -> bool:
        return size <= depth

    def best_easy(self, rows: NDArray[Any], depth: int) -> None:
        self._within(rows, depth, WORK_STEPS[-1])

    def best_hard(self, child: tuple[Any, ...], depth: int) -> None:
        self.work[0] = WORK_STEPS[-1]
        hard_within(child, depth, self.hard_context)
