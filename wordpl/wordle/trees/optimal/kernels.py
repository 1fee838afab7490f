"""Inner loops over a basis: a small clue table [answers, columns].

A basis holds the answers of one node and the guesses worth considering below it.
Column i < rows is the guess that is answer i itself, so membership needs no lookup.
"""

import numpy as np

from wordpl.scoring.kernels import popcount
from wordpl.scoring.noise_kernels import inner, kernel

BLOCK = 512  # columns handled together, so that their bit sets stay in the first-level cache


@kernel
def scan_counts(table, rows, words, out):
    """Number of cells each column splits `rows` into; stops early at a perfect split.

    Every column keeps a bit set of the labels seen, `words` uint64 wide; the inner loops run along columns so that the
    compiler turns them into vector code. Returns the first column with as many cells as rows, or -1.
    """
    columns = table.shape[1]
    one = np.uint64(1)
    low = np.uint64(63)
    seen = np.empty((words, BLOCK), np.uint64)
    for start in range(0, columns, BLOCK):
        width = min(BLOCK, columns - start)
        seen[:, :width] = np.uint64(0)
        for i in range(rows.size):
            row = table[rows[i], start : start + width]
            if words == 1:
                first = seen[0]
                for j in range(width):
                    first[j] |= one << np.uint64(row[j])
            else:
                for q in range(words):
                    bits = seen[q]
                    base = np.uint64(64 * q)
                    for j in range(width):
                        label = np.uint64(row[j]) - base
                        bits[j] |= (one << (label & low)) if label <= low else np.uint64(0)
        best = 0
        for j in range(width):
            count = popcount(seen[0, j])
            for q in range(1, words):
                count += popcount(seen[q, j])
            out[start + j] = count
            best = max(best, np.int64(count))
        if best == rows.size:
            for j in range(width):
                if out[start + j] == best:
                    return start + j
    return -1


@kernel
def best_member(table, rows, stamp):
    """(most cells, its position) over the guesses in the set. `stamp`, by label, is all zero before and after."""
    best = 0
    best_at = 0
    for j in range(rows.size):
        column = rows[j]
        count = 0
        for i in range(rows.size):
            label = table[rows[i], column]
            if stamp[label] == 0:
                stamp[label] = 1
                count += 1
        for i in range(rows.size):
            stamp[table[rows[i], column]] = 0
        if count > best:
            best = count
            best_at = j
            if count == rows.size:
                break
    return best, best_at


@inner
def first_perfect(counts, n):
    """The first column with `n` cells, or -1."""
    for j in range(counts.size):
        if counts[j] == n:
            return j
    return -1


@kernel
def most_cells(counts, rows):
    """Most cells of any column, one more for a column that is a row itself, as that guess may be right."""
    return max(np.int64(counts.max()), np.int64(counts[rows].max()) + 1)


@kernel
def split_arrays(n, codes):
    """Make the arrays that `split` fills for up to `n` rows: its arguments from `counts` on."""
    return np.zeros(codes, np.int32), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.int32)


@kernel
def split(table, column, counts, touched, order, bounds):
    """Cells of all rows under a column, smallest first.

    Fills order (rows) and bounds (cells + 1 offsets); returns the cell count and the cell that is the guess itself (-1
    if none). `counts` is all-zero scratch indexed by label, and is left all zero.
    """
    n = table.shape[0]
    cells = 0
    for i in range(n):
        label = table[i, column]
        if counts[label] == 0:
            touched[cells] = label
            cells += 1
        counts[label] += 1
    for i in range(1, cells):  # insertion sort by size; nearly all are tiny
        label = touched[i]
        size = counts[label]
        j = i - 1
        while j >= 0 and counts[touched[j]] > size:
            touched[j + 1] = touched[j]
            j -= 1
        touched[j + 1] = label
    at = 0
    for p in range(cells):
        bounds[p] = at
        at += counts[touched[p]]
        counts[touched[p]] = bounds[p]
    bounds[cells] = n
    for i in range(n):
        label = table[i, column]
        order[counts[label]] = i
        counts[label] += 1
    win = -1
    for p in range(cells):
        counts[touched[p]] = 0
        if order[bounds[p]] == column:
            win = p
    return cells, win


@kernel
def rebase(table, gids, answers, rows, allowed, growth, codes):
    """The basis of `rows` alone: columns that differ on them, relabelled compactly.

    Two guesses that split a set alike split every subset alike, so one is enough; a guess that does not split it at all
    is never useful below. Labels are numbered in order of appearance; columns are compared through a 128-bit hash of
    the labels. Columns of the set's own answers are all kept, in order. Hard mode passes the columns still `allowed`,
    and there equal splits are not merged, as they bind later guesses otherwise. Easy mode passes none.

    `growth[s]` is the rise in estimated cost of a cell growing from s to s + 1.
    Returns table, gids, answers, cell counts and cost estimates, and the most cells.
    """
    n = rows.size
    columns = table.shape[1]
    new = np.empty((n, columns), table.dtype)
    new_gids = np.empty(columns, np.int32)
    counts = np.empty(columns, np.int16)
    costs = np.empty(columns, np.float32)
    new_answers = np.empty(n, np.int32)
    log2 = 4
    while (1 << log2) < 2 * columns:
        log2 += 1
    slots = np.zeros(1 << log2, np.int32)  # one more than the column that is there, or 0
    hashes = np.empty((columns, 2), np.uint64)
    slot_mask = np.uint64((1 << log2) - 1)
    mark = np.zeros(codes, np.int32)  # one more than the last turn that had the code
    label_of = np.zeros(codes, np.int32)
    sizes = np.zeros(n, np.int32)
    labels = np.empty(n, np.int32)
    kept = 0
    most = 0
    merge = allowed.size == 0
    is_row = np.zeros(table.shape[0], np.bool_)
    for i in range(n):
        is_row[rows[i]] = True
        new_answers[i] = answers[rows[i]]
    for turn in range(columns + n):
        if turn < n:
            column = np.int64(rows[turn])
        else:
            column = np.int64(turn - n)
            if (not merge and allowed[column] == 0) or (column < table.shape[0] and is_row[column]):
                continue
        cells = 0
        cost = np.float32(0.0)
        hash0 = np.uint64(0x9E3779B97F4A7C15)
        hash1 = np.uint64(0xD1B54A32D192ED03)
        for i in range(n):
            code = np.int64(table[rows[i], column])
            if mark[code] != turn + 1:
                mark[code] = turn + 1
                label_of[code] = cells
                sizes[cells] = 0
                cells += 1
            label = label_of[code]
            labels[i] = label
            cost += growth[sizes[label]]
            sizes[label] += 1
            hash0 = (hash0 ^ np.uint64(label)) * np.uint64(0xBF58476D1CE4E5B9)
            hash0 ^= hash0 >> np.uint64(29)
            hash1 = (hash1 + np.uint64(label)) * np.uint64(0x94D049BB133111EB)
            hash1 ^= hash1 >> np.uint64(31)
        if cells == 1 and turn >= n:
            continue
        slot = hash0 & slot_mask
        found = False
        while merge and slots[np.int64(slot)] > 0:
            other = slots[np.int64(slot)] - 1
            if hashes[other, 0] == hash0 and hashes[other, 1] == hash1:
                found = True
                break
            slot = (slot + np.uint64(1)) & slot_mask
        if found and turn >= n:
            continue
        if not found:
            slots[np.int64(slot)] = kept + 1
        hashes[kept, 0] = hash0
        hashes[kept, 1] = hash1
        for i in range(n):
            new[i, kept] = labels[i]
        new_gids[kept] = gids[column]
        counts[kept] = cells
        costs[kept] = cost - (1.0 if turn < n else 0.0)
        most = max(most, cells)
        kept += 1
    return (new[:, :kept].copy(), new_gids[:kept].copy(), new_answers, counts[:kept].copy(), costs[:kept].copy(), most)
