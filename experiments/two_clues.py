"""The best opener and split for two clues, among the openers that tell most on their own.

`python -m experiments.two_clues --budget 14.3` takes the openers with the largest expected top posterior after one
clue. It computes their exact win rates at several splits, tries finer splits for the best two, and writes
`experiments/tables/two_clues.csv`. Finished win rates are kept in `results/two_clues.jsonl`.

This is a search, not a proof. docs/converse.md has what is proved about two clues.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from experiments import machines
from experiments.machines import Cluster
from wordpl import (
    Setting,
    add_json_line,
    compute_win_rate,
    load_words,
    print_table,
    read_json_lines,
    score_guesses,
    whole_file,
)
from wordpl.library.renyi import Renyi

TABLE = Path(__file__).parent / "tables" / "two_clues.csv"
STEPS = Path("results") / "two_clues.jsonl"
FIRSTS = (5.4, 9.0, 10.0)
REFINE = (-0.2, -0.1, 0.1, 0.2)

app = typer.Typer(add_completion=False)


@app.command()
def main(
    budget: Annotated[float, typer.Option(help="Budget of both clues.")] = 14.3,
    openers: Annotated[int, typer.Option(help="How many openers to try.")] = 12,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    cluster: Cluster = None,
) -> None:
    """Compute the win rates of the openers and write the table."""
    setting = Setting(load_words("original"))
    done: dict[tuple[str, float], float] = {
        (line["opener"], line["first"]): line["value"] for line in read_json_lines(STEPS) if line["budget"] == budget
    }

    def win_rate(opener: str, first: float) -> float:
        if (opener, first) not in done:
            # The first order has no effect, because the opener is given. The second clue is the last.
            strategy = Renyi((first, budget - first), first_guess=opener)
            done[opener, first] = compute_win_rate(strategy, setting, jobs=jobs).win_rate
            add_json_line(STEPS, {"budget": budget, "opener": opener, "first": first, "value": done[opener, first]})
            typer.echo(f"{opener} at {first:g}: {done[opener, first]:.6f}")
        return done[opener, first]

    alone = score_guesses(setting.belief(), 9.0, "expected_top")
    names = [setting.words.guesses[guess] for guess in np.argsort(-alone, kind="stable")[:openers]]
    with machines.on(cluster):
        best = {name: max((win_rate(name, first), first) for first in FIRSTS) for name in names}
        for name in sorted(best, key=lambda name: -best[name][0])[:2]:
            _, first = best[name]
            near = [round(first + step, 9) for step in REFINE]
            best[name] = max([best[name], *((win_rate(name, other), other) for other in near)])
    ranked = sorted(best.items(), key=lambda item: -item[1][0])
    table = pd.DataFrame(
        [[name, first, found] for name, (found, first) in ranked], columns=["opener", "first epsilon", "win rate"]
    )
    with whole_file(TABLE) as path:
        table.to_csv(path, index=False, float_format="%.7g")
    rows = [[name, f"{first:g}", f"{found:.6f}"] for name, (found, first) in ranked]
    print_table(f"Two clues at {budget:g} in all", list(table.columns), rows)


if __name__ == "__main__":
    app()
