"""The transposition table shared by the searches."""

import numpy as np

from wordpl.scoring.noise_kernels import kernel

PROBES = 8  # entries looked at per lookup; two cache lines of keys
EXACT = 1  # flag bit of an entry: its value is the optimum
LEVEL_SHIFT = 1  # two bits: cheap passes already made (1 members, 2 all columns)
GUESS_SHIFT = 3


def new_table(log2_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys (128 bits) and values (bound, packed flags) of an empty table."""
    size = 1 << log2_size
    return np.zeros((size, 2), np.uint64), np.zeros((size, 2), np.int32)


@kernel
def find(keys, key0, key1):
    """Slot of a key, or -1. The full 128-bit key is compared."""
    mask = np.uint64(keys.shape[0] - PROBES)
    base = np.int64(key0 & mask)
    for slot in range(base, base + PROBES):
        if keys[slot, 0] == key0 and keys[slot, 1] == key1:
            return slot
    return -1


@kernel
def store(keys, values, key0, key1, bound, exact, level, guess):
    """Insert or update; a full bucket loses its entry of least bound (the cheapest to redo)."""
    mask = np.uint64(keys.shape[0] - PROBES)
    base = np.int64(key0 & mask)
    victim = base
    for slot in range(base, base + PROBES):
        if keys[slot, 0] == key0 and keys[slot, 1] == key1:
            victim = slot
            break
        if values[slot, 0] < values[victim, 0]:
            victim = slot
    keys[victim, 0] = key0
    keys[victim, 1] = key1
    values[victim, 0] = bound
    values[victim, 1] = (np.int64(guess + 1) << GUESS_SHIFT) | (level << LEVEL_SHIFT) | exact
