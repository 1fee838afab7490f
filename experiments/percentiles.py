"""MaxClueEntropy, NGuess and Greedy over epsilons, at the 5th, 50th and 95th percentile.

    python -m experiments.percentiles            about 2 minutes on 2 cores
    python -m experiments.percentiles --full     the whole grid, 10,001 trials

It reproduces what the author of MaxClueEntropy found (https://dominikfay.me/blog/2025/maxclueentropy): MaxClueEntropy
beats NGuess at the 50th and the 95th percentile, but not at the 5th. It writes a results file and two pictures to
results/ (the curves, and how much MaxClueEntropy is ahead at each epsilon), and prints the table of the duels. The same
command resumes.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
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


def against(rounds: Sequence[int], epsilons: Sequence[float], seed: int) -> list[tuple[wordpl.Task, wordpl.Task]]:
    """Return MaxClueEntropy's task with that of each of the other families, at each point of a grid."""

    def task(family: str, n: int, epsilon: float) -> wordpl.Task:
        return wordpl.make_task(spec(family, n, epsilon), seed)

    ours, *others = FAMILIES
    grid = [(n, epsilon) for n in rounds for epsilon in epsilons]
    return [(task(ours, *point), task(other, *point)) for other in others for point in grid]


def duel_rows(found: wordpl.simulation.PairedComparison) -> list[list[str]]:
    """Return a row for each duel: both posterior win rates, and MaxClueEntropy's lead with its 95% interval.

    Who is ahead is corrected for the number of duels.
    """
    rows = []
    for duel, pair in zip(DUELS, found.pairs, strict=True):
        lead = pair["posterior_win_rate"]
        ahead = dict(zip(("first", "second"), FAMILIES[:2], strict=True)).get(lead.verdict, "neither")
        low, high = lead.interval
        rows.append(
            [
                duel.percentile,
                f"{duel.rounds} x {duel.epsilon:g}",
                f"{lead.first:.4f}",
                f"{lead.second:.4f}",
                f"{lead.first - lead.second:+.4f} [{low:+.4f}, {high:+.4f}]",
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
    rule = wordpl.ComparisonRule(("posterior_win_rate",), margin=0.0)
    pairs = [against([duel.rounds], [duel.epsilon], seed)[0] for duel in DUELS]
    command = shlex.join(["python", "-m", "experiments.percentiles", *sys.argv[1:]])
    with wordpl.Store(out / f"{plan.name}.sqlite", command=command) as store:
        with machines.on(cluster), wordpl.show_progress() as shown:
            wordpl.sweep(tasks, plan.trials, workers, store=store, progress=shown)
            duels = wordpl.compare(
                pairs, max(plan.trials, DUEL_TRIALS), workers, rule=rule, store=store, progress=shown
            )
        wordpl.draw(store, out / f"{plan.name}.png")
        grid = against(plan.rounds, sorted(set(plan.epsilons)), seed)
        differences = wordpl.compare(grid, plan.trials, rule=rule, store=store)
        # With the trials of the duels, as the pictures and `wordpl results` have them.
        evaluations = [store.evaluation(task, max(plan.trials, DUEL_TRIALS)) for task in tasks]
    wordpl.reporting.draw_comparison(differences, out / f"{plan.name}-differences.png")
    wordpl.reporting.print_evaluations(evaluations)
    rows = duel_rows(duels)
    files = [out / f"{plan.name}{ending}" for ending in (".sqlite", ".png", "-differences.png")]
    wordpl.print_table(
        f"Does MaxClueEntropy beat NGuess at the same budget? (posterior win rates, {duels.pairs[0].trials} trials)",
        DUEL_COLUMNS,
        rows,
        [f"results: {files[0]}   plots: {files[1]}, {files[2]}"],
    )
    if docs:
        pages.write_csv(pages.DUELS, DUEL_COLUMNS, rows)
        pages.write(pages.DUELS)


if __name__ == "__main__":
    typer.run(main)
