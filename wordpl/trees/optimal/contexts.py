"""What the compiled searches of one problem share, by name. Numba reads named tuples."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray


class SearchContext(NamedTuple):
    """The cache of bounds, what its keys are made of, and how guesses are ordered."""

    zobrist: NDArray[Any]
    """Random words of the keys: uint64 [answers + guesses + depths, 2]."""
    keys: NDArray[Any]
    values: NDArray[Any]
    growth: NDArray[Any]
    """What one more answer in a part is expected to cost, by the size of the part."""
    codes: int
    """Number of clue codes."""


class HardContext(NamedTuple):
    """The same, and what hard mode needs to tell which guesses a clue leaves."""

    search: SearchContext
    clues: NDArray[Any]
    """Clue codes [guesses, answers]."""
    letters: NDArray[Any]
    """A small number for each letter of each guess: [guesses, length]."""


class DepthContext(NamedTuple):
    """For questions of depth: families, known cores (see `add_core`) and the work that is left."""

    search: SearchContext
    families: NDArray[Any]
    """Family of each answer, by wildcard pattern: [answers, patterns]."""
    cores: NDArray[Any]
    core_sizes: NDArray[Any]
    core_links: NDArray[Any]
    work: NDArray[Any]
    """Clue cells that may still be relabelled: [1]."""


class HardDepthContext(NamedTuple):
    """For questions of depth in hard mode."""

    hard: HardContext
    work: NDArray[Any]
    """As in `DepthContext`."""
