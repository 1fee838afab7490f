"""The numba kernels behind `wordpl.scoring.possible_answers`.

A position is two arrays: the clues of the possible answers, [guesses, possible], and the place of each guess among
these, -1 if it is not one. A set of noisy clues is a row of bits.
"""

from __future__ import annotations

import numpy as np

from wordpl.scoring.kernels import LANES, kernel


@kernel
def score_counts(clues, place, guesses, codes, lies, values, out):
    """For each guess, 1 if it is possible, plus the sum over noisy clues of values[answers left]: out [guesses]."""
    counts, total = np.empty((lies + 1, codes * LANES), np.float32), np.empty(LANES)
    for start in range(0, guesses.size, LANES):
        lanes = min(LANES, guesses.size - start)
        counts[:] = 0.0
        for lane in range(lanes):
            row = clues[guesses[start + lane]]
            for k in range(clues.shape[1]):
                counts[0, np.intp(row[k]) * LANES + lane] += 1.0
            own = place[guesses[start + lane]]
            if own >= 0:  # the right guess has no clue
                counts[0, np.intp(row[own]) * LANES + lane] -= 1.0
        count_lies(counts, lies)
        total[:] = 0.0
        for code in range(codes):
            for lane in range(LANES):
                total[lane] += values[np.intp(counts[lies, code * LANES + lane])]
        for lane in range(lanes):
            out[start + lane] = total[lane] + (1.0 if place[guesses[start + lane]] >= 0 else 0.0)


@kernel
def count_lies(counts, lies):
    """Turn counts[0] by true clue into counts[lies] by noisy clue, in place: [lies + 1, codes * LANES]."""
    stride = LANES
    while stride < counts.shape[1]:
        for start in range(0, counts.shape[1], 3 * stride):
            # One mark more is told; of the answers in row k - 1 it is a lie for those with another mark.
            for k in range(lies, 0, -1):
                a = counts[k, start : start + stride]
                b = counts[k, start + stride : start + 2 * stride]
                c = counts[k, start + 2 * stride : start + 3 * stride]
                x = counts[k - 1, start : start + stride]
                y = counts[k - 1, start + stride : start + 2 * stride]
                z = counts[k - 1, start + 2 * stride : start + 3 * stride]
                for j in range(stride):
                    p, q, r = x[j], y[j], z[j]
                    a[j] += q + r
                    b[j] += p + r
                    c[j] += p + q
        stride *= 3


@kernel
def best_of_two_after(clues, place, guess, reached, noisy_clues, first, out):
    """Expected wins by two more guesses after each noisy clue to `guess`, from code `first` on: out [codes]."""
    row, own = clues[guess], place[guess]
    left, inside = np.empty(clues.shape[1], np.int64), np.zeros(clues.shape[1], np.bool_)
    for i in range(out.size):
        word, bit = np.intp((first + i) >> 6), np.uint64((first + i) & 63)
        n = 0
        for k in range(clues.shape[1]):
            inside[k] = k != own and (reached[np.intp(row[k]), word] >> bit) & np.uint64(1) != 0
            if inside[k]:
                left[n] = k
                n += 1
        out[i] = best_of_two(clues, place, left[:n], inside, reached, noisy_clues)


@kernel
def best_of_two(clues, place, left, inside, reached, noisy_clues):
    """Expected wins by the best two guesses: 1 if the first is possible, plus a share for each noisy clue it can get.

    `left` are the places of the answers that are left, those with `inside`.
    """
    if left.size <= 2:
        return np.float64(left.size)
    # A guess can do no better than to be possible, and to share no noisy clue between two answers.
    codes = reached.shape[0]
    cap = min(np.float64(left.size), 1.0 + min(codes, (left.size - 1) * noisy_clues) / noisy_clues)
    union = np.empty(reached.shape[1], np.uint64)
    best = 0.0
    for guess in range(place.size):
        own = place[guess]
        if own >= 0 and not inside[own]:
            own = -1
        union[:] = np.uint64(0)
        row = clues[guess]
        for k in range(left.size):
            if left[k] != own:
                code = np.intp(row[left[k]])
                for word in range(union.size):
                    union[word] |= reached[code, word]
        count = 0
        for word in range(union.size):
            count += count_bits(union[word])
        value = count / noisy_clues + (1.0 if own >= 0 else 0.0)
        if value > best:
            best = value
            if best >= cap - 1e-9:
                break
    return best


@kernel
def count_bits(word):
    """How many bits of a uint64 are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
