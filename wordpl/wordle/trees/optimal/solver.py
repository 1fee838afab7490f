"""Solver objects: one opener at a time, with a cache shared between openers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.clues import Codes, check_rule, clue_rows
from wordpl.model.words import WordList, letters_of
from wordpl.wordle.trees.optimal.hard import child_basis, hard_key, hard_search
from wordpl.wordle.trees.optimal.search import INFEASIBLE, quick, search, set_key
from wordpl.wordle.trees.optimal.table import GUESS_SHIFT, find, new_table
from wordpl.wordle.trees.tree import Node, Tree

Rows = NDArray[Any]
Indices = NDArray[np.int32]
Position = Any
"""The answers that are left, in the form that the searches of a mode work on.

In easy mode every guess is allowed at any time, so it is the answers alone. In hard mode a clue narrows the guesses
allowed, so it is a basis: the clue table of what is left of both.
"""

NO_DEPTH = 100  # deeper than any tree can need to be
DEPTH_TAGS = 128
ALL_WORK = 2**62  # more clue codes than any search relabels
LOG2_TABLE = 20  # of the number of entries in the cache


def expected_cost(size: int) -> float:
    """Typical least total of `size` answers, fitted to solved Wordle positions; orders guesses."""
    return float(size if size <= 1 else 3 if size == 2 else size * (1.5 + 0.25 * np.log(size)))


class TreeProblem:
    """All answers of a list, to be told apart by its guesses under a repeat rule, in easy or official hard mode."""

    def __init__(self, words: WordList, rule: str = "counted", hard: bool = False) -> None:
        self.words, self.rule, self.hard = words, check_rule(rule), hard

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """A small number for each letter of each guess: [guesses, length]."""
        numbered = np.unique(letters_of(self.words.guesses), return_inverse=True)[1].astype(np.uint8)
        return numbered.reshape(len(self.words.guesses), self.words.length)

    @cached_property
    def columns(self) -> Indices:
        """Guess of each column of `table`: the answers in order, then all other guesses."""
        own = self.words.answers_as_guesses
        others = np.setdiff1d(np.arange(len(self.words.guesses)), own)
        return np.concatenate([own, others]).astype(np.int32)

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Column of each guess in `table`."""
        return np.argsort(self.columns)

    @cached_property
    def table(self) -> Codes:
        """Clue codes [answers, columns]: one contiguous row of guesses per answer.

        There is no clue matrix beside it, which would be as large.
        """
        rows = clue_rows(self.words, self.rule)
        return np.ascontiguousarray(np.array([rows(self.words.guesses[guess]) for guess in self.columns]).T)

    def clues_by_column(self) -> Codes:
        """The clue codes of each column for all answers: [columns, answers]."""
        return np.ascontiguousarray(self.table.T)


@dataclass
class OpenerResult:
    """The result of a search for one first guess: `total` is its smallest total if `exact`, else a lower bound."""

    total: int
    exact: bool


class TreeSolver(ABC):
    """Base class of the exact solvers: the cache, and growing a tree from it."""

    def __init__(self, problem: TreeProblem, log2_table: int = LOG2_TABLE) -> None:
        self.problem, self.hard, self.won = problem, problem.hard, problem.words.n_clues - 1
        answers, guesses = len(problem.words.answers), len(problem.words.guesses)
        rng = np.random.default_rng(20220101)
        cost = [expected_cost(size) for size in range(answers + 2)]
        self.answers = np.arange(answers, dtype=np.int32)
        self.basis = problem.table, problem.columns, self.answers, (problem.words.n_clues + 63) // 64
        self.stamp = np.zeros(problem.words.n_clues, np.int32)
        # What the searches share: random words of the keys; keys and values of the cache; what one more answer in a
        # cell is expected to cost, by the size of the cell; the number of clue codes.
        self.context = (
            rng.integers(0, 2**64, (answers + guesses + DEPTH_TAGS, 2), np.uint64),
            *new_table(log2_table),
            np.diff(cost).astype(np.float32),
            problem.words.n_clues,
        )
        self.work = np.array([ALL_WORK])
        """Clue codes that may still be relabelled."""
        self.hard_context = self.context, problem.table, problem.place, problem.letters, self.work
        self.start: Position = self.basis if self.hard else self.answers

    def after(self, position: Position, guess: int, rows: Rows) -> Position:
        """The position when a clue to `guess` has left the answers `rows`."""
        if not self.hard:
            return rows
        local = np.searchsorted(position[2], rows).astype(np.int32)
        return child_basis(*position[:3], local, guess, self.hard_context)

    @abstractmethod
    def search(self, position: Position, depth: int) -> int:
        """Leave the best guess for a position in the cache."""

    @abstractmethod
    def trivial(self, size: int, depth: int) -> bool:
        """Return whether any of the answers will do as the guess."""

    def cells(self, guess: int, rows: Rows) -> dict[int, Rows]:
        """Answers of `rows` by clue to a guess, smallest cell first."""
        codes = self.problem.table[rows, self.problem.place[guess]]
        groups = {int(code): rows[codes == code] for code in np.unique(codes)}
        return dict(sorted(groups.items(), key=lambda item: len(item[1])))

    def tree(self, guess: int, depth: int = NO_DEPTH) -> Tree:
        return Tree(self._grow(guess, self.start, depth), self.problem.rule)

    def _grow(self, guess: int, position: Position, depth: int) -> Node:
        children: dict[int, Node] = {}
        cells = self.cells(guess, position[2] if self.hard else position)
        for code, cell in sorted(cells.items()):
            if code != self.won:
                child = self.after(position, guess, cell)
                children[code] = self._grow(self._best(child, depth - 1), child, depth - 1)
        return Node(self.problem.words.guesses[guess], self.won in cells, children)

    def _best(self, position: Position, depth: int) -> int:
        answers = position[2] if self.hard else position
        if self.trivial(len(answers), depth):
            return int(self.problem.words.answers_as_guesses[answers[0]])
        self.search(position, depth)
        zobrist, keys, values = self.context[:3]
        if self.hard:
            rows = np.arange(len(answers), dtype=np.int32)
            key = hard_key(position[1], answers, rows, depth, zobrist, len(self.answers))
        else:
            key = set_key(self.answers, position, depth, zobrist)
        slot = find(keys, np.uint64(key[0]), np.uint64(key[1]))
        return int(values[slot, 1] >> GUESS_SHIFT) - 1


class TotalSolver(TreeSolver):
    """Least totals for openers of one problem."""

    def opener(self, guess: int, limit: int = INFEASIBLE, depth: int = NO_DEPTH) -> OpenerResult:
        """Least total with a given first guess if below `limit`, else a lower bound."""
        cells = self.cells(guess, self.answers)
        total = len(self.answers)
        cells.pop(self.won, None)
        if depth == 1 and cells:
            return OpenerResult(INFEASIBLE, True)
        rest = [_Cell(rows, 2 * len(rows) - 1) for rows in cells.values()]
        total += sum(cell.low for cell in rest)
        for level in range(4):
            for cell in rest if level in (1, 3) else reversed(rest):
                if total >= limit:
                    return OpenerResult(total, False)
                if not cell.exact:
                    before = cell.low
                    if level < 3:
                        low, exact, _ = quick(self.basis, cell.rows, depth - 1, level, self.stamp, self.context)
                        # Bounds of easy mode hold in hard mode too, but its totals may not be reached.
                        cell.exact = exact and (not self.hard or len(cell.rows) <= 2)
                    else:
                        left = limit - (total - before)
                        low = self.search(self.after(self.start, guess, cell.rows), depth - 1, left)
                        cell.exact = low < left
                    cell.low = max(before, low)
                    total += cell.low - before
        return OpenerResult(total, total < limit)

    def search(self, position: Position, depth: int, limit: int = INFEASIBLE) -> int:
        """Least total of a position if below `limit`, else a lower bound."""
        if self.hard:
            return int(hard_search(position, limit, 0, depth, self.hard_context))
        return int(search(self.basis, position, limit, depth, self.context))

    def trivial(self, size: int, depth: int) -> bool:
        return size <= 2


@dataclass
class _Cell:
    """One clue's answers, with the best lower bound so far."""

    rows: Rows
    low: int
    exact: bool = False
