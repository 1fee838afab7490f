"""Hard-mode branch and bound: like `search`, but every clue narrows the guesses allowed.

The guesses allowed are part of a node's identity, so they are part of its cache key,
and equal splits are not merged (the two guesses bind later ones differently).
"""

import numpy as np

from wordpl.scoring.kernels import ranked
from wordpl.scoring.noise_kernels import inner, kernel
from wordpl.wordle.trees.optimal.kernels import (
    first_perfect,
    most_cells,
    rebase,
    scan_counts,
    split,
    split_arrays,
)
from wordpl.wordle.trees.optimal.search import INFEASIBLE, member_value, raised, set_key
from wordpl.wordle.trees.optimal.table import EXACT, find, store

OUT_OF_WORK = -1


@inner
def allowed_after(letters, gids, guess, clue, out):
    """Mark the guesses that official hard mode allows after a clue.

    Green letters stay in place, and each letter marked green or yellow must be used at least as often as it was marked;
    gray letters bind nothing. With six guesses at most, this gives Selby's 8122 for SALET (8116 without a limit).
    """
    length = letters.shape[1]
    marks = np.empty(length, np.int64)
    need = np.zeros(256, np.int64)
    for p in range(length - 1, -1, -1):
        marks[p] = clue % 3
        clue //= 3
        if marks[p] > 0:
            need[letters[guess, p]] += 1
    for j in range(gids.size):
        word = letters[gids[j]]
        fits = 1
        for p in range(length):
            if marks[p] == 2 and word[p] != letters[guess, p]:
                fits = 0
                break
            if marks[p] > 0:
                have = 0
                for q in range(length):
                    if word[q] == letters[guess, p]:
                        have += 1
                if have < need[letters[guess, p]]:
                    fits = 0
                    break
        out[j] = fits


@kernel
def child_basis(table, gids, answers, rows, guess, context):
    """The basis of a cell after its clue: the columns still allowed, relabelled."""
    (_zobrist, _keys, _values, growth, codes), clues, place, letters, _work = context
    allowed = np.empty(gids.size, np.uint8)
    allowed_after(letters, gids, guess, np.int64(clues[answers[rows[0]], place[guess]]), allowed)
    return rebase(table, gids, answers, rows, allowed, growth, codes)


@kernel
def hard_key(gids, answers, rows, depth, zobrist, answer_count):
    """128-bit key of an answer set together with the guesses allowed."""
    key0, key1 = set_key(answers, rows, depth, zobrist)
    for j in range(gids.size):
        key0 ^= zobrist[answer_count + gids[j], 0]
        key1 ^= zobrist[answer_count + gids[j], 1]
    return key0, key1


@kernel
def hard_search(basis, limit, enough, depth, context):
    """Least total for a whole basis, whose columns are the guesses allowed, if below `limit`; else a lower bound.

    Any total up to `enough` is as good as the least. OUT_OF_WORK if `work` (clue codes relabelled) runs out first.
    """
    table, gids, answers, counts, costs, most = basis
    (zobrist, keys, values, _growth, codes), clues, _place, _letters, work = context
    n = answers.size
    rows = np.arange(n, dtype=np.int32)
    stamp = np.zeros(codes, np.int32)
    key0, key1 = hard_key(gids, answers, rows, depth, zobrist, clues.shape[0])
    slot = find(keys, key0, key1)
    if slot >= 0 and (values[slot, 1] & EXACT or values[slot, 0] >= limit):
        return np.int64(values[slot, 0])
    low, exact, at = member_value(table, rows, depth, stamp)
    if not exact and most == n:
        exact, at = True, first_perfect(counts, n)
    elif not exact:
        exact = depth == 2
        low = INFEASIBLE if exact else 3 * n - most_cells(counts, rows)
    if exact or low >= limit:
        store(keys, values, key0, key1, low, 1 if exact else 0, 0, np.int64(gids[at]))
        return np.int64(low)

    words = (most + 63) // 64
    wide = np.empty(counts.size, np.int16)
    cell_counts, touched, positions, bounds = split_arrays(n, codes)
    lows = np.empty(n, np.int64)
    done = np.empty(n, np.bool_)
    ranking = ranked(costs.astype(np.float64))
    best = limit
    best_guess = -1
    for column in ranking:
        if 3 * n - counts[column] - (1 if column < n else 0) >= best:
            continue
        cells, win = split(table, column, cell_counts, touched, positions, bounds)
        total = n
        for p in range(cells):
            size = bounds[p + 1] - bounds[p]
            lows[p] = 0 if p == win else 2 * size - 1
            done[p] = p == win
            total += lows[p]
        for level in range(1, 3):
            for q in range(cells):
                p = q if level == 1 else cells - 1 - q
                if done[p] or total >= best:
                    continue
                cell = positions[bounds[p] : bounds[p + 1]]
                value = lows[p]
                if level == 1:
                    value, exact, _ = member_value(table, cell, depth - 1, stamp)
                    done[p] = exact
                elif cell.size > 3 and scan_counts(table, cell, words, wide) < 0:
                    # The parent's columns are a superset of the cell's: a bound, no more.
                    value = 3 * cell.size - most_cells(wide, cell)
                total = raised(lows, p, value, total)
        for q in range(cells):
            p = cells - 1 - q if enough else q  # a large cell is refuted soonest, a small one is done with least work
            if done[p] or total >= best:
                continue
            cell = positions[bounds[p] : bounds[p + 1]]
            work[0] -= cell.size * gids.size
            if work[0] <= 0:
                return OUT_OF_WORK
            child = child_basis(table, gids, answers, cell, np.int64(gids[column]), context)
            value = hard_search(child, best - (total - lows[p]), enough, depth - 1, context)
            if value == OUT_OF_WORK:
                return OUT_OF_WORK
            total = raised(lows, p, value, total)
        if total < best:
            best = total
            best_guess = np.int64(gids[column])
            if best <= max(low, enough):
                break
    store(keys, values, key0, key1, best, 1 if best_guess >= 0 else 0, 0, best_guess)
    return np.int64(best)
