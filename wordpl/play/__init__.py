"""A game: moves, seeds, strategies and their specs, and the referee."""

from collections.abc import Callable
from typing import Any

SPEC_READERS: list[Callable[[str], Any]] = []
"""Readers of specs, to which the contest and the library add themselves. Each takes the text of a spec, and returns
a `Spec`, or None for text that is not its own."""
