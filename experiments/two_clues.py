"""Two clues: the best opener and split known, and a proof that no other needs less.

`python -m experiments.two_clues search --budget 14.3` takes the openers with the largest expected top posterior after
one clue. It computes their exact win rates at several splits, tries finer splits for the best two, and writes
`experiments/tables/two_clues.csv`. Finished win rates are kept in `results/two_clues.jsonl`.

`python -m experiments.two_clues prove` goes through all openers and all splits of a budget and shows that none wins 5%
of games (docs/converse.md). It writes the certificate `experiments/tables/two_clues_proof.csv`: a line for each opener,
with the splits it was looked at. Finished openers are kept in `results/two_clues_proof.jsonl`, so it resumes.
`python -m experiments.two_clues check` checks the certificate with other code.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments import machines, pages
from experiments.bounds.two_clues import SplitBound, TwoClues
from experiments.machines import Cluster
from experiments.steps import add_step, read_steps
from wordpl import Setting, WordList, clue_matrix, load_words, print_table, score_guesses
from wordpl.base import run_calls, whole_file
from wordpl.library.renyi import Renyi
from wordpl.limits import compute_win_rate

TABLE, PROOF = pages.TABLES / "two_clues.csv", pages.TABLES / "two_clues_proof.csv"
STEPS = Path("results") / "two_clues.jsonl"
PROOF_STEPS = Path("results") / "two_clues_proof.jsonl"
FIRSTS = (5.4, 9.0, 10.0)
REFINE = (-0.2, -0.1, 0.1, 0.2)
WIN_RATE = 0.05
_BATCH = 50  # openers in a call of a worker
_DIGITS = 1e7  # bounds are written in units of 1 / _DIGITS

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command()
def search(
    budget: Annotated[float, typer.Option(help="Budget of both clues.")] = 14.3,
    openers: Annotated[int, typer.Option(help="How many openers to try.")] = 12,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    cluster: Cluster = None,
) -> None:
    """Compute the win rates of the openers and write the table."""
    setting = Setting(load_words("original"))
    done: dict[tuple[str, float], float] = {
        (line["opener"], line["first"]): line["value"] for line in read_steps(STEPS) if line["budget"] == budget
    }

    def win_rate(opener: str, first: float) -> float:
        if (opener, first) not in done:
            # The first order has no effect, because the opener is given. The second clue is the last.
            strategy = Renyi((first, budget - first), first_guess=opener)
            done[opener, first] = compute_win_rate(strategy, setting, jobs=jobs).win_rate
            add_step(STEPS, {"budget": budget, "opener": opener, "first": first, "value": done[opener, first]})
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
        [[name, first, rate] for name, (rate, first) in ranked], columns=["opener", "first epsilon", "win rate"]
    )
    with whole_file(TABLE) as path:
        table.to_csv(path, index=False, float_format="%.7g")
    rows = [[name, f"{first:g}", f"{rate:.6f}"] for name, (rate, first) in ranked]
    print_table(f"Two clues at {budget:g} in all", list(table.columns), rows)


@app.command()
def prove(
    budget: Annotated[float, typer.Option(help="Budget of both clues.")] = 14.31,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    cluster: Cluster = None,
) -> None:
    """Show that no opener wins 5% at any split of the budget, and write the certificate."""
    words = load_words("original")
    done = {line["opener"]: line for line in read_steps(PROOF_STEPS) if line["budget"] == budget}
    left = [guess for guess in words.guesses if guess not in done]
    batches = (left[at : at + _BATCH] for at in range(0, len(left), _BATCH))
    calls = (joblib.delayed(_refute)(batch, words, budget) for batch in batches)
    with machines.on(cluster):
        for lines in run_calls(jobs, calls):
            for line in lines:
                add_step(PROOF_STEPS, line)
                done[line["opener"]] = line
                if line["bound"] >= WIN_RATE:
                    typer.echo(f"{line['opener']} is not refuted: {line['bound']:.6f}")
            typer.echo(f"{len(done):,} of {len(words.guesses):,} openers")
    table = pd.DataFrame([done[guess] for guess in words.guesses], columns=["opener", "budget", "splits", "bound"])
    if (table["bound"] >= WIN_RATE).any():
        typer.echo("no certificate is written, because an opener is left")
        raise typer.Exit(1)
    with whole_file(PROOF) as path:
        table.to_csv(path, index=False)
    exact = int(table["splits"].str.contains("x").sum())
    typer.echo(f"no two clues win {WIN_RATE:.0%} at {budget:g}: {exact:,} openers took exact values")


def _refute(openers: Sequence[str], words: WordList, budget: float) -> list[dict[str, Any]]:
    """The lines of the certificate of these openers."""
    lines = []
    for opener in openers:
        splits = TwoClues(opener, words).splits(budget, WIN_RATE - 1.0 / _DIGITS)
        largest = max(
            max(low.bound, high.bound) * TwoClues.rise(high.first - low.first, words.length)
            for low, high in itertools.pairwise(splits)
        )
        bound = math.ceil(_DIGITS * largest) / _DIGITS  # rounded up, so that it stays a bound
        lines.append({"opener": opener, "budget": budget, "splits": code_of(splits, budget), "bound": bound})
    return lines


def code_of(splits: Sequence[SplitBound], budget: float) -> str:
    """Write splits as text: the one at 0, then for each sixteenth of the budget the one at its upper end.

    `p` is a split bounded by profiles and `x` one with exact values. `/` stands before the lower and the upper half of
    a part that was halved, and `3p` means three of `p`.
    """
    left = list(splits)

    def kind() -> str:
        return "x" if left.pop(0).exact else "p"

    def part(low: float, high: float) -> str:
        if left[0].first == budget * high:
            return kind()
        middle = (low + high) / 2.0
        return f"/{part(low, middle)}{part(middle, high)}"

    text = kind() + "".join(part(*ends) for ends in _first_cells())
    return re.sub("p{2,}|x{2,}", lambda run: f"{len(run[0])}{run[0][0]}", text)


def splits_of(code: str, budget: float) -> list[tuple[float, bool]]:
    """Read splits: the first epsilon, and whether it has exact values. Raises `ValueError` for any other text."""
    marks = iter(re.sub(r"(\d+)([px])", lambda run: int(run[1]) * run[2], code))
    left = [(0.0, 0.0), *_first_cells()][::-1]
    splits = []
    while left:
        (low, high), mark = left.pop(), next(marks, "")
        if mark == "/" and low < high:
            middle = (low + high) / 2.0
            left += [(middle, high), (low, middle)]
        elif mark in ("p", "x"):
            splits.append((budget * high, mark == "x"))
        else:
            raise ValueError(f"the splits end before a first epsilon of {budget * high:g}")
    if next(marks, None):
        raise ValueError("there are splits beyond the last")
    return splits


def _first_cells() -> Iterator[tuple[float, float]]:
    return ((at / TwoClues.PARTS, (at + 1) / TwoClues.PARTS) for at in range(TwoClues.PARTS))


@app.command()
def check(
    sample: Annotated[int, typer.Option(help="Splits that are computed again.")] = 8,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 1,
) -> None:
    """Check the certificate: no opener and no split is missing, and a sample of splits is computed again."""
    words, table = load_words("original"), pd.read_csv(PROOF)
    try:
        claims = audited(table, words)
    except ValueError as error:
        typer.echo(f"the certificate does not hold: {error}", err=True)
        raise typer.Exit(1) from None
    budget, largest = float(table["budget"].iloc[0]), float(table["bound"].max())
    typer.echo(f"{len(table):,} openers, {len(claims):,} splits of {budget:g}, all bounds at most {largest:.7f}")
    rng = np.random.default_rng(seed)
    for exact in (False, True):  # as many with exact values as without
        kind = [claim for claim in claims if claim.exact == exact]
        for at in rng.choice(len(kind), min(sample // 2, len(kind)), replace=False):
            claim = kind[at]
            again = recomputed(claim.opener, claim.first, budget - claim.first, words, exact=exact)
            typer.echo(f"{claim.opener} at {claim.first:.4f}: {again:.7f}, and {claim.most:.7f} at most")
            if again > claim.most:
                typer.echo("the certificate does not hold", err=True)
                raise typer.Exit(1)


class Claim(NamedTuple):
    """The claim of a certificate about one split: the win rate, or its profile bound, is at `most` this."""

    opener: str
    first: float
    exact: bool
    most: float


def audited(table: pd.DataFrame, words: WordList) -> list[Claim]:
    """Return what a certificate claims of all splits that it names.

    Raises `ValueError` if an opener or a split is missing, or a bound is too large.
    """
    if list(table["opener"]) != list(words.guesses):
        raise ValueError("its openers are not the guesses of the list")
    if table["budget"].nunique() != 1:
        raise ValueError("it has more than one budget")
    if not (table["bound"] < WIN_RATE).all():
        raise ValueError(f"a bound is not below {WIN_RATE:g}")
    claims = []
    for opener, budget, code, bound in table.itertuples(index=False):
        try:
            splits = splits_of(code, budget)
        except ValueError as error:
            raise ValueError(f"{opener}: {error}") from None
        widths = [0.0, *(high - low for (low, _), (high, _) in itertools.pairwise(splits)), 0.0]
        for (first, exact), *beside in zip(splits, widths[:-1], widths[1:], strict=True):
            # Between two splits the win rate may be higher, so at them it has to be lower.
            claims.append(Claim(opener, first, exact, bound * (1.0 - max(beside) ** 2 / (16.0 * words.length))))
    return claims


def recomputed(opener: str, first: float, second: float, words: WordList, *, exact: bool) -> float:
    """Return the profile bound, or the exact win rate, of an opener at two epsilons, by plain NumPy."""
    clues, marks = clue_matrix(words), words.length
    own, codes = clues[words.guess_index[opener]], 3**marks
    digits = np.array(list(itertools.product(range(3), repeat=marks)))
    apart = (digits[:, np.newaxis] != digits).sum(axis=2).astype(np.uint8)
    wrong = np.arange(marks + 1)
    factors, others = (
        np.exp(-epsilon / marks * wrong) / (1.0 + 2.0 * np.exp(-epsilon / marks)) ** marks
        for epsilon in (first, second)
    )
    best = np.zeros(codes)
    for row in clues:
        by_clue = np.argsort(row, kind="stable")
        _, starts = np.unique(row[by_clue], return_index=True)
        # [second clue, noisy first clue]: in how many marks the nearest true first clue differs.
        near = np.minimum.reduceat(apart[own[by_clue]], starts)
        if exact:
            weights = np.zeros((codes, codes))
            weights[row[by_clue][starts]] = factors[near]
            weights = weights.reshape(*(3,) * marks, codes)
            for axis in range(marks):
                weights = np.maximum(weights, np.exp(-second / marks) * weights.max(axis=axis, keepdims=True))
            values = others[0] * weights.reshape(codes, codes).sum(axis=0)
        else:
            values = _filled(near, factors, others, marks)
        best = np.maximum(best, values)
    return float(best.sum()) / len(words.answers)


def _filled(near: NDArray[np.uint8], factors: NDArray[np.float64], others: NDArray[np.float64], marks: int) -> Any:
    """The profile bound of a second guess after each noisy first clue."""
    counts = [(near == wrong).sum(axis=0) for wrong in range(marks + 1)]
    pairs = itertools.product(range(marks + 1), repeat=2)
    products = sorted(((factors[i] * others[j], i, j) for i, j in pairs), reverse=True)
    left, total = np.full(near.shape[1], 3.0**marks), np.zeros(near.shape[1])
    for value, i, j in products:
        places = np.minimum(left, counts[i] * math.comb(marks, j) * 2**j)
        total, left = total + value * places, left - places
    return total


if __name__ == "__main__":
    machines.run(app)
