"""Other uses of the same epsilon: other ways to noise a clue, beside the contest's letter by letter.

`python -m experiments.mechanisms` measures the best strategies known and the bounds for each channel, and writes
`mechanisms.csv`, `mechanisms_curves.csv` and `mechanisms.png` in `experiments/tables/`, and docs/mechanisms.md. `python
-m experiments.mechanisms levels` then finds the best levels for one clue, and searches those for two; it writes
`mechanisms_levels.csv`. Finished steps are kept in `results/mechanisms.jsonl`, so both resume.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments import machines, pages
from experiments.bounds.converse import budget_bound
from experiments.bounds.free_functions import BOUND_CELLS
from experiments.frontier import BLACK, BLUE, DARK_GREY, FRONTIER, TICKS, VERMILION
from experiments.records import LETTERWISE
from experiments.steps import add_step, read_steps
from wordpl import (
    Channel,
    Clue,
    Levels,
    Setting,
    WordList,
    channel_family,
    clue_matrix,
    load_words,
    parse_strategy,
    print_table,
)
from wordpl.base import whole_file
from wordpl.limits import compute_win_rate
from wordpl.scoring import best_last_guess

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LevelSet: TypeAlias = tuple[int, ...]
"""The distances whose clues are e^epsilon times as likely as the others."""

STEPS = Path("results") / "mechanisms.jsonl"
WHOLE, BALL = "whole_clue", "ball:1"
NAMES = {LETTERWISE: "letter by letter", WHOLE: "whole clue", BALL: "ball of radius 1"}
PERCENTILES = {0.05: "Fifth", 0.50: "Median", 0.95: "NinetyFifth"}
# With the ball many clues at the same epsilon are the best known.
BALLS = {
    0.05: f"Fifth(channel={BALL!r})",
    0.50: "Renyi((4.58, 4.58, 4.58, 4.58), orders=(1, 1, 1.5, inf))",
    0.95: "Renyi((5.65, 5.65, 5.65, 5.65, 5.65, 5.65), orders=(1, 1, 1, 1, 1.5, inf))",
}
COLUMNS = ["games won", "mechanism", "best known", "its clues and win rate", "proved limit"]
BOUND_RATES = (0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99)
# Strategies by channel, and their budgets (of `Renyi` the epsilons of a clue) on the curve.
CURVES: dict[str, list[tuple[str, tuple[float, ...]]]] = {
    WHOLE: [
        ("TwoGuess({0})", (4.0, 5.0, 6.0, 7.0, 8.0, 9.0)),
        ("Median(budget={0},channel='whole_clue')", (10.5, 12.0, 13.5, 15.0, 15.56, 17.0, 19.0)),
        ("NinetyFifth(budget={0},channel='whole_clue')", (22.0, 25.0, 28.5, 33.0)),
    ],
    BALL: [
        ("Fifth(budget={0},channel='ball:1')", (4.5, 6.0, 7.43, 9.0)),
        ("Renyi(({0},{0},{0}),orders=(1,1.5,inf))", (3.3, 3.8, 4.3, 4.8)),
        ("Renyi(({0},{0},{0},{0}),orders=(1,1,1.5,inf))", (4.1, 4.58, 5.1)),
        ("Renyi(({0},{0},{0},{0},{0}),orders=(1,1,1,1.5,inf))", (4.6, 5.1)),
        ("Renyi(({0},{0},{0},{0},{0},{0}),orders=(1,1,1,1,1.5,inf))", (4.8, 5.2, 5.65, 6.4)),
    ],
}
CURVE_BUDGETS = (8.5, 9.0, 9.5, 10.0)
"""Budgets at which two clues of the same channel at uneven parts are tried, too."""
ALIKE: dict[str, LevelSet] = {WHOLE: (0,), BALL: (0, 1)}
CURVE_ERRORS = {WHOLE: 0.005, BALL: 0.01}
"""Standard errors of the points that are sampled: games with the ball have many clues."""
LEVEL_BUDGETS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 14.0)
LEVEL_COLUMNS = ["budget", "best levels known", "win rate"]
# Of two clues: the opener, and the parts of the budget that the first clue gets. More take a second or two each.
OPENER, PARTS = "trace", (0.5, 0.6, 0.65, 0.7)
# The parts of the tables that `Median` and `Fifth` play under these channels.
SEARCHED = {((0,), (0,)): [7.81 / 15.56], ((0, 1), (0, 1)): [3.74 / 7.43]}

app = typer.Typer(add_completion=False, invoke_without_command=True)


class Steps:
    """The finished steps, one line of JSON each."""

    def __init__(self) -> None:
        self._done = {line["step"]: line["value"] for line in read_steps(STEPS)}

    def get(self, step: str, measure: Callable[[], Any]) -> Any:
        """Return the value of a step, which is measured if it is not there yet."""
        if step not in self._done:
            self._done[step] = measure()
            add_step(STEPS, {"step": step, "value": self._done[step]})
            typer.echo(f"{step}: {self._done[step]}")
        return self._done[step]


def answers_budget(win_rate: float, answers: int) -> float:
    """Return the budget of randomized response over the answers, which no mechanism beats: Kairouz et al. 2014."""
    return math.log(win_rate * (answers - 1) / (1.0 - win_rate))


def bound(steps: Steps, channel: str, win_rate: float) -> float:
    """Return a budget below which nobody wins so often under a channel, rounded down."""
    words = load_words("original")
    step = f"bound {channel} {win_rate:g} {BOUND_CELLS}"
    value: float = steps.get(step, lambda: budget_bound(win_rate, words, channel=channel))
    return math.floor(100.0 * value) / 100.0


def measured(steps: Steps, spec: str, channel: str, standard_error: float) -> dict[str, Any]:
    """Return the budget, the win rate and the ends of its 99% interval."""
    strategy = parse_strategy(spec)

    def measure() -> dict[str, Any]:
        setting = Setting(load_words("original"), channel=channel_family(channel))
        rate = compute_win_rate(strategy, setting, standard_error=standard_error, max_histories=1000)
        low, high = rate.interval(0.99)
        return {"budget": rate.budget, "win_rate": rate.win_rate, "low": low, "high": high}

    statistics: dict[str, Any] = steps.get(f"{strategy.identity} {channel} {standard_error:g}", measure)
    return statistics


@app.callback()
def main(context: typer.Context) -> None:
    """Measure what is not measured yet, and write the table, the curves and the picture."""
    if context.invoked_subcommand is not None:
        return
    steps = Steps()
    rows = [row for win_rate in PERCENTILES for row in table_rows(steps, win_rate)]
    pages.write_csv(pages.MECHANISMS, COLUMNS, rows)
    with whole_file(pages.MECHANISM_CURVES) as path:
        curves(steps).to_csv(path, index=False, float_format="%.5g")
    with whole_file(pages.MECHANISM_PICTURE) as path:
        figure = draw(pd.read_csv(pages.MECHANISM_CURVES))
        figure.savefig(path, format="png", dpi=130, metadata={"Description": curves_digest()})
    pages.write(pages.MECHANISMS)
    print_table("Mechanisms", COLUMNS, rows)


def table_rows(steps: Steps, win_rate: float) -> list[list[str]]:
    """The rows of one share of games won: a mechanism each."""
    won, rows = f"{100 * win_rate:g}%", []
    letterwise = next(row for row in pages.read_csv(pages.RECORDS) if float(row["percentile"]) == win_rate)
    kind = PERCENTILES[win_rate]
    specs = {LETTERWISE: f"{kind}()", WHOLE: f"{kind}(channel={WHOLE!r})", BALL: BALLS[win_rate]}
    for channel, name in NAMES.items():
        statistics = {key: float(letterwise[key]) for key in ("budget", "win_rate", "low", "high")}
        if channel != LETTERWISE:
            statistics = measured(steps, specs[channel], channel, 0.0006 if channel == WHOLE else 0.0012)
        digits = 5 if statistics["low"] == statistics["high"] else 4
        rate, low, high = (f"{statistics[key]:.{digits}f}" for key in ("win_rate", "low", "high"))
        strategy: Any = parse_strategy(specs[channel])
        clues = len(strategy.exported(Setting(load_words("original"), channel=channel_family(channel))).rounds)
        how = f"{clues}: {rate} ({'exact' if low == high else f'99% interval {low} to {high}'})"
        rows.append([won, name, f"{statistics['budget']:g}", how, f"{bound(steps, channel, win_rate):.2f}"])
    least = answers_budget(win_rate, len(load_words("original").answers))
    rows.append([won, "the answer itself", f"{least:.2f}", "1: exact", f"{least:.2f}"])
    return rows


def curves(steps: Steps) -> pd.DataFrame:
    """The curves of the picture: name, budget and win rate of each point."""
    frontier = pd.read_csv(FRONTIER)
    points = [(LETTERWISE, budget, rate) for budget, rate in frontier[["best", "win_rate"]].dropna().values]
    points += [(f"{LETTERWISE} bound", budget, rate) for budget, rate in frontier[["bound", "win_rate"]].values]
    for channel, families in CURVES.items():
        specs = [spec.format(size) for spec, sizes in families for size in sizes]
        found = [measured(steps, spec, channel, CURVE_ERRORS[channel]) for spec in specs]
        rates = [(statistics["budget"], statistics["win_rate"]) for statistics in found]
        rates += [(budget, best_of_two(steps, (ALIKE[channel],) * 2, budget)[1]) for budget in CURVE_BUDGETS]
        best = 0.0
        for budget, rate in sorted(rates):
            best = max(best, rate)  # a larger budget need not be spent
            points.append((channel, budget, best))
        points += [(f"{channel} bound", bound(steps, channel, rate), rate) for rate in BOUND_RATES]
    answers = len(load_words("original").answers)
    points += [("answers", answers_budget(rate, answers), rate) for rate in frontier["win_rate"]]
    return pd.DataFrame(points, columns=["curve", "budget", "win_rate"])


def curves_digest() -> str:
    """Digest of the curves that the picture shows."""
    return hashlib.sha256(pages.MECHANISM_CURVES.read_bytes()).hexdigest()


def draw(points: pd.DataFrame) -> Figure:
    """Return the picture: the best strategies known as lines, bounds as dashed lines of the same colour."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    colours = {LETTERWISE: BLUE, WHOLE: VERMILION, BALL: "#009E73"}
    for curve, rows in points.groupby("curve", sort=False):
        channel, _, dashed = str(curve).partition(" ")
        colour = colours.get(channel, BLACK)
        label = "" if dashed else f"{NAMES[channel]}, best known" if channel in NAMES else "the answer itself"
        axes.plot(rows["budget"], rows["win_rate"], "--" if dashed else "-", color=colour, label=label or None)
    axes.plot([], [], "--", color=DARK_GREY, label="bounds: nobody is to the left")
    axes.set_yscale("logit")
    axes.set_yticks(TICKS, [f"{tick:.0%}" for tick in TICKS])
    axes.set_yticks([], minor=True)
    axes.set(xlim=(0, 90), ylim=(0.008, 0.992), xlabel="privacy budget", ylabel="games won")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    return figure


# Levels


def level_sets(length: int) -> list[LevelSet]:
    """All sets of distances whose clues may be e^epsilon times as likely as the others: none is empty or whole."""
    sizes = range(1, length + 1)
    return [distances for size in sizes for distances in itertools.combinations(range(length + 1), size)]


@cache
def apart(length: int) -> NDArray[np.intp]:
    """In how many marks two clues differ: [codes, codes]."""
    marks = np.array([Clue(code, length).marks for code in range(3**length)])
    return np.asarray((marks[:, np.newaxis] != marks).sum(axis=2))


def reach(distances: LevelSet, words: WordList) -> tuple[int, int, str]:
    """Return how many clues such levels make likely, the most that a guess makes so for any answer, and that guess."""
    likely = np.isin(apart(words.length), distances)
    clues = clue_matrix(words)
    true = np.zeros((len(words.guesses), words.n_clues), dtype=np.float32)
    np.put_along_axis(true, clues.astype(np.intp), 1.0, axis=1)
    reached = (true @ likely.astype(np.float32) > 0).sum(axis=1)
    best = int(reached.argmax())
    return int(likely[0].sum()), int(reached[best]), words.guesses[best]


def one_clue_win_rate(epsilon: float, likely: int, reached: int, words: WordList) -> float:
    """The win rate of one clue: each clue that an answer makes likely counts with the likely probability."""
    odds, codes = math.exp(epsilon), words.n_clues
    return (reached * odds + codes - reached) / (likely * odds + codes - likely) / len(words.answers)


def two_clue_win_rate(
    opener: str, first: tuple[float, LevelSet], second: tuple[float, LevelSet], words: WordList
) -> float:
    """The exact win rate of an opener with the best second guess after each clue; a clue is (epsilon, level set)."""
    (epsilon, distances), row = first, clue_matrix(words)[words.guess_index[opener]]
    before, last = family_of(distances)(epsilon, words.length), family_of(second[1])(second[0], words.length)
    total, values = 0.0, dict[bytes, float]()
    for code in range(words.n_clues):
        weights = before.likelihood(code).take(row) / len(words.answers)
        key = weights.tobytes()
        if key not in values:
            guess: Any = best_last_guess(weights, last, words, "letterwise")  # it knows all channels of two levels
            values[key] = guess.value
        total += values[key]
    return total


def family_of(distances: LevelSet) -> Callable[[float, int], Channel]:
    """The family of channels of a level set."""

    def make(epsilon: float, length: int) -> Channel:
        low = math.exp(-epsilon)
        return Levels(length=length, weights=[1.0 if d in distances else low for d in range(length + 1)])

    return make


def set_text(distances: LevelSet) -> str:
    """A level set, as a table says it."""
    return f"{{{', '.join(map(str, distances))}}}"


@app.command()
def levels() -> None:
    """Find the best levels for one clue, and search pairs of them for two after TRACE."""
    steps, words = Steps(), load_words("original")
    sets = {each: steps.get(f"reach {set_text(each)}", partial(reach, each, words)) for each in level_sets(5)}
    one = [
        {each: one_clue_win_rate(budget, likely, reached, words) for each, (likely, reached, _) in sets.items()}
        for budget in LEVEL_BUDGETS
    ]
    useful = {max(rates, key=rates.__getitem__) for rates in one}
    rows = []
    for budget, rates in zip(LEVEL_BUDGETS, one, strict=True):
        found = {set_text(each): rate for each, rate in rates.items()}
        for pair in itertools.product(sorted(useful), sorted(useful)):
            part, rate = best_of_two(steps, pair, budget)
            first, second = set_text(pair[0]), set_text(pair[1])
            found[f"{first} at {part * budget:.4g}, then {second} at {(1.0 - part) * budget:.4g}"] = rate
        best = max(found, key=found.__getitem__)
        rows.append([f"{budget:g}", best, f"{found[best]:.5f}"])
    pages.write_csv(pages.MECHANISM_LEVELS, LEVEL_COLUMNS, rows)
    print_table("The best levels", LEVEL_COLUMNS, rows)


def best_of_two(steps: Steps, pair: tuple[LevelSet, LevelSet], budget: float) -> tuple[float, float]:
    """The part of the budget that the first of two clues gets at best, TRACE first, and the win rate."""
    words, names = load_words("original"), " ".join(map(set_text, pair))

    def measure(part: float) -> float:
        return two_clue_win_rate(OPENER, (part * budget, pair[0]), ((1.0 - part) * budget, pair[1]), words)

    parts = (*PARTS, *SEARCHED.get(pair, []))
    rates = {part: steps.get(f"two {names} {OPENER} {part:g} {budget:g}", partial(measure, part)) for part in parts}
    return max(rates.items(), key=itemgetter(1))


if __name__ == "__main__":
    machines.run(app)
