"""Which opener and split serve two clues best: a search over all openers.

`python -m experiments.two_clues --budget 14.3` screens all 12,972 openers at several splits by a lower bound (the
second guess from a few dozen good ones only), takes the best of each on to exact values, refines their
splits, and writes `experiments/tables/two_clues.csv`. Finished openers are kept in `results/two_clues.jsonl`.

It is a search, not a proof: the screen is a lower bound. What is proved of two clues is in docs/converse.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import joblib
import numpy as np
import pandas as pd
import typer

from wordpl import RandomizedResponse, best_last_guess, clue_matrix, load_words, print_table, score_guesses
from wordpl.jsonlines import add_line, read_lines
from wordpl.posterior import Posterior
from wordpl.top_kernels import score_clues

TABLE = Path(__file__).parent / "tables" / "two_clues.csv"
STEPS = Path("results") / "two_clues.jsonl"
FIRSTS = (5.4, 10.0)
REFINE = (-0.4, -0.2, 0.2, 0.4)
SECONDS = 16
# Answers below this part of the heaviest after the first clue play no part in the screen.
LEAST = 0.05

app = typer.Typer(add_completion=False)


def screen(budget: float, first: float, openers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[float]:
    """Lower bounds of the win rates of these openers at this split: [openers]."""
    words = load_words("original")
    clues, n = clue_matrix(words), len(words.answers)
    asked, last = RandomizedResponse(first), RandomizedResponse(budget - first)
    seconds = np.argsort(-score_guesses(Posterior(words), budget - first, "expected_top"), kind="stable")[:SECONDS]
    likelihoods, terms = asked.matrix().toarray(), np.empty(words.n_clues)
    answers, weights = np.arange(n), np.full(n, 1.0 / n)
    marks = np.float32(last.keep), np.float32(last.flip)
    found = []
    for opener in openers:
        score_clues(clues, clues[opener], likelihoods, answers, weights, LEAST, np.sort(seconds), *marks, terms)
        found.append(float(terms.sum()))
    return found


def exact(budget: float, first: float, opener: int) -> float:
    """The win rate of an opener at this split with the best second guess for each clue."""
    words = load_words("original")
    row = clue_matrix(words)[opener]
    asked, last = RandomizedResponse(first), RandomizedResponse(budget - first)
    total = 0.0
    for code in range(words.n_clues):
        weights = asked.likelihood(code).take(row) / len(words.answers)
        best = best_last_guess(weights, last, words, "letterwise")
        if best is None:
            raise RuntimeError("randomized response on five letters can be searched")
        total += best.value
    return total


@app.command()
def main(
    budget: Annotated[float, typer.Option(help="Budget of both clues.")] = 14.3,
    finalists: Annotated[int, typer.Option(help="Openers of each split that are valued exactly.")] = 8,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
) -> None:
    """Search, and write the table."""
    words = load_words("original")
    done = _known(budget)

    def value(first: float, opener: int) -> float:
        key = f"{words.guesses[opener]} {first:g}"
        if key not in done:
            done[key] = exact(budget, first, opener)
            add_line(STEPS, {"budget": budget, "key": key, "value": done[key]})
            typer.echo(f"{key}: {done[key]:.6f}")
        return done[key]

    parts = np.array_split(np.arange(len(words.guesses)), 8 * jobs)
    best: dict[int, tuple[float, float]] = {}
    for first in FIRSTS:
        bounds = np.concatenate(
            joblib.Parallel(n_jobs=jobs)(joblib.delayed(screen)(budget, first, part) for part in parts)
        )
        for opener in np.argsort(-bounds, kind="stable")[:finalists].tolist():
            best[opener] = max(best.get(opener, (0.0, 0.0)), (value(first, opener), first))
    for opener in sorted(best, key=lambda opener: -best[opener][0])[:3]:
        _, first = best[opener]
        best[opener] = max([best[opener], *((value(first + step, opener), first + step) for step in REFINE)])
    ranked = sorted(best.items(), key=lambda item: -item[1][0])
    table = pd.DataFrame(
        [[words.guesses[opener], round(first, 9), win_rate] for opener, (win_rate, first) in ranked],
        columns=["opener", "first epsilon", "win rate"],
    )
    table.to_csv(TABLE, index=False, float_format="%.7f")
    rows = [[str(cell) for cell in row] for row in table.head(15).itertuples(index=False)]
    print_table(f"Two clues at {budget:g} in all", list(table.columns), rows)


def _known(budget: float) -> dict[str, float]:
    """Exact values of this budget that an earlier run has kept."""
    return {record["key"]: record["value"] for record in read_lines(STEPS) if record["budget"] == budget}


if __name__ == "__main__":
    app()
