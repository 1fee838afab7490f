"""The numba kernels behind the best guess for a last clue, and for the last two where answers are counted.

The score of a guess is the sum over noisy clues of the largest joint weight. Two upper bounds leave few guesses to be
scored. Two answers whose clues differ in d marks compete only for the noisy clues that tell them apart. Adding answer i
to a set that holds answer j raises the sum by at most

    hinge(w_i, w_j, d) = sum over noisy clues c of max(w_i P(c | x_i) - w_j P(c | x_j), 0),

so with the answers by falling weight, score <= w_0 + sum over i > 0 of min over j < i of hinge(w_i, w_j, d_ij).
Sums for fewer marks are sums of merged clues, so hinge grows with d. Where many answers compete, this bound is slow and
loose. Then the heaviest answers are filled in, sixteen guesses side by side and in single precision, and every clue
counts as if the heaviest of the others had it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordpl.scoring.kernels import count_bits, popcount
from wordpl.scoring.noise_kernels import inner, kernel

LANES, _BLOCK, _MARKS = 16, 512, 6


class ClueTables(NamedTuple):
    """The true clues of a word list."""

    packed: NDArray[np.uint16]
    """Two bits a mark: [answers, guesses]."""
    code_of: NDArray[np.uint16]
    """Code of a packed clue: [4**length]."""
    length: int
    codes: int


class Weighted(NamedTuple):
    """Answers with their weights."""

    support: NDArray[np.int64]
    """Indices of answers: [n]."""
    weights: NDArray[Any]
    """[n]"""


@inner
def hinge(w_i, w_j, apart, keeps, flips):
    """Sum over noisy clues of max(w_i P(c|x) - w_j P(c|y), 0), for true clues x, y that differ in `apart` marks.

    keeps, flips [length + 1] are the powers of P(a mark is kept) and P(it becomes one given other mark).
    """
    total, ways = 0.0, 1.0
    for own in range(apart + 1):  # differing marks that come as x has them
        rest = ways
        for other in range(apart + 1 - own):  # as y has them; the remaining ones as neither has
            gain = w_i * keeps[own] * flips[other] - w_j * keeps[other] * flips[own]
            total += rest * max(gain * flips[apart - own - other], 0.0)
            rest *= (apart - own - other) / (other + 1)
        ways *= (apart - own) / (own + 1)
    return total


@kernel
def bound_by_pairs(tables, answers, powers, rivals, out):
    """Upper bounds of what the other answers add to the heaviest one: out [guesses].

    `tables` are `ClueTables`, `answers` are `Weighted`, the heaviest first; powers [2, length + 1] are as in `hinge`.
    Each answer is looked at beside the `rivals` heaviest before it; more of them is slower and tighter.
    """
    packed, length = tables.packed, tables.length
    support, weights = answers
    # Rounded up to small integers, for a step looks at twice as many of them as of floats.
    gains = np.zeros((support.size, rivals, _MARKS + 1), np.uint16)
    unit = weights[min(1, support.size - 1)] / 65_000 + 1e-300
    for i in range(1, support.size):
        for j in range(min(i, rivals)):
            for d in range(1, length + 1):
                gains[i, j, d] = np.uint16(math.ceil(hinge(weights[i], weights[j], d, powers[0], powers[1]) / unit))
    least = np.empty(_BLOCK, np.uint16)
    for at in range(0, out.size, _BLOCK):
        part = out[at : at + _BLOCK]
        part[:] = 0.0
        for i in range(1, support.size):
            # Slices, for an index that is plainly not negative is what lets these loops run in vectors.
            own = packed[support[i], at : at + _BLOCK]
            least[:] = 65_535
            for j in range(min(i, rivals)):
                _at_most(least, own, packed[support[j], at : at + _BLOCK], gains[i, j])
            for k in range(part.size):
                part[k] += np.float32(least[k])
        for k in range(part.size):
            part[k] *= np.float32(unit)


@inner
def _at_most(least, own, rival, gain):
    """Lower `least` to the gain of each guess, by the number of marks in which two packed clues differ."""
    one, two, three, four, five, six = gain[1], gain[2], gain[3], gain[4], gain[5], gain[6]
    for k in range(own.size):
        apart = np.uint16(own[k] ^ rival[k])
        marks = popcount(np.uint16((apart | apart >> 1) & 0x5555))
        # A chain, which runs in vectors; a look-up in `gain` would not.
        value = one if marks >= 1 else np.uint16(0)
        if marks >= 2:
            value = two
        if marks >= 3:
            value = three
        if marks >= 4:
            value = four
        if marks >= 5:
            value = five
        if marks >= 6:
            value = six
        least[k] = min(least[k], value)


@inner
def sum_tops(hist, marks):
    """Put scores into hist[:LANES], from the largest weights of the true clues in hist [codes * LANES]."""
    keep, flip = marks
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            a = hist[start : start + stride]
            b = hist[start + stride : start + 2 * stride]
            c = hist[start + 2 * stride : start + 3 * stride]
            for j in range(stride):
                x, y, z = a[j], b[j], c[j]
                flipped = flip * max(x, max(y, z))  # no more than the kept one where that is the largest
                a[j] = max(keep * x, flipped)
                b[j] = max(keep * y, flipped)
                c[j] = max(keep * z, flipped)
        stride *= 3
    # By thirds, as a sum of one group after the other would wait for each.
    while stride > LANES:
        stride //= 3
        a, b, c = hist[:stride], hist[stride : 2 * stride], hist[2 * stride : 3 * stride]
        for j in range(stride):
            a[j] += b[j] + c[j]


@kernel
def bound_by_heaviest(tables, guesses, answers, others, marks, out):
    """Upper bounds of the scores of guesses, in rising order, to single precision: out [guesses].

    `answers` count as they are, and every clue as if an answer of the weight `others` had it, too. `marks` are those of
    `SymmetricMarks`. The rest is as in `bound_by_pairs`.
    """
    packed, code_of = tables.packed, tables.code_of
    support, weights = answers
    hist = np.empty(tables.codes * LANES, np.float32)
    # Of many guesses at once, for the clues of an answer lie together, and far from those of the next one.
    places = np.empty((_BLOCK // LANES, support.size, LANES), np.uint16)
    for begun in range(0, out.size, _BLOCK):
        some = guesses[begun : begun + _BLOCK]
        for k in range(support.size):
            own = packed[support[k]]
            for at in range(some.size):
                lane = at % LANES
                places[at // LANES, k, lane] = code_of[own[some[at]]] * LANES + lane
        for start in range(0, some.size, LANES):
            part = out[begun + start : begun + min(start + LANES, some.size)]
            hist[:] = others
            # From the lightest up, so that the heaviest of a clue is the one that stays.
            for k in range(support.size - 1, -1, -1):
                of_lanes, weight = places[start // LANES, k], weights[k]
                for lane in range(part.size):
                    hist[of_lanes[lane]] = weight
            sum_tops(hist, marks)
            for lane in range(part.size):
                part[lane] = hist[lane]


@kernel
def score_two_levels(clues, likely, codes, support, gains, tie, out):
    """Gains of the guesses within `tie` of the best: out [guesses]. For the others it is below those of these.

    likely [codes, n] has the noisy clues that each true clue makes likely, as the bits of uint64. Each noisy clue
    counts with the gain of the heaviest answer that makes it likely; `gains` [support] fall.
    """
    best, union = 0.0, np.empty(likely.shape[1], np.uint64)
    for guess in range(out.size):
        row, total, seen, at = clues[guess], 0.0, 0, 0
        union[:] = 0
        while at < support.size and total + (codes - seen) * gains[at] >= best - tie:
            # Answers of one weight, of which there are many, are counted at once.
            gain = gains[at]
            while at < support.size and gains[at] == gain:
                own = likely[row[support[at]]]
                for k in range(union.size):
                    union[k] |= own[k]
                at += 1
            now = np.intp(count_bits(union))
            total += (now - seen) * gain
            seen = now
        out[guess] = total
        best = max(best, total)


@kernel
def best_of_two_after(clues, codes, place, guess, reached, noisy_clues, out):
    """Expected wins by two more guesses after each noisy clue to `guess`: out [codes].

    reached [codes, n] has the noisy clues to each true clue, `noisy_clues` of them, as the bits of uint64; place
    [guesses] is that of a guess among the answers, or -1.
    """
    row, own = clues[guess], place[guess]
    left, inside = np.empty(clues.shape[1], np.int64), np.zeros(clues.shape[1], np.bool_)
    for i in range(out.size):
        word, bit = np.intp(codes[i] >> 6), np.uint64(codes[i] & 63)
        n = 0
        for k in range(clues.shape[1]):
            inside[k] = k != own and (reached[np.intp(row[k]), word] >> bit) & np.uint64(1) != 0
            if inside[k]:
                left[n] = k
                n += 1
        out[i] = _best_of_two(clues, place, left[:n], inside, reached, noisy_clues)


@inner
def _best_of_two(clues, place, left, inside, reached, noisy_clues):
    """Expected wins by the best two guesses: 1 if the first is possible, plus a share for each noisy clue it can get.

    `left` are the places of the answers that are left, those with `inside`.
    """
    if left.size <= 2:
        return float(left.size)
    # A guess can do no better than to be possible, and to share no noisy clue between two answers.
    codes = reached.shape[0]
    cap = min(float(left.size), 1.0 + min(codes, (left.size - 1) * noisy_clues) / noisy_clues)
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
        value = count_bits(union) / noisy_clues + (1.0 if own >= 0 else 0.0)
        if value > best:
            best = value
            if best >= cap - 1e-9:
                break
    return best
