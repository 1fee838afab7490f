"""Optimal trees: the smallest totals of openers that others have published, ours beside theirs.

    python -m experiments.optimum              about 20 s
    python -m experiments.optimum --prove      all openers, 2 minutes on 2 cores

The published totals are Alex Selby's ("The best strategies for Wordle", sonorouschocolate.com, 2022). With
`--prove` it writes a new certificate like `experiments/tables/optimum_original.txt` to results/, with one line for each
opener: a total or a lower bound. The certificate proves that no tree for the 2,315 answers takes fewer than
7,920 guesses, and that no opener but SALET reaches that.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from experiments import machines
from experiments.machines import Cluster


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


def main(
    prove: Annotated[bool, typer.Option("--prove", help="Also prove that no opener of original does better.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0 for one per core.")] = 0,
    cluster: Cluster = None,
    out: Annotated[Path, typer.Option("--out", help="Folder of the certificate.")] = Path("results"),
) -> None:
    """Print the smallest totals, ours beside the published ones."""
    columns = ["first word", "list", "mode", "published", "ours", "mean", "verdict", "seconds"]
    wordpl.print_table("Optimal trees, every answer replayed", columns, [row(claim) for claim in PUBLISHED])
    if prove:
        words, path = wordpl.load_words("original"), out / "optimum_original.txt"
        out.mkdir(parents=True, exist_ok=True)
        with machines.on(cluster), wordpl.show_progress("openers") as shown:
            tree, _ = wordpl.wordle.prove(words, path, jobs=jobs or len(os.sched_getaffinity(0)), progress=shown)
        wordpl.wordle.check_certificate(path, words, tree)
        typer.echo(f"no opener does better than {tree.root.guess} with {tree.total}; certificate, checked: {path}")


if __name__ == "__main__":
    typer.run(main)
