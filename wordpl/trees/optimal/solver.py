"""Solver objects: one opener at a time, with a cache shared between openers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordpl.trees.optimal.bits import GUESS_SHIFT, find, new_table
from wordpl.trees.optimal.contexts import HardContext, SearchContext
from wordpl.trees.optimal.hard import child_basis, hard_key, hard_search
from wordpl.trees.optimal.problem import Problem
from wordpl.trees.optimal.search import INFEASIBLE, quick, search, set_key
from wordpl.trees.tree import Node, Tree

Rows = NDArray[Any]
Basis = tuple[Any, ...]
Position = TypeVar("Position")

NO_DEPTH = 100  # deeper than any tree can need to be
DEPTH_TAGS = 128
LOG2_TABLE = 20  # of the number of entries in the cache


def expected_cost(size: int) -> float:
    """Typical least total of `size` answers, fitted to solved Wordle positions; orders guesses."""
    return float(size if size <= 1 else 3 if size == 2 else size * (1.5 + 0.25 * np.log(size)))


@dataclass
class OpenerResult:
    """What a search says of one first guess: `total` is its smallest total if `exact`, else a proven lower bound."""

    total: int
    exact: bool


class TreeSolver(ABC, Generic[Position]):
    """What the exact solvers share: the cache, and growing a tree from it.

    A position is the answers that are left, in the form that the searches of a mode work on.
    """

    def __init__(self, problem: Problem, log2_table: int = LOG2_TABLE) -> None:
        self.problem = problem
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

    # Each mode says what a position is.

    @property
    @abstractmethod
    def start(self) -> Position:
        """The position of all answers."""

    @abstractmethod
    def answers_at(self, position: Position) -> Rows:
        """The answers that are left."""

    @abstractmethod
    def after(self, position: Position, guess: int, rows: Rows) -> Position:
        """The position when a clue to `guess` has left the answers `rows`."""

    @abstractmethod
    def key(self, position: Position, depth: int) -> tuple[Any, ...]:
        """The key of a position in the cache."""

    # Each objective says how a position is searched.

    @abstractmethod
    def search(self, position: Position, depth: int) -> None:
        """Leave the best guess for a position in the cache."""

    def trivial(self, size: int, depth: int) -> bool:
        """Whether any of the answers will do as the guess."""
        return size <= 2

    def parts(self, guess: int, rows: Rows) -> dict[int, Rows]:
        """Answers of `rows` by clue to a guess, smallest part first."""
        codes = self.problem.clues[guess, rows]
        groups = {int(code): rows[codes == code] for code in np.unique(codes)}
        return dict(sorted(groups.items(), key=lambda item: len(item[1])))

    def tree(self, guess: int, depth: int = NO_DEPTH) -> Tree:
        """An optimal decision tree after a first guess."""
        return Tree(self._grow(guess, self.start, depth), self.problem.rule)

    def _grow(self, guess: int, position: Position, depth: int) -> Node:
        children: dict[int, Node] = {}
        wins = False
        for code, part in sorted(self.parts(guess, self.answers_at(position)).items()):
            if code == self.problem.code_count - 1:
                wins = True
            else:
                child = self.after(position, guess, part)
                children[code] = self._grow(self._best(child, depth - 1), child, depth - 1)
        return Node(self.problem.words.guesses[guess], wins, children)

    def _best(self, position: Position, depth: int) -> int:
        answers = self.answers_at(position)
        if self.trivial(len(answers), depth):
            return int(self.problem.guess_of_answer[answers[0]])
        self.search(position, depth)
        key = self.key(position, depth)
        slot = find(self.keys, np.uint64(key[0]), np.uint64(key[1]))
        return int(self.values[slot, 1] >> GUESS_SHIFT) - 1


class EasyMode(TreeSolver[Rows]):
    """Every guess is allowed at any time, so a position is the answers alone."""

    @property
    def start(self) -> Rows:
        return self.answers

    def answers_at(self, position: Rows) -> Rows:
        return position

    def after(self, position: Rows, guess: int, rows: Rows) -> Rows:
        return rows

    def key(self, position: Rows, depth: int) -> tuple[Any, ...]:
        key: tuple[Any, ...] = set_key(self.answers, position, depth, self.zobrist)
        return key


class HardMode(TreeSolver[Basis]):
    """A clue narrows the guesses allowed, so a position is a basis: the clue table of what is left of both."""

    def __init__(self, problem: Problem, log2_table: int = LOG2_TABLE) -> None:
        super().__init__(problem, log2_table)
        self.hard_context = HardContext(self.search_context, problem.clues, problem.letters)

    @property
    def start(self) -> Basis:
        return self.problem.table, self.problem.columns, self.answers

    def answers_at(self, position: Basis) -> Rows:
        answers: Rows = position[2]
        return answers

    def after(self, position: Basis, guess: int, rows: Rows) -> Basis:
        table, columns, answers = position[:3]
        local = np.searchsorted(answers, rows).astype(np.int32)
        problem = self.problem
        child: Basis = child_basis(
            table, columns, answers, local, guess, problem.clues, problem.letters, self.growth, problem.code_count
        )
        return child

    def key(self, position: Basis, depth: int) -> tuple[Any, ...]:
        _table, columns, answers = position[:3]
        rows = np.arange(len(answers), dtype=np.int32)
        key: tuple[Any, ...] = hard_key(columns, answers, rows, depth, self.zobrist, len(self.answers))
        return key


class TotalSolver(TreeSolver[Position]):
    """Least totals for openers of one problem."""

    def opener(self, guess: int, limit: int = INFEASIBLE, depth: int = NO_DEPTH) -> OpenerResult:
        """Least total with a given first guess if below `limit`, else a lower bound."""
        parts = self.parts(guess, self.answers)
        total = len(self.answers)
        parts.pop(self.problem.code_count - 1, None)
        if depth == 1 and parts:
            return OpenerResult(INFEASIBLE, True)
        rest = [_Part(rows) for rows in parts.values()]
        total += sum(part.low for part in rest)
        for level in range(4):
            for part in rest if level in (1, 3) else reversed(rest):
                if total >= limit:
                    return OpenerResult(total, False)
                if not part.exact:
                    before = part.low
                    if level < 3:
                        low, part.exact = self._bound(part.rows, level, depth - 1)
                    else:
                        left = limit - (total - before)
                        low = self._total(self.after(self.start, guess, part.rows), left, depth - 1)
                        part.exact = low < left
                    part.low = max(before, low)
                    total += part.low - before
        return OpenerResult(total, total < limit)

    def _bound(self, rows: Rows, level: int, depth: int) -> tuple[int, bool]:
        """A cheap lower bound of a part, and whether it is exact."""
        problem = self.problem
        low, exact, _ = quick(
            problem.table,
            problem.columns,
            self.answers,
            self.words,
            rows,
            depth,
            level,
            self.stamp,
            self.search_context,
        )
        return low, exact

    @abstractmethod
    def _total(self, position: Position, limit: int, depth: int) -> int:
        """Least total of a position if below `limit`, else a lower bound."""

    def search(self, position: Position, depth: int) -> None:
        self._total(position, INFEASIBLE, depth)


class EasyTotals(EasyMode, TotalSolver[Rows]):
    """Least totals in easy mode."""

    def _total(self, position: Rows, limit: int, depth: int) -> int:
        problem = self.problem
        low: int = search(
            problem.table, problem.columns, self.answers, self.words, position, limit, depth, self.search_context
        )
        return low


class HardTotals(HardMode, TotalSolver[Basis]):
    """Least totals in hard mode."""

    def _bound(self, rows: Rows, level: int, depth: int) -> tuple[int, bool]:
        # Bounds of easy mode hold in hard mode too, but its totals may not be reached.
        low, exact = super()._bound(rows, level, depth)
        return low, exact and len(rows) <= 2

    def _total(self, position: Basis, limit: int, depth: int) -> int:
        low: int = hard_search(position, limit, depth, self.hard_context)
        return low


def total_solver(problem: Problem, hard: bool = False, log2_table: int = LOG2_TABLE) -> EasyTotals | HardTotals:
    """The solver for least totals in easy mode, or in official hard mode."""
    return HardTotals(problem, log2_table) if hard else EasyTotals(problem, log2_table)


class _Part:
    """One clue's answers, with the best lower bound so far."""

    __slots__ = ("exact", "low", "rows")

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.low = 2 * len(rows) - 1
        self.exact = False
