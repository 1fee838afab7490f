"""The numba kernels behind the entropies of clues to drawn answers, of which every guess has its own.

Answers are drawn in blocks, in `COLUMNS` columns of `BLOCKS` each. A guess has one block of each column, chosen for
itself. So its draws are independent, and two guesses share one in `BLOCKS` of them on average.
"""

import numpy as np

from wordpl.scoring.kernels import entropy_lanes
from wordpl.scoring.noise import LANES
from wordpl.scoring.noise_kernels import apply, inner, kernel, spare_for

COLUMNS, BLOCKS = 4, 32
_STEP = np.uint64(0x9E3779B97F4A7C15)


@inner
def _mix(z):
    """The output function of SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def _choice(guess, seed):
    """Random bits that choose the blocks of a guess, eight for each column."""
    return _mix(_mix(np.uint64(seed)) + np.uint64(guess) * _STEP)


@inner
def _block(choice, column):
    """The block of a column that these bits choose."""
    return column * BLOCKS + np.intp((choice >> np.uint64(8 * column)) % np.uint64(BLOCKS))


@inner
def _size(block, draws):
    """How many of the draws of a guess are in a block."""
    return draws // COLUMNS + (1 if block // BLOCKS < draws % COLUMNS else 0)


@inner
def _start(block, seed):
    """The state before the first draw of a block."""
    return _mix(np.uint64(seed) + np.uint64(block) * _STEP)


@inner
def _drawn(state, tables):
    """The answer that is drawn in this state, unsigned: numba checks whether a signed index counts from the end."""
    places, nearest = tables
    x = np.float64(_mix(state) >> np.uint64(11)) * 2.0**-53
    at = nearest[np.uint32(x * places.size)]
    while places[at] <= x:
        at += np.uint32(1)
    return at


@kernel
def fill_draws(hist, clues, guesses, tables, draws, seed):
    """Histogram of the clues of drawn answers: hist [codes * LANES], lane g for guesses[g]."""
    hist[:] = 0.0
    unit = 1.0 / draws
    for lane in range(guesses.size):
        row, choice = clues[guesses[lane]], _choice(guesses[lane], seed)
        for column in range(COLUMNS):
            block = _block(choice, column)
            state = _start(block, seed)
            for _ in range(_size(block, draws)):
                state += _STEP
                hist[np.intp(row[_drawn(state, tables)]) * LANES + lane] += unit


@kernel
def score_drawn(clues, guesses, tables, draws, seed, noise, floor, codes, out):
    """Entropies of the noisy clues to drawn answers, `floor` added to the probability of each clue: out [guesses]."""
    hist, scratch, spare = np.empty(codes * LANES), np.empty((2, codes * LANES)), spare_for(noise, codes)
    for start in range(0, guesses.size, LANES):
        fill_draws(hist, clues, guesses[start : start + LANES], tables, draws, seed)
        noisy = apply(hist, spare, noise, False)
        for j in range(noisy.size):
            noisy[j] += floor
        entropy_lanes(noisy, scratch, out[start : start + LANES])


@kernel
def count_marks(spots, starts, cells, tables, draws, seed, counts):
    """Number of draws of each block for which each kind of mark is present and correct: counts [blocks, 2 kinds].

    The arrays are those of `MarkKinds`: spots [answers, length], and for each of them cells of a row of `counts`.
    """
    counts[:] = 0
    found, met = np.zeros(starts.size - 1, np.int32), np.empty(starts.size, np.uint32)
    for block in range(counts.shape[0]):
        own, state, n = counts[block], _start(block, seed), np.uint64(0)
        for _ in range(_size(block, draws)):
            state += _STEP
            letters = spots[_drawn(state, tables)]
            for place in range(letters.size):
                spot = letters[place]
                met[n] = spot
                n += np.uint64(found[spot] == 0)  # without a branch, which nobody could foresee
                found[spot] += 1
        for k in range(n):
            spot = met[k]
            more = found[spot]
            found[spot] = 0
            for at in range(starts[spot], starts[spot + 1]):
                own[cells[at]] += more


@kernel
def bound_drawn(kinds, guesses, counts, draws, seed, added, out):
    """Sums of the entropies of the noisy marks to drawn answers: out [guesses].

    kinds [length, all guesses] are those of `MarkKinds`, counts those of `count_marks`; added [shares] is for equal
    steps of the share of draws that have a mark what this mark adds, at most.
    """
    scale = (added.size - 1) / draws
    for i in range(guesses.size):
        choice, total = _choice(guesses[i], seed), 0.0
        for place in range(kinds.shape[0]):
            present, correct, cell = 0, 0, np.uint64(2 * kinds[place, guesses[i]])
            for column in range(COLUMNS):
                own = counts[_block(choice, column)]
                present += np.intp(own[cell])
                correct += np.intp(own[cell + np.uint64(1)])
            for number in (draws - present - correct, present, correct):
                total += added[np.uint32(scale * number)]
        out[i] = total
