"""Easy-mode branch and bound for the least total number of guesses.

Ideas (Alex Selby, "The best strategies for Wordle", sonorouschocolate.com, 2022; the code is our own): a set of n
answers split into k cells costs at least 3n - k, less one if the guess is in the set; the bound a cell must beat is
handed down to it; cheap bounds of all cells come before any full search, and bounds are cached by answer set. All
functions share one convention: a returned value below `limit` is the exact optimum, any other is a valid lower bound.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordpl.scoring.kernels import ranked
from wordpl.scoring.noise_kernels import inner, kernel
from wordpl.wordle.trees.optimal.kernels import (
    best_member,
    first_perfect,
    most_cells,
    rebase,
    scan_counts,
    split,
    split_arrays,
)
from wordpl.wordle.trees.optimal.table import EXACT, LEVEL_SHIFT, find, store

INFEASIBLE = 1 << 24
MAX_SCAN_WORDS = 8  # wider bit sets than this cost more than relabelling first


class Cells(NamedTuple):
    """The rows of a set, by clue to a guess; the smallest cell comes first."""

    positions: NDArray[np.int32]
    """Rows, cell after cell: [rows]."""
    bounds: NDArray[np.int32]
    """The index in `positions` at which each cell begins, and the last ends: [cells + 1]."""
    lows: NDArray[np.int64]
    """A lower bound of each cell: [cells]."""
    state: NDArray[np.int64]
    """The number of passes that improved each bound, 0 to 2, or 3 if it is exact: [cells]."""


@kernel
def set_key(answers, rows, depth, zobrist):
    """128-bit key of an answer set, tagged with the depth left when that can matter."""
    key0 = np.uint64(0)
    key1 = np.uint64(0)
    for i in range(rows.size):
        key0 ^= zobrist[answers[rows[i]], 0]
        key1 ^= zobrist[answers[rows[i]], 1]
    if depth < rows.size:  # n answers never need more than n guesses in an optimal tree
        last = zobrist.shape[0] - 1 - depth
        key0 ^= zobrist[last, 0]
        key1 ^= zobrist[last, 1]
    return key0, key1


@kernel
def member_value(table, rows, depth, stamp):
    """Value from the set's own answers alone: (bound, exact, position of the guess)."""
    n = rows.size
    if n == 1:
        return 1, True, 0
    if depth == 1:
        return INFEASIBLE, True, 0
    if n == 2:
        return 3, True, 0
    most, at = best_member(table, rows, stamp)
    if most == n:
        return 2 * n - 1, True, at
    return 2 * n, (most == n - 1 or n == 3) and depth > 2, at


@kernel
def quick(basis, rows, depth, level, stamp, context):
    """Cached value of a set, or cheap passes up to `level`: (value, exact, level done).

    Level 1 tries only the set's own answers: a perfect one gives 2n - 1, one short of
    perfect 2n, and otherwise nothing beats 2n. Level 2 counts cells for every column.
    """
    table, gids, answers, words = basis
    zobrist, keys, values, _growth, _codes = context
    n = rows.size
    if n <= 2 or depth == 1:
        return member_value(table, rows, depth, stamp)[0], True, 3
    key0, key1 = set_key(answers, rows, depth, zobrist)
    slot = find(keys, key0, key1)
    done = 0
    bound = 2 * n - 1
    if slot >= 0:
        bound = np.int64(values[slot, 0])
        done = (values[slot, 1] >> LEVEL_SHIFT) & 3
        if values[slot, 1] & EXACT:
            return bound, True, 3
    if done >= level:
        return bound, False, done
    exact = False
    guess = -1
    if done == 0:
        bound, exact, at = member_value(table, rows, depth, stamp)
        guess = np.int64(gids[rows[at]])
        done = 1
    if level == 2 and not exact and words <= MAX_SCAN_WORDS:
        counts = np.empty(table.shape[1], np.int16)
        perfect = scan_counts(table, rows, words, counts)
        done = 2
        if perfect >= 0:
            bound = 2 * n
            exact = True
            guess = np.int64(gids[perfect])
        else:
            bound = 3 * n - most_cells(counts, rows)
    if depth == 2 and done == 2 and not exact:
        bound = INFEASIBLE
        exact = True
    store(keys, values, key0, key1, bound, 1 if exact else 0, done, guess)
    return bound, exact, 3 if exact else done


@inner
def raised(lows, p, value, total):
    """Give cell `p` another lower bound; return the total with it."""
    total += value - lows[p]
    lows[p] = value
    return total


@inner
def cheap_passes(basis, split_rows, cells, win, best, depth, stamp, context):
    """Lower bound of a guess from its cells, by passes of rising cost until it is `best`.

    Fills `lows` and `state` of the `Cells`. The pass over the columns starts with the largest cell: there a bound rises
    most.
    """
    positions, bounds, lows, state = split_rows
    total = positions.size
    first = 0
    for p in range(cells):
        size = bounds[p + 1] - bounds[p]
        lows[p] = 0 if p == win else 2 * size - 1
        state[p] = 3 if size <= 2 else 0
        total += lows[p]
        if size <= 2:
            first = p + 1
    for level in range(3):
        for q in range(first, cells):
            p = q if level < 2 else cells - 1 - (q - first)
            if (state[p] >= level and level > 0) or total >= best:
                continue
            cell = positions[bounds[p] : bounds[p + 1]]
            value, _exact, state[p] = quick(basis, cell, depth, level, stamp, context)
            total = raised(lows, p, value, total)
    return total


@kernel
def search(basis, rows, limit, depth, context):
    """Least total for `rows` within `depth` guesses, if below `limit`; else a lower bound."""
    table, gids, answers, _words = basis
    zobrist, keys, values, growth, codes = context
    n = rows.size
    stamp = np.zeros(codes, np.int32)
    low, exact, level = quick(basis, rows, depth, 1, stamp, context)
    if exact or low >= limit:
        return low
    if level == 1 and n < 12:
        low, exact, level = quick(basis, rows, depth, 2, stamp, context)
        if exact or low >= limit:
            return low
    sub_table, sub_gids, sub_answers, counts, costs, most = rebase(
        table, gids, answers, rows, np.empty(0, np.uint8), growth, codes
    )
    sub_basis = sub_table, sub_gids, sub_answers, (most + 63) // 64
    key0, key1 = set_key(answers, rows, depth, zobrist)

    perfect = first_perfect(counts, n)
    if perfect >= 0 or depth == 2:
        low = 2 * n if perfect >= 0 else INFEASIBLE  # no answer of the set is perfect, or `quick` had been exact
        store(keys, values, key0, key1, low, 1, 3, sub_gids[perfect] if perfect >= 0 else -1)
        return low
    column_lows = 3 * n - counts.astype(np.int64)
    column_lows[:n] -= 1
    low = column_lows.min()
    if low >= limit:
        store(keys, values, key0, key1, low, 0, 2, -1)
        return low
    order = np.flatnonzero(column_lows < limit)
    ranking = ranked(costs[order].astype(np.float64))

    cell_counts, touched, positions, bounds = split_arrays(n, codes)
    lows = np.empty(n, np.int64)
    state = np.empty(n, np.int64)
    split_rows = Cells(positions, bounds, lows, state)
    best = limit
    best_guess = -1
    for column in order[ranking]:
        if column_lows[column] >= best:
            continue
        cells, win = split(sub_table, column, cell_counts, touched, positions, bounds)
        if depth == 3 and most < bounds[cells] - bounds[cells - 1]:
            continue  # a cell left with two guesses must split perfectly
        total = cheap_passes(sub_basis, split_rows, cells, win, best, depth - 1, stamp, context)
        for p in range(cells):
            if state[p] == 3 or total >= best:
                continue
            cell = positions[bounds[p] : bounds[p + 1]]
            value = search(sub_basis, cell, best - (total - lows[p]), depth - 1, context)
            total = raised(lows, p, value, total)
        if total < best:
            best = total
            best_guess = np.int64(sub_gids[column])
            if best <= low:
                break
    if best_guess >= 0:
        store(keys, values, key0, key1, best, 1, 3, best_guess)
    else:
        store(keys, values, key0, key1, best, 0, 2, -1)
    return best
