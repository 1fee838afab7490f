"""What a budget means for the secret: the best attack known beside what privacy accounting promises.

`python -m experiments.privacy` reads the table of `wordpl frontier` and writes `experiments/tables/privacy.csv` and
`privacy.png`. An attacker who sees the clues is a WORDPL player, and its best success at a budget is the best win rate.
Privacy accounting promises an upper bound on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from experiments import pages
from experiments.frontier import FRONTIER
from wordpl import load_words, print_table
from wordpl.base import whole_file
from wordpl.limits import approximate_success, pure_success, renyi_success, win_rate_bound

BUDGETS = (
    *(1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.33, 17.0, 20.0),
    *(24.0, 28.0, 32.0, 36.3, 42.0, 50.0, 60.0, 69.0, 80.0, 100.0),
)
NAMES = ["prior guessing", "best attack known", "no attack can pass", "(eps, delta)", "Renyi", "pure eps"]

app = typer.Typer(add_completion=False)


def rounds_at(budget: float) -> int:
    """Return the number of clues of the best attack known at a budget."""
    return 1 if budget < 7 else 2 if budget < 25 else 3 if budget < 48 else 4


@app.command()
def main(
    frontier: Annotated[Path, typer.Option(help="Table of `wordpl frontier --out`.")] = FRONTIER,
) -> None:
    """Write the table and the picture."""
    words = load_words("original")
    answers = len(words.answers)
    table = pd.read_csv(frontier)
    known = table.dropna(subset="best")
    rows = []
    for budget in BUDGETS:
        attack = float(np.interp(budget, known["best"], known["win_rate"], left=np.nan, right=np.nan))
        if np.isnan(attack) and rounds_at(budget) == 1:
            attack = win_rate_bound(budget, words, rounds=1)  # exact: the best word, asked once
        clues = rounds_at(budget)
        promised = approximate_success(budget, clues, answers), renyi_success(budget, clues, answers)
        limit, pure = win_rate_bound(budget, words), pure_success(budget, answers)
        rows.append([budget, clues, 1 / answers, attack, limit, *promised, pure])
    found = pd.DataFrame(rows, columns=["budget", "clues", *NAMES])
    with whole_file(pages.TABLES / "privacy.csv") as path:
        found.to_csv(path, index=False, float_format="%.5g")
    picture(found, pages.TABLES / "privacy.png")
    cells = [[f"{value:.4g}" for value in row] for row in rows]
    print_table("An attacker's chance to name the secret", ["budget", "clues", *NAMES], cells)


def picture(found: pd.DataFrame, target: Path) -> None:
    """Draw one curve for each column."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, style in zip(NAMES, ("k:", "C3o-", "k-", "C0--", "C1--", "C2--"), strict=True):
        axes.plot(found["budget"], found[name], style, label=name, markersize=3)
    axes.set_yscale("log")
    axes.set_xlabel("budget, all clues together")
    axes.set_ylabel("chance to name the secret")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(target, dpi=130)


if __name__ == "__main__":
    app()
