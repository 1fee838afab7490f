"""Optimal trees: the smallest totals of openers that others have published, ours beside theirs.

    python -m experiments.optimum              about 20 s

The published totals are Alex Selby's ("The best strategies for Wordle", sonorouschocolate.com, 2022). `wordpl tree
prove` proves that no tree for the 2,315 answers takes fewer than 7,920 guesses.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import wordpl
from experiments import machines


@dataclass(frozen=True)
class Published:
    """A total that somebody else has published."""

    words: str
    first: str
    total: int
    hard: bool = False
    worst: int | None = None


PUBLISHED = (
    Published("original", "salet", 7920),
    Published("original", "trace", 7926),
    Published("original", "crate", 7926),
    Published("original", "slate", 7928),
    Published("original", "crane", 7930),
    Published("original", "soare", 7997),
    Published("original", "salet", 8122, hard=True, worst=6),
    Published("nyt2022", "tarse", 7883),
    Published("nyt2023", "tarse", 11219),
)


def row(claim: Published) -> list[str]:
    """Solve, replay every answer, and return the cells of the row: ours beside theirs."""
    words = wordpl.load_words(claim.words)
    begun = time.perf_counter()
    tree = wordpl.wordle.solve_tree(words, claim.first, hard=claim.hard, worst=claim.worst).tree
    seconds = time.perf_counter() - begun
    found = ["none", "", "not reproduced"]
    if tree is not None:
        wordpl.wordle.verify(tree, words, hard=claim.hard)
        verdict = "not reached" if tree.total > claim.total else "bettered"
        verdict = "reproduced" if tree.total == claim.total else verdict
        found = [str(tree.total), f"{tree.mean:.5f}", verdict]
    mode = ("hard" if claim.hard else "easy") + (f", at most {claim.worst}" if claim.worst else "")
    return [claim.first, claim.words, mode, str(claim.total), *found, f"{seconds:.1f}"]


def main() -> None:
    """Print the smallest totals, ours beside the published ones."""
    columns = ["first word", "list", "mode", "published", "ours", "mean", "verdict", "seconds"]
    wordpl.print_table("Optimal trees, every answer replayed", columns, [row(claim) for claim in PUBLISHED])


if __name__ == "__main__":
    machines.run(main)
