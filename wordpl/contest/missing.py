"""What to say of a file without a strategy, for its own process and for who has read its source."""

from __future__ import annotations

from collections.abc import Collection, Iterable

NO_CLASS = "no class with first_move and next_move"


def why_no_strategy(functions: Collection[str], classes: Iterable[str]) -> str:
    """Return what a file lacks, by the names of its functions and of its public classes, and what to write."""
    if {"first_move", "next_move"} <= set(functions):
        return f"{NO_CLASS}; they are functions here, so make them the methods of a class"
    if name := next(iter(classes), ""):
        return f"{NO_CLASS}; if {name} sets them on its objects, write strategy = {name}() in the file"
    return NO_CLASS
