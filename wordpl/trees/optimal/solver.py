"""Solver objects: one opener at a time, with a cache shared between openers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.trees.optimal.bits import GUESS_SHIFT, find, new_table
from wordpl.trees.optimal.contexts import HardContext, SearchContext
from wordpl.trees.optimal.hard import child_basis, hard_key, hard_search
from wordpl.trees.optimal.problem import Problem
from wordpl.trees.optimal.search import INFEASIBLE, quick, search, set_key
from wordpl.trees.tree import Node, Tree

NO_DEPTH = 100  # deeper than any tree can need to be
DEPTH_TAGS = 128


def expected_cost(size: int) -> float:
    """Typical least total of `size` answers, fitted to solved Wordle positions; orders guesses."""
    return float(size if size <= 1 else 3 if size == 2 else size * (1.5 + 0.25 * np.log(size)))


@dataclass
class Verdict:
    """A total for an opener: its optimum if `exact`, otherwise a proven lower bound."""

    total: int
    exact: bool


class TreeSolver:
    """What the exact solvers share: caches, context and growing the tree from the cache."""

    def __init__(self, problem: Problem, hard: bool = False, log2_table: int = 20) -> None:
        self.problem = problem
        self.hard = hard
        answers, guesses = len(problem.words.answers), len(problem.words.guesses)
        rng = np.random.default_rng(20220101)
        self.zobrist = rng.integers(0, 2**64, (answers + guesses + DEPTH_TAGS, 2), np.uint64)
        self.keys, self.values = new_table(log2_table)
        cost = [expected_cost(size) for size in range(answers + 2)]
        self.growth = np.diff(cost).astype(np.float32)
        self.answers = np.arange(answers, dtype=np.int32)
        self.words = (problem.code_count + 63) // 64
        self.stamp = np.zeros(problem.code_count, np.int32)
        self.search_context = SearchContext(self.zobrist, self.keys, self.values, self.growth, problem.code_count)

    @cached_property
    def hard_search_context(self) -> HardContext:
        return HardContext(self.search_context, self.problem.clues, self.problem.letters)

    def best_easy(self, rows: NDArray[Any], depth: int) -> None:
        """Leave the best guess for an answer set in the cache."""
        raise NotImplementedError

    def best_hard(self, child: tuple[Any, ...], depth: int) -> None:
        """Leave the best guess for a hard-mode basis in the cache."""
        raise NotImplementedError

    def trivial(self, size: int, depth: int) -> bool:
        """Whether any of the answers will do as the guess."""
        return size <= 2

    def parts(self, guess: int, rows: NDArray[Any]) -> dict[int, NDArray[Any]]:
        """Answers of `rows` by clue to a guess, smallest part first."""
        codes = self.problem.clues[guess, rows]
        groups = {int(code): rows[codes == code] for code in np.unique(codes)}
        return dict(sorted(groups.items(), key=lambda item: len(item[1])))

    def root(self) -> tuple[NDArray[Any], ...]:
        return self.problem.table, self.problem.columns, self.answers

    def hard_child(self, basis: tuple[Any, ...], rows: NDArray[Any], guess: int) -> tuple[Any, ...]:
        problem = self.problem
        child: tuple[Any, ...] = child_basis(
            basis[0], basis[1], basis[2], rows, guess, problem.clues, problem.letters, self.growth, problem.code_count
        )
        return child

    def tree(self, guess: int, depth: int = NO_DEPTH) -> Tree:
        """An optimal decision tree after a first guess."""
        return Tree(self._grow(guess, self.answers, depth, self.root()), self.problem.rule)

    def _grow(self, guess: int, rows: NDArray[Any], depth: int, basis: tuple[Any, ...]) -> Node:
        children: dict[int, Node] = {}
        wins = False
        for code, part in sorted(self.parts(guess, basis[2][rows]).items()):
            if code == self.problem.code_count - 1:
                wins = True
            elif self.hard:
                local = np.searchsorted(basis[2], part).astype(np.int32)
                child = self.hard_child(basis, local, guess)
                inside = np.arange(len(part), dtype=np.int32)
                children[code] = self._grow(self._hard_best(child, depth - 1), inside, depth - 1, child)
            else:
                children[code] = self._grow(self._easy_best(part, depth - 1), part, depth - 1, basis)
        return Node(self.problem.words.guesses[guess], wins, children)

    def _easy_best(self, rows: NDArray[Any], depth: int) -> int:
        if self.trivial(len(rows), depth):
            return int(self.problem.guess_of_answer[rows[0]])
        self.best_easy(rows, depth)
        return self._cached_guess(set_key(self.answers, rows, depth, self.zobrist))

    def _hard_best(self, child: tuple[Any, ...], depth: int) -> int:
        gids, answers = child[1], child[2]
        if self.trivial(len(answers), depth):
            return int(gids[0])
        self.best_hard(child, depth)
        rows = np.arange(len(answers), dtype=np.int32)
        return self._cached_guess(hard_key(gids, answers, rows, depth, self.zobrist, len(self.answers)))

    def _cached_guess(self, key: tuple[Any, ...]) -> int:
        slot = find(self.keys, np.uint64(key[0]), np.uint64(key[1]))
        return int(self.values[slot, 1] >> GUESS_SHIFT) - 1


class Solver(TreeSolver):
    """Least totals for openers of one problem."""

    def opener(self, guess: int, limit: int = INFEASIBLE, depth: int = NO_DEPTH) -> Verdict:
        """Least total with a given first guess if below `limit`, else a lower bound."""
        parts = self.parts(guess, self.answers)
        total = len(self.answers)
        parts.pop(self.problem.code_count - 1, None)
        if depth == 1 and parts:
            return Verdict(INFEASIBLE, True)
        rest = [_Part(rows) for rows in parts.values()]
        total += sum(part.low for part in rest)
        evaluate = self._hard_part if self.hard else self._easy_part
        for level in range(4):
            for part in rest if level in (1, 3) else reversed(rest):
                if total >= limit:
                    return Verdict(total, False)
                if not part.exact:
                    before = part.low
                    evaluate(part, guess, level, limit - (total - before), depth - 1)
                    total += part.low - before
        return Verdict(total, total < limit)

    def _easy_part(self, part: _Part, guess: int, level: int, limit: int, depth: int) -> None:
        basis = (self.problem.table, self.problem.columns, self.answers, self.words, part.rows)
        if level < 3:
            low, part.exact, _ = quick(*basis, depth, level, self.stamp, self.search_context)
        else:
            low = search(*basis, limit, depth, self.search_context)
            part.exact = low < limit
        part.low = max(part.low, low)

    def _hard_part(self, part: _Part, guess: int, level: int, limit: int, depth: int) -> None:
        """Easy-mode bounds hold in hard mode too; only the last level is hard mode's own."""
        if level < 3:
            basis = (self.problem.table, self.problem.columns, self.answers, self.words)
            low, exact, _ = quick(*basis, part.rows, depth, level, self.stamp, self.search_context)
            part.exact = exact and len(part.rows) <= 2
        else:
            child = self.hard_child(self.root(), part.rows, guess)
            low = hard_search(child, limit, depth, self.hard_search_context)
            part.exact = low < limit
        part.low = max(part.low, low)

    def best_easy(self, rows: NDArray[Any], depth: int) -> None:
        problem = self.problem
        search(problem.table, problem.columns, self.answers, self.words, rows, INFEASIBLE, depth, self.search_context)

    def best_hard(self, child: tuple[Any, ...], depth: int) -> None:
        hard_search(child, INFEASIBLE, depth, self.hard_search_context)


class _Part:
    """One clue's answers, with the best lower bound so far."""

    __slots__ = ("exact", "low", "rows")

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows
        self.low = 2 * len(rows) - 1
        self.exact = False
