"""Feasibility: can a set of answers always be finished within a number of guesses?

Besides the searches' ideas this uses families: answers that agree outside one or two
letter places (like _IGHT) are the hard cores of a set, and few guesses tell their
members apart, so refuting a core is far cheaper than refuting the whole set.
"""

import numpy as np

from wordpl.scoring.kernels import ranked
from wordpl.scoring.noise_kernels import inner, kernel
from wordpl.wordle.trees.optimal.kernels import (
    best_member,
    first_perfect,
    rebase,
    scan_counts,
    split,
    split_arrays,
)
from wordpl.wordle.trees.optimal.search import MAX_SCAN_WORDS, set_key
from wordpl.wordle.trees.optimal.table import find, store

NO, YES, UNKNOWN = 0, 1, 2


@kernel
def largest_families(families, answers, rows, smallest, out):
    """Masks of the largest families inside a set: for each wildcard pattern the largest one.

    `families[answer, pattern]` numbers the family of an answer. Fills `out` with (pattern, family) pairs of families
    that are smaller than the set itself and at least `smallest`, smallest first; returns their number.
    """
    n = rows.size
    found = 0
    sizes = np.empty(families.shape[1])
    members = np.zeros(families.shape[0], np.int32)
    for pattern in range(families.shape[1]):
        best = 0
        best_id = families.shape[0]
        for i in range(n):
            family = families[answers[rows[i]], pattern]
            members[family] += 1
            if members[family] > best:
                best = np.int64(members[family])
        for i in range(n):
            family = families[answers[rows[i]], pattern]
            if members[family] == best:
                best_id = min(best_id, np.int64(family))
            members[family] = 0
        if smallest <= best < n:
            sizes[found] = best
            out[found, 0] = pattern
            out[found, 1] = best_id
            found += 1
    out[:found] = out[ranked(sizes[:found])]
    return found


@inner
def holds_core(answers, rows, depth, cores, core_sizes, core_links):
    """Return whether a set contains a core, chained by its first answer: answers that cannot be done in `depth`."""
    if depth >= cores.shape[0]:
        return False
    limit = core_sizes.shape[1]
    inside = np.zeros(core_links.shape[1] - limit, np.bool_)
    for i in range(rows.size):
        inside[answers[rows[i]]] = True
    for i in range(rows.size):
        c = core_links[depth, limit + answers[rows[i]]]
        while c > 0:
            size = core_sizes[depth, c]
            j = 0
            while j < size and inside[cores[depth, c, j]]:
                j += 1
            if j == size:
                return True
            c = core_links[depth, c]
    return False


@kernel
def add_core(answers, rows, depth, cores, core_sizes, core_links):
    """Remember a set that cannot be done in `depth`, if it is small enough to be of use.

    `core_links[depth]` holds the next core of each core, the number of cores (at 0, as
    numbering starts at 1) and, from the core limit on, the first core of each answer.
    """
    limit = core_sizes.shape[1]
    if depth >= cores.shape[0]:
        return
    at = core_links[depth, 0] + 1
    if rows.size > cores.shape[2] or at == limit:
        return
    for i in range(rows.size):
        cores[depth, at, i] = answers[rows[i]]
    core_sizes[depth, at] = rows.size
    core_links[depth, 0] = at
    first = limit + answers[rows[0]]
    core_links[depth, at] = core_links[depth, first]
    core_links[depth, first] = at


@inner
def keep(keys, values, key0, key1, verdict, guess):
    """Store a verdict with the guess that it is by, if any (else -1), and return it."""
    store(keys, values, key0, key1, verdict, 1, 0, guess)
    return verdict


@kernel
def quick_depth(basis, rows, depth, stamp, context):
    """Cheap verdict on a set: NO, YES or UNKNOWN."""
    table, gids, answers, words = basis
    (zobrist, keys, values, _growth, codes), _families, cores, core_sizes, core_links, work = context
    n = rows.size
    if n <= depth:
        return YES
    if depth == 1:
        return NO
    key0, key1 = set_key(answers, rows, depth, zobrist)
    slot = find(keys, key0, key1)
    if slot >= 0:
        return np.int64(values[slot, 0])
    if depth > 2 and holds_core(answers, rows, depth, cores, core_sizes, core_links):
        return keep(keys, values, key0, key1, NO, -1)
    if n > codes:
        return UNKNOWN
    most, at = best_member(table, rows, stamp)
    if most == n or (most == n - 1 and depth > 2):
        return keep(keys, values, key0, key1, YES, np.int64(gids[rows[at]]))
    if depth == 2 and words <= MAX_SCAN_WORDS:
        counts = np.empty(table.shape[1], np.int16)
        perfect = scan_counts(table, rows, words, counts)
        work[0] -= n * table.shape[1] // 32  # vector code: far cheaper a code
        verdict = YES if perfect >= 0 else NO
        return keep(keys, values, key0, key1, verdict, np.int64(gids[perfect]) if perfect >= 0 else -1)
    return UNKNOWN


@kernel
def within(basis, rows, depth, learn, context):
    """Return whether `rows` can always be finished within `depth` guesses (easy mode): NO or YES.

    UNKNOWN if `work` (clue codes relabelled) runs out first. `learn` is an integer, as
    numba cannot reload a cached self-recursive function that passes literal bools.
    """
    table, gids, answers, _words = basis
    (zobrist, keys, values, growth, codes), families, cores, core_sizes, core_links, work = context
    n = rows.size
    stamp = np.zeros(codes, np.int32)
    verdict = quick_depth(basis, rows, depth, stamp, context)
    if verdict != UNKNOWN:
        return verdict
    key0, key1 = set_key(answers, rows, depth, zobrist)
    if depth > 2:
        picks = np.empty((families.shape[1], 2), np.int32)
        found = largest_families(families, answers, rows, 3 * depth - 2, picks)
        for f in range(found):
            core = rows[families[:, picks[f, 0]][answers[rows]] == picks[f, 1]]
            if within(basis, core, depth, learn, context) == NO:
                return keep(keys, values, key0, key1, NO, -1)
    work[0] -= n * table.shape[1]
    if work[0] <= 0:
        return UNKNOWN
    sub_table, sub_gids, sub_answers, counts, costs, most = rebase(
        table, gids, answers, rows, np.empty(0, np.uint8), growth, codes
    )
    sub_basis = sub_table, sub_gids, sub_answers, (most + 63) // 64
    if most == n or depth == 2:
        perfect = first_perfect(counts, n)
        verdict = YES if perfect >= 0 else NO
        return keep(keys, values, key0, key1, verdict, np.int64(sub_gids[perfect]) if perfect >= 0 else -1)

    cell_counts, touched, positions, bounds = split_arrays(n, codes)
    sure = np.empty(n, np.bool_)
    ranking = ranked(costs.astype(np.float64))
    for column in ranking:
        if work[0] <= 0:
            return UNKNOWN
        work[0] -= n
        cells, _win = split(sub_table, column, cell_counts, touched, positions, bounds)
        if depth == 3 and bounds[cells] - bounds[cells - 1] > most:
            continue
        verdict = YES
        first = 0
        while first < cells and bounds[first + 1] - bounds[first] < depth:
            first += 1
        for p in range(first, cells):
            cell = positions[bounds[p] : bounds[p + 1]]
            quickly = quick_depth(sub_basis, cell, depth - 1, stamp, context)
            sure[p] = quickly == YES
            if quickly == NO:
                verdict = NO
                break
        for q in range(first, cells):
            p = cells - 1 - (q - first)
            if verdict == NO:
                break
            if not sure[p]:
                cell = positions[bounds[p] : bounds[p + 1]]
                slowly = within(sub_basis, cell, depth - 1, learn, context)
                if slowly != YES:
                    verdict = slowly
        if verdict == UNKNOWN:
            return UNKNOWN
        if verdict == YES:
            return keep(keys, values, key0, key1, YES, np.int64(sub_gids[column]))
    store(keys, values, key0, key1, NO, 1, 0, -1)
    if learn > 0:
        core = rows
        at = 0
        while depth == 3 and core.size <= cores.shape[2] and at < core.size:
            less = np.delete(core, at)
            if within(basis, less, depth, learn - 1, context) != NO:
                at += 1
            else:
                core = less
        add_core(answers, core, depth, cores, core_sizes, core_links)
    return NO
