"""The numba kernels that take clues through a channel.

Eight histograms over clue codes lie side by side, [codes * LANES]. A channel that treats each mark alone is a Kronecker
power of a 3x3 matrix and is applied as `length` passes of that matrix, never multiplied out. So is a distance channel,
with polynomials in "false" as the entries of the matrix. Any other comes as a sparse matrix.

No kernel assigns an array to a slice: numba would also compile the error about a wrong shape, which takes longer than
all the rest.
"""

import numpy as np

from wordpl.base.kernels import kernel as make_kernel
from wordpl.scoring.noise import GENERAL, LANES, LEVELS, PER_MARK

# error_model: Python's check for division by zero would keep the loops from vectorising.
kernel = make_kernel(nogil=True, error_model="numpy")
# Numba compiles such a function within each caller and not on its own: for one with a single caller, or a tiny one.
inner = make_kernel(nogil=True, error_model="numpy", inline="always")


@inner
def spare_for(noise, codes):
    """Working memory of `apply`: [distances, codes * LANES]."""
    return np.empty((max(noise.data.size - 1, 1) if noise.kind == LEVELS else 1, codes * LANES))


@kernel
def apply(hist, spare, noise, largest):
    """P(noisy clue) of each lane from P(true clue): the array that holds it, `hist` or a row of `spare`.

    With `largest`, (max, x) is in place of (+, x): the largest joint weight of each noisy clue.
    """
    if noise.right_ends:
        hist[hist.size - LANES :] = 0.0
    if noise.kind == PER_MARK:
        _apply_marks(hist, noise.marks, largest)
    elif noise.kind == LEVELS:
        return _apply_levels(hist, spare, noise, largest)
    elif noise.kind == GENERAL:
        noisy = spare[0]
        noisy[:] = 0.0
        for row in range(noise.indptr.size - 1):
            for at in range(noise.indptr[row], noise.indptr[row + 1]):
                for lane in range(LANES):
                    before, joint = noisy[row * LANES + lane], noise.data[at] * hist[noise.indices[at] * LANES + lane]
                    noisy[row * LANES + lane] = max(before, joint) if largest else before + joint
        return noisy
    return hist


@inner
def _apply_marks(hist, m, largest):
    """Multiply each of the `length` axes by `m` [3, 3], in place."""
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            a = hist[start : start + stride]
            b = hist[start + stride : start + 2 * stride]
            c = hist[start + 2 * stride : start + 3 * stride]
            if largest:
                for j in range(stride):
                    x, y, z = a[j], b[j], c[j]
                    a[j] = max(m[0, 0] * x, max(m[0, 1] * y, m[0, 2] * z))
                    b[j] = max(m[1, 0] * x, max(m[1, 1] * y, m[1, 2] * z))
                    c[j] = max(m[2, 0] * x, max(m[2, 1] * y, m[2, 2] * z))
            else:
                for j in range(stride):
                    x, y, z = a[j], b[j], c[j]
                    a[j] = m[0, 0] * x + m[0, 1] * y + m[0, 2] * z
                    b[j] = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z
                    c[j] = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z
        stride *= 3


@inner
def _apply_levels(hist, spare, noise, largest):
    """A distance channel: each distance with its level, and what is farther away all together, with the floor."""
    farthest = noise.data.size - 1
    everything = np.zeros(LANES)
    if noise.floor > 0.0:
        for start in range(0, hist.size, LANES):
            for lane in range(LANES):
                weight = hist[start + lane]
                everything[lane] = max(everything[lane], weight) if largest else everything[lane] + weight
        for lane in range(LANES):
            everything[lane] *= noise.floor
    # Of a sum the floor is taken out of each level; a maximum is none the larger for it.
    below = 0.0 if largest else noise.floor
    if farthest > 0:
        _sum_distances(hist, spare, farthest, noise.nearest, largest)
    noisy = spare[farthest - 1] if farthest > 0 else hist
    level = noise.data[farthest] - below
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            joint = level * noisy[start + lane]
            noisy[start + lane] = max(joint, everything[lane]) if largest else joint + everything[lane]
    for distance in range(noise.nearest, farthest):
        nearer = hist if distance == 0 else spare[distance - 1]
        level = noise.data[distance] - below
        if largest:
            for j in range(hist.size):
                noisy[j] = max(noisy[j], level * nearer[j])
        else:
            for j in range(hist.size):
                noisy[j] += level * nearer[j]
    return noisy


@inner
def _sum_distances(hist, noisy, farthest, nearest, largest):
    """Sum over the clues that differ in 1, 2, .. marks: noisy [farthest, codes * LANES], complete from `nearest` on.

    A pass adds the false marks of one axis: to its sum for so many, a clue adds the sums of the two others on the axis
    for one less. Only what later passes need is computed.
    """
    length, size = 0, LANES
    while size < hist.size:
        length, size = length + 1, 3 * size
    noisy[:] = 0.0
    stride = LANES
    for done in range(1, length + 1):
        for false in range(min(done, farthest), max(nearest - length + done, 1) - 1, -1):
            fewer, more = hist if false == 1 else noisy[false - 2], noisy[false - 1]
            _add_false(fewer, more, stride, largest)
        stride *= 3


@inner
def _add_false(fewer, more, stride, largest):
    """Add to each clue of `more` what the two others on the axis of this stride are in `fewer`."""
    for start in range(0, more.size, 3 * stride):
        # A loop for each, so that the compiler need not fear that too many arrays overlap.
        for mark in range(3):
            own = more[start + mark * stride : start + (mark + 1) * stride]
            b = fewer[start + (mark + 1) % 3 * stride : start + ((mark + 1) % 3 + 1) * stride]
            c = fewer[start + (mark + 2) % 3 * stride : start + ((mark + 2) % 3 + 1) * stride]
            if largest:
                for j in range(stride):
                    own[j] = max(own[j], max(b[j], c[j]))
            else:
                for j in range(stride):
                    own[j] += b[j] + c[j]
