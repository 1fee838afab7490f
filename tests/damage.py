"""Files that a disk has changed: seeded flips of bits, and cuts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np

COUNT = int(os.environ.get("WORDPL_DAMAGES", "10"))
"""Changes of each kind of file that the suite tries."""
EVERY_CUT = 5
"""One of so many changes is a cut, the others flip a bit."""


def damaged(content: bytes, count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield `count` changed versions of a file, each with what was done to it."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        if n % EVERY_CUT == EVERY_CUT - 1:
            size = int(rng.integers(len(content)))
            yield f"cut to {size} of {len(content)} bytes", content[:size]
        else:
            at, bit = int(rng.integers(len(content))), int(rng.integers(8))
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            yield f"bit {bit} of byte {at} flipped", bytes(changed)


def believed(
    content: bytes, answer: Callable[[bytes], tuple[int, str, str]], count: int = COUNT, seed: int = 0
) -> dict[str, tuple[int, str, str]]:
    """Return what is wrong with the answers to `count` changed versions of a file, by what was done to it.

    `answer` gives exit code, output and errors of a command for the content of a file. Right is what it says of the
    file as it was, or one line and exit code 2.
    """
    before = answer(content)
    assert before[0] == 0, before
    wrong = {}
    for change, version in damaged(content, count, seed):
        code, out, err = answer(version)
        refused = code == 2 and not out and len(err.splitlines()) == 1
        if not refused and (code, out) != before[:2]:
            wrong[change] = (code, out, err)
    return wrong
