"""Error rates of intervals and comparisons of a fixed number of games, beside the usual normal ones.

`python -m experiments.coverage` draws differences between two strategies and chances of one, writes
`experiments/tables/coverage.md`. It takes about a minute on one core. Everything is seeded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.special
from numpy.typing import NDArray

from experiments import machines, pages
from wordpl.simulation import mean_interval

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
RUNS = 2000
"""Simulated runs of each case."""


@dataclass(frozen=True)
class Case:
    """Values of games, their number and their true mean."""

    name: str
    games: int
    mean: float
    draw: Draw
    """Values of that many games, from a generator."""


def two_values(low: float, high: float, share: float) -> Draw:
    """`low` in `share` of the games, else `high`."""
    return lambda rng, n: np.where(rng.random(n) < share, low, high)


def rare(size: float, share: float, gains: float) -> Draw:
    """Differences in `share` of the games: `size` in the part `gains` of these, else `-size`."""
    return lambda rng, n: np.where(rng.random(n) < share, np.where(rng.random(n) < gains, size, -size), 0.0)


def normal(mean: float, spread: float) -> Draw:
    """Normal differences."""
    return lambda rng, n: rng.normal(mean, spread, n).clip(-1.0, 1.0)


def gains(gain: float, spread: float) -> Draw:
    """Normal differences around a small gain, and as many of -1 as it takes to make up for it."""
    return lambda rng, n: np.where(rng.random(n) < gain / (1.0 + gain), -1.0, rng.normal(gain, spread, n))


def alike(rng: np.random.Generator, n: int) -> Floats:
    """Differences between two strategies with the same distribution of chances."""
    return np.asarray(rng.beta(0.9, 0.9, n) - rng.beta(0.9, 0.9, n))


def as_sure(spread: float, games: int) -> float:
    """The mean at which Student's test decides 9 of 10 times."""
    return 3.25 * spread / math.sqrt(games)


DIFFERENCES = (
    Case("+0.002, and -1 in 0.2% of games", 1001, 0.0, two_values(-1.0, 0.002, 0.002 / 1.002)),
    Case("+0.005, and -1 in 0.5%", 200, 0.0, two_values(-1.0, 0.005, 0.005 / 1.005)),
    Case("+0.003, and -1 in 0.3%", 1001, 0.0, two_values(-1.0, 0.003, 0.003 / 1.003)),
    Case("normal, mean 0.002, sd 0.001, and -1 in 0.2%", 1001, 0.0, gains(0.002, 0.001)),
    Case("none but ±0.5 in 1%", 200, 0.0, rare(0.5, 0.01, 0.5)),
    Case("none but ±0.5 in 1%", 1001, 0.0, rare(0.5, 0.01, 0.5)),
    Case("alike", 1001, 0.0, alike),
    Case("none but +0.5 in 0.3%", 1001, 0.0015, rare(0.5, 0.003, 1.0)),
    Case("none but +0.5 in 1%", 1001, 0.005, rare(0.5, 0.01, 1.0)),
    *(
        Case(f"normal, sd {spread:g}", n, as_sure(spread, n), normal(as_sure(spread, n), spread))
        for n, spread in ((150, 0.04), (200, 0.3), (1001, 0.1), (1001, 0.3), (4001, 0.05), (4001, 0.3))
    ),
)
"""First less second."""
CHANCES = (
    Case("0, and 1 in 0.2% of games", 100, 0.002, two_values(1.0, 0.0, 0.002)),
    Case("0, and 1 in 1%", 100, 0.01, two_values(1.0, 0.0, 0.01)),
    Case("normal, sd 0.04", 150, 0.5, lambda rng, n: rng.normal(0.5, 0.04, n)),
    Case("beta(0.02, 2)", 150, 0.02 / 2.02, lambda rng, n: rng.beta(0.02, 2.0, n)),
    Case("beta(2, 0.02)", 1001, 2.0 / 2.02, lambda rng, n: rng.beta(2.0, 0.02, n)),
    Case("1, and 0 in 2%", 100, 0.98, two_values(0.0, 1.0, 0.02)),
    Case("beta(0.1, 1.9)", 100, 0.05, lambda rng, n: rng.beta(0.1, 1.9, n)),
    Case("beta(1.9, 0.1)", 100, 0.95, lambda rng, n: rng.beta(1.9, 0.1, n)),
    Case("beta(1.1, 21), as at the 5th percentile", 100, 1.1 / 22.1, lambda rng, n: rng.beta(1.1, 21.0, n)),
    Case("beta(1.1, 21)", 1001, 1.1 / 22.1, lambda rng, n: rng.beta(1.1, 21.0, n)),
    Case("beta(0.9, 0.9), as at the median", 100, 0.5, lambda rng, n: rng.beta(0.9, 0.9, n)),
    Case("beta(0.9, 0.9)", 1001, 0.5, lambda rng, n: rng.beta(0.9, 0.9, n)),
    Case("beta(0.9, 0.9)", 16001, 0.5, lambda rng, n: rng.beta(0.9, 0.9, n)),
    Case("beta(1.9, 0.1), as at the 95th", 1001, 0.95, lambda rng, n: rng.beta(1.9, 0.1, n)),
)


@dataclass(frozen=True)
class Found:
    """Results of the runs of a case. Intervals are [runs, 2]."""

    case: Case
    normal: Floats
    """By Student's t of differences, by the normal distribution of chances; cut at the ends of the range."""
    ours: Floats

    def covers(self, ends: Floats) -> float:
        return float(((ends[:, 0] <= self.case.mean) & (self.case.mean <= ends[:, 1])).mean())

    @property
    def wider(self) -> str:
        """The mean width of our intervals, in widths of the normal ones."""
        usual, ours = (float((ends[:, 1] - ends[:, 0]).mean()) for ends in (self.normal, self.ours))
        return f"{ours / usual:.2f}" if usual else ""


def played(case: Case, least: float, runs: int, seed: int) -> Found:
    """Draw runs of a case, values from `least` to 1."""
    rng, usual, ours = np.random.default_rng([6, seed]), [], []
    students = float(scipy.special.stdtrit(case.games - 1, 0.975)) if least else float(scipy.special.ndtri(0.975))
    for _ in range(runs):
        values = case.draw(rng, case.games)
        half = students * float(values.std(ddof=1)) / math.sqrt(case.games)
        usual.append((max(least, values.mean() - half), min(1.0, values.mean() + half)))
        low, high = mean_interval((values - least) / (1.0 - least), 0.05)
        ours.append((least + (1.0 - least) * low, least + (1.0 - least) * high))
    return Found(case, np.array(usual), np.array(ours))


def comparisons(runs: int) -> Iterator[list[str]]:
    """Yield rows of how often the first is said to be ahead, and how often the interval holds the difference."""
    for seed, case in enumerate(DIFFERENCES):
        found = played(case, -1.0, runs, seed)
        # The first is ahead at 2.5% just where the interval lies above 0.
        ahead = [f"{100 * (ends[:, 0] > 0.0).mean():.1f}%" for ends in (found.normal, found.ours)]
        covers = [f"{100 * found.covers(ends):.1f}%" for ends in (found.normal, found.ours)]
        true = f"{case.mean:+.4f}" if case.mean else "0"
        yield [case.name, f"{case.games:,}", true, *ahead, *covers, found.wider]


def intervals(runs: int) -> Iterator[list[str]]:
    """Yield rows of how often the interval of the posterior win rate holds it."""
    for seed, case in enumerate(CHANCES):
        found = played(case, 0.0, runs, 100 + seed)
        covers = [f"{100 * found.covers(ends):.1f}%" for ends in (found.normal, found.ours)]
        width = f"{(found.ours[:, 1] - found.ours[:, 0]).mean():.4f}"
        yield [case.name, f"{case.games:,}", f"{case.mean:.4g}", *covers, width, found.wider]


COMPARED = ["differences", "games", "true mean", "ahead: t", "ours", "holds it: t", "ours", "wider"]
HELD = ["chances", "games", "true mean", "holds it: normal", "ours", "our width", "wider"]


def main() -> None:
    """Draw all cases, and write the tables."""
    text = f"# Intervals and comparisons, simulated\n\nMade by `python -m experiments.coverage`. {INTRODUCTION}\n"
    for title, columns, rows in (
        ("Comparisons", COMPARED, comparisons(RUNS)),
        ("Posterior win rates", HELD, intervals(RUNS)),
    ):
        text += f"\n## {title}\n\n{pages.markdown(columns, rows)}\n"
    pages.write_text(pages.COVERAGE, text)


INTRODUCTION = (
    "2,000 runs of each case, so a share has a standard error of up to 1.1 points, and of 0.35 points at 2.5%. All"
    " intervals are those of 95%; a strategy is said to be ahead at 2.5%, which is wrong where the true mean is 0."
    " `wider` is how many times as wide as the usual ones our intervals are (`wordpl.simulation.mean_interval`)."
)


if __name__ == "__main__":
    machines.run(main)
