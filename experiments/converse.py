"""Lower bounds on the budget: what no strategy can pass.

`python -m experiments.converse table` computes them for several win rates (word list `original`, letterwise). It
writes `experiments/tables/converse.csv` and docs/converse.md. Finished entries are kept in `results/converse.jsonl`, so
it resumes. `python -m experiments.converse bounds` writes the table that `wordpl frontier` shows. `python -m
experiments.converse cells` goes through all pairs of guesses and finds how many answers two noiseless clues can tell
apart; `experiments/bounds/word_list.py` holds that number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pandas as pd
import typer

from experiments import machines, pages
from experiments.bounds.converse import budget_bound
from experiments.bounds.free_functions import BOUND_CELLS, fixed_split_win_rate
from experiments.bounds.word_list import find_cells_of_two
from experiments.steps import add_step, read_steps
from wordpl import load_words, print_table, simulation
from wordpl.base import whole_file

TABLE = pages.CONVERSE
BOUNDS = Path(str(resources.files("wordpl"))) / "simulation" / "data" / "bounds.csv"
STEPS = Path("results") / "converse.jsonl"
WIN_RATES = (0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99)
PERCENTILES = (0.05, 0.50, 0.95)
ROUNDS = {"one clue": 1, "two clues": 2, "three clues": 3}
COLUMNS = ["any strategy", "equal split", *ROUNDS, "first clue at least 4", "first clue at least 8"]
LONG = ("equal split", "three clues", "first clue at least 4", "first clue at least 8")

app = typer.Typer(add_completion=False, no_args_is_help=True)


def equal_split_bound(win_rate: float, answers: int) -> float:
    """Return a lower bound on the budget of strategies that split it evenly into a number of clues fixed beforehand.

    Up to six clues are tried. Beyond two, more clues do worse.
    """
    low, high = 0.0, 256.0
    while high - low > 1e-6:
        middle = (low + high) / 2.0
        reached = max(fixed_split_win_rate((middle / clues,) * clues, answers) for clues in range(1, 7))
        low, high = (low, middle) if reached >= win_rate else (middle, high)
    return low


def entries() -> Iterator[tuple[float, str]]:
    """Yield the entries of the table: win rate and column."""
    for column in COLUMNS:
        yield from ((win_rate, column) for win_rate in (PERCENTILES if column in LONG else WIN_RATES))


def bound(win_rate: float, column: str) -> float:
    """Compute an entry of the table."""
    words = load_words("original")
    if column == "equal split":
        return equal_split_bound(win_rate, len(words.answers))
    first = float(column.split()[-1]) if column.startswith("first") else 0.0
    return budget_bound(win_rate, words, ROUNDS.get(column), first_at_least=first)


@app.command()
def table() -> None:
    """Compute the bounds and write them, rounded down, so that they stay lower bounds."""
    # `BOUND_CELLS` is the precision of the tables that the bounds are computed from.
    done = {(line["win rate"], line["column"]): line for line in read_steps(STEPS) if line["cells"] == BOUND_CELLS}
    found: dict[tuple[float, str], float] = {}
    for win_rate, column in entries():
        if (win_rate, column) not in done:
            value = bound(win_rate, column)
            kept = None if math.isinf(value) else value  # JSON has no infinity
            done[win_rate, column] = {"win rate": win_rate, "column": column, "cells": BOUND_CELLS, "budget": kept}
            add_step(STEPS, done[win_rate, column])
            typer.echo(f"{win_rate:g}, {column}: {value:.4f}")
        kept = done[win_rate, column]["budget"]
        found[win_rate, column] = math.inf if kept is None else _down(kept)
    rows = [[f"{rate:g}", *(_cell(found.get((rate, column))) for column in COLUMNS)] for rate in WIN_RATES]
    with whole_file(TABLE) as path:
        pd.DataFrame(rows, columns=["win rate", *COLUMNS]).to_csv(path, index=False)
    pages.write(TABLE)
    print_table("Lower bounds on the budget", ["win rate", *COLUMNS], rows)


def _down(budget: float) -> float:
    """A lower bound with three digits, still a lower bound."""
    return math.floor(1000 * budget) / 1000 if math.isfinite(budget) else budget


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


@app.command()
def bounds() -> None:
    """Write the bounds that `wordpl frontier` shows: of any strategy, and of two clues at some win rates."""
    words, rows = load_words("original"), []
    for win_rate in simulation.WIN_RATES:
        two = _down(budget_bound(win_rate, words, 2)) if win_rate in WIN_RATES else None
        any_strategy = _down(budget_bound(win_rate, words))
        rows.append([f"{win_rate:.3f}", f"{any_strategy:.3f}", _cell(two)])
    with whole_file(BOUNDS) as path:
        pd.DataFrame(rows, columns=["win_rate", "bound", "bound, 2 clues"]).to_csv(path, index=False)


@app.command()
def cells() -> None:
    """Find the most answers that two noiseless clues tell apart: some ten minutes on one core."""
    most, opener = find_cells_of_two(load_words("original"))
    typer.echo(f"{most} answers, with {opener} first")


if __name__ == "__main__":
    machines.run(app)
