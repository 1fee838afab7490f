"""MaxClueEntropy, NGuess and Greedy over epsilons, at the 5th, 50th and 95th percentile.

    python -m experiments.percentiles            about 2 minutes on 2 cores
    python -m experiments.percentiles --full     the whole grid, 10,001 trials

It reproduces what the author of MaxClueEntropy found (https://dominikfay.me/blog/2025/maxclueentropy): MaxClueEntropy
beats NGuess at the 50th and the 95th percentile, but not at the 5th. It writes a results file and a picture to
results/, and prints the table of the duels. The same command resumes.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import wordpl
from experiments import machines, pages
from experiments.machines import Cluster

FAMILIES = ("MaxClueEntropy", "NGuess", "Greedy")


@dataclass(frozen=True)
class Grid:
    """What to run, and the name of its results file."""

    name: str
    rounds: tuple[int, ...]
    epsilons: tuple[float, ...]
    trials: int


SMALL = Grid("percentiles", (2, 3), (5.0, 7.8, 10.0, 13.0, 20.0, 26.0, 32.0), 1001)
FULL = Grid("percentiles-full", (2, 3, 4), (*np.arange(5.0, 50.1, 2.5).tolist(), 7.8, 13.0, 32.0), 10_001)


@dataclass(frozen=True)
class Duel:
    """Two strategies at the budget where one of them held the contest's record."""

    percentile: str
    rounds: int
    epsilon: float


# A lead of a point or two shows only over more trials than a curve needs.
DUEL_TRIALS = 4_001
DUEL_COLUMNS = ["percentile", "budget", "MaxClueEntropy", "NGuess", "lead, 95% interval", "ahead"]
DUELS = (Duel("5th", 2, 7.8), Duel("50th", 3, 13.0), Duel("95th", 3, 32.0))


def spec(family: str, rounds: int, epsilon: float) -> wordpl.Strategy:
    """Return a strategy of a family, as published."""
    return wordpl.parse_strategy(f"{family}(n_guesses={rounds}, epsilon={epsilon})")


def duellists() -> list[wordpl.Strategy]:
    """Return the strategies of all duels, in pairs."""
    return [spec(family, duel.rounds, duel.epsilon) for duel in DUELS for family in FAMILIES[:2]]


def duel_rows(found: dict[wordpl.Strategy, wordpl.Evaluation]) -> list[list[str]]:
    """Return a row for each duel: both win rates, and MaxClueEntropy's lead with its 95% interval.

    Both strategies play the same trials. So the lead is the mean of the paired differences between the posterior
    probabilities of the words that they proposed.
    """
    rows = []
    for duel in DUELS:
        ours, theirs = (found[spec(family, duel.rounds, duel.epsilon)] for family in FAMILIES[:2])
        lead = ours.results["chance"] - theirs.results["chance"]
        half = 1.96 * lead.std(ddof=1) / len(lead) ** 0.5
        ahead = "MaxClueEntropy" if lead.mean() > half else "NGuess" if lead.mean() < -half else "neither"
        rows.append(
            [
                duel.percentile,
                f"{duel.rounds} x {duel.epsilon:g}",
                f"{ours.expected_win_rate:.4f}",
                f"{theirs.expected_win_rate:.4f}",
                f"{lead.mean():+.4f} [{lead.mean() - half:+.4f}, {lead.mean() + half:+.4f}]",
                ahead,
            ]
        )
    return rows


def main(
    full: Annotated[bool, typer.Option("--full", help="The whole grid, 10,001 trials.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0 for one per core.")] = 0,
    cluster: Cluster = None,
    seed: int = 1,
    out: Annotated[Path, typer.Option("--out", help="Folder of the results.")] = Path("results"),
    docs: Annotated[bool, typer.Option("--docs", help="Also write the duels into docs/orders.md.")] = False,
) -> None:
    """Percentiles of the budget of three strategies over a grid of epsilons."""
    plan = FULL if full else SMALL
    strategies = [spec(f, rounds, e) for f in FAMILIES for rounds in plan.rounds for e in sorted(set(plan.epsilons))]
    tasks = [wordpl.make_task(strategy, seed) for strategy in strategies]
    workers = jobs or len(os.sched_getaffinity(0))
    command = shlex.join(["python", "-m", "experiments.percentiles", *sys.argv[1:]])
    with wordpl.Store(out / f"{plan.name}.sqlite", command=command) as store:
        with machines.on(cluster), wordpl.show_progress() as shown:
            evaluations = wordpl.sweep(tasks, plan.trials, workers, store=store, progress=shown)
            duels = wordpl.sweep(
                [wordpl.make_task(strategy, seed) for strategy in duellists()],
                max(plan.trials, DUEL_TRIALS),
                workers,
                store=store,
                progress=shown,
            )
        wordpl.draw(store, out / f"{plan.name}.png")
    wordpl.print_evaluations(evaluations)
    rows = duel_rows(dict(zip(duellists(), duels, strict=True)))
    wordpl.print_table(
        f"Does MaxClueEntropy beat NGuess at the same budget? (win rates by posterior, {len(duels[0])} trials)",
        DUEL_COLUMNS,
        rows,
        [f"results: {out / plan.name}.sqlite   plot: {out / plan.name}.png"],
    )
    if docs:
        pages.write_csv(pages.DUELS, DUEL_COLUMNS, rows)
        pages.write(pages.DUELS)


if __name__ == "__main__":
    typer.run(main)
