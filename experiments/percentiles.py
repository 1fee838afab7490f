"""Budgets that MaxClueEntropy, NGuess and Greedy need, and which of them wins more with the same budget.

    python -m experiments.percentiles            few games, as `make run` plays them: 50 to 100 CPU s
    python -m experiments.percentiles --full     the whole grid, 10,001 games at each point of it

It reproduces what the author of MaxClueEntropy found (https://dominikfay.me/blog/2025/maxclueentropy): MaxClueEntropy
beats NGuess at the 50th and the 95th percentile, but not at the 5th. It prints three tables, and writes a results file
and a picture (`experiments.percentiles_picture`) to results/. The same command resumes.
"""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import wordpl
from experiments import machines, pages, percentiles_picture
from experiments.machines import Cluster
from wordpl.simulation import BudgetCurve, PairedComparison

FAMILIES = ("MaxClueEntropy", "NGuess", "Greedy")


@dataclass(frozen=True)
class Grid:
    """Settings of a run, and the name of its results file."""

    name: str
    rounds: tuple[int, ...]
    epsilons: tuple[float, ...]
    trials: int
    duel_trials: int


SMALL = Grid("percentiles", (2, 3), (5.0, 7.8, 10.0, 13.0, 20.0, 26.0, 32.0, 40.0), 201, 401)
FULL_EPSILONS = tuple(sorted({*np.arange(5.0, 50.1, 2.5).tolist(), 7.8, 13.0, 32.0}))
FULL = Grid("percentiles-full", (2, 3, 4), FULL_EPSILONS, 10_001, 10_001)
DOCS_TRIALS = 4_001


@dataclass(frozen=True)
class Duel:
    """Two strategies at the budget where one of them held the contest's record."""

    percentile: str
    rounds: int
    epsilon: float


DUELS = (Duel("5th", 2, 7.8), Duel("50th", 3, 13.0), Duel("95th", 3, 32.0))
DUEL_COLUMNS = ["ranking", "budget", *FAMILIES[:2], "lead, 95% interval", "ahead"]
PERCENTILE_COLUMNS = ["strategy", "epsilon", "games won", "error", "p05", "p50", "p95"]
_WIDE = 110
"""Columns of a screen that has room for the intervals of percentiles."""


def spec(family: str, rounds: int, epsilon: float) -> wordpl.Strategy:
    """Return a strategy of a family, as published."""
    return wordpl.parse_strategy(f"{family}(n_guesses={rounds}, epsilon={epsilon})")


Pair = tuple[wordpl.Task, wordpl.Task]


def play(
    store: wordpl.Store, plan: Grid, tasks: Sequence[wordpl.Task], pairs: Sequence[Pair], jobs: int
) -> PairedComparison:
    """Play what the store lacks of the tasks of a grid and of the pairs of the duels, and compare the pairs."""
    wanted = {task.id: (task, plan.trials) for task in tasks}
    wanted |= {task.id: (task, plan.duel_trials) for pair in pairs for task in pair}
    missing = sum(end - begin for task, trials in wanted.values() for begin, end in store.missing(task, trials))
    if missing:
        typer.echo("compiling what the strategies call, once: this takes some seconds")
        for family in FAMILIES:  # here, so that no two workers do it at once
            wordpl.evaluate(spec(family, plan.rounds[0], plan.epsilons[0]), trials=1)
        typer.echo(f"playing {missing:,} games")
    else:
        typer.echo("nothing had to be played: the results file has all games")
    rule = wordpl.ComparisonRule(("posterior_win_rate",), margin=0.0)
    with wordpl.show_progress() as shown:
        wordpl.sweep(tasks, plan.trials, jobs, store=store, progress=shown)
        return wordpl.compare(pairs, trials=plan.duel_trials, jobs=jobs, by=rule, store=store, progress=shown)


def curve_of(label: str, tasks: Sequence[wordpl.Task], store: wordpl.Store, trials: int) -> BudgetCurve:
    """Return the curve of a strategy over epsilons, of as many trials as the store has of each task, but no more."""
    return BudgetCurve(label, tuple(store.evaluation(task, trials) for task in tasks))


def print_percentiles(curves: Sequence[BudgetCurve], plan: Grid) -> None:
    """Print the percentiles of each curve by epsilon; their intervals only where the screen is wide enough."""
    wide = shutil.get_terminal_size().columns >= _WIDE
    rows, errors = [], []
    for curve in curves:
        for outcome in curve.outcomes:
            errors.append(float(np.std(outcome.results["chance"], ddof=1)) / math.sqrt(outcome.trials))
            won = f"{outcome.posterior_win_rate:.1%}", f"{errors[-1]:.1%}"
            cells = [
                _budget(value) + (f" [{_budget(low)}, {_budget(high)}]" if wide else "")
                for value, (low, high) in outcome.percentiles.values()
            ]
            rows.append([curve.label, f"{outcome.task.epsilon:g}", *won, *cells])
    notes = [
        f"{curves[0].label} asks for {curves[0].label[-2]} clues. Games won is the posterior win rate, with its"
        " standard error; it has less noise than the percentiles, which are infinite where too few games were won.",
        f"{plan.trials:,} games tell a share of games won to about {2 * max(errors):.0%}, and no smaller difference.",
    ]
    if plan.trials < FULL.trials:
        notes[-1] += f" --full plays {FULL.trials:,} at each point."
    wordpl.print_table("Percentiles of the budget", PERCENTILE_COLUMNS, rows, notes)


def _budget(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "∞"


def duel_rows(found: PairedComparison) -> list[list[str]]:
    """Return a row for each duel: in percent both posterior win rates, and the lead of the first with its interval.

    Who is ahead is corrected for the number of duels.
    """
    rows = []
    for duel, pair in zip(DUELS, found.pairs, strict=True):
        lead = pair["posterior_win_rate"]
        ahead = dict(zip(("first", "second"), FAMILIES[:2], strict=True)).get(lead.verdict, "neither")
        low, high = (100 * end for end in lead.interval)
        rates = [f"{100 * rate:.2f}" for rate in (lead.first, lead.second)]
        difference = f"{100 * (lead.first - lead.second):+.2f} [{low:.2f}, {high:.2f}]"
        rows.append([duel.percentile, f"{duel.rounds} x {duel.epsilon:g}", *rates, difference, ahead])
    return rows


def main(
    full: Annotated[bool, typer.Option("--full", help="The whole grid, 10,001 games at each point.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0 for one per core.")] = 0,
    cluster: Cluster = None,
    out: Annotated[Path, typer.Option("--out", help="Folder of the results.")] = Path("results"),
    docs: Annotated[
        bool, typer.Option("--docs", help="Play the duels in 4,001 games, and write them into docs/orders.md.")
    ] = False,
) -> None:
    """Percentiles of the budget of three strategies over a grid of epsilons."""
    if not sys.stdout.isatty():
        os.environ.setdefault("COLUMNS", "80")  # a file is read on a screen, too
    plan = FULL if full else SMALL
    plan = replace(plan, duel_trials=DOCS_TRIALS) if docs else plan
    points = {
        f"{family}({rounds})": [wordpl.make_task(spec(family, rounds, e)) for e in plan.epsilons]
        for family in FAMILIES
        for rounds in plan.rounds
    }
    pairs: list[Pair] = []
    for duel in DUELS:
        first, second = (wordpl.make_task(spec(family, duel.rounds, duel.epsilon)) for family in FAMILIES[:2])
        pairs.append((first, second))
    results, picture = out / f"{plan.name}.sqlite", out / f"{plan.name}.png"
    command = shlex.join(["python", "-m", "experiments.percentiles", *sys.argv[1:]])
    with wordpl.Store(results, command=command) as store:
        with machines.on(cluster):
            tasks = [task for of_curve in points.values() for task in of_curve]
            found = play(store, plan, tasks, pairs, jobs or len(os.sched_getaffinity(0)))
        most = max(plan.trials, plan.duel_trials)
        curves = [curve_of(label, of_curve, store, most) for label, of_curve in points.items()]
    typer.echo("drawing the picture\n")
    percentiles_picture.save(curves, picture)
    wordpl.reporting.print_budgets(curves)
    typer.echo()
    print_percentiles(curves, plan)
    typer.echo()
    rows = duel_rows(found)
    wordpl.print_table(
        f"Does {FAMILIES[0]} beat {FAMILIES[1]} at the same budget? (% of {plan.duel_trials:,} games)",
        DUEL_COLUMNS,
        rows,
        ["Games won are posterior win rates. Who is ahead is corrected for three duels."],
    )
    typer.echo(f"\npicture: {picture}\nresults: {results}, for `wordpl results` and others")
    if docs:
        pages.write_csv(pages.DUELS, DUEL_COLUMNS, rows)
        pages.write(pages.DUELS)


if __name__ == "__main__":
    machines.run(main)
