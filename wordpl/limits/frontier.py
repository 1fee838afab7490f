"""The frontier: for each win rate the smallest budget known, family by family, and the bound below them all.

A family is a way to turn a budget into a strategy. Its win rates are measured at a grid of budgets. Where they are
exact, the budget for each win rate is then searched for, to more digits than are shown. The others are interpolated in
log odds, in which the curves are nearly straight, and have an error.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from wordpl.base.checks import fraction, instance, several
from wordpl.base.defaults import FRONTIER_ERROR
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath, read_text, write_text
from wordpl.base.progress import Progress
from wordpl.limits.families import Family
from wordpl.limits.win_rate import compute_win_rate
from wordpl.play.setting import Setting
from wordpl.play.specs import parse_strategy
from wordpl.simulation.known_budgets import WIN_RATES
from wordpl.simulation.tasks import make_task, terms_of

_DEVIATIONS = 1.96
"""Standard errors in half of a 95% interval."""
_PRECISION = 1e-5
"""Precision of a budget that is searched for."""


@dataclass(frozen=True)
class FrontierPoint:
    """A measured win rate, 0 to 1."""

    family: str
    spec: str
    budget: float
    win_rate: float
    standard_error: float
    """Standard error of `win_rate`; 0 if it is exact."""


class SmallestBudget(NamedTuple):
    """The smallest budget known for a win rate; NaN if none is."""

    budget: float
    error: float
    """Half of a 95% interval by the standard errors, and the difference between ways to interpolate; 0 if exact."""


def measure_frontier(
    families: Sequence[Family],
    setting: Setting,
    path: StrPath,
    win_rates: Sequence[float] = WIN_RATES,
    *,
    standard_error: float = FRONTIER_ERROR,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
) -> dict[Family, list[FrontierPoint]]:
    """Measure the win rates of all `families` at their budgets: the points of each family.

    A family whose points are all exact gets more for each of `win_rates`, 0 to 1, that lies between theirs, up to one
    at the budget with that win rate. `setting` has the words, rule, channel and format. `seed` is that of the draws,
    and `jobs` is the number of worker processes, 1 or more, or -1 for one per core. Estimates have this
    `standard_error`, or that of their family if it is smaller.

    Each point is written to the file at `path` as a line of JSON as soon as it is known. Points of the same strategy,
    setting, engine and seed that were measured as precisely are read from there. `progress` is called before each
    point that must be measured, and after each budget of a family and each win rate. Raises `WordplError` for a file
    that holds something else, and as `compute_win_rate` does.
    """
    instance("setting", setting, Setting)
    win_rates = sorted(fraction("win rate", win_rate) for win_rate in several("win_rates", win_rates))
    families = several("families", families)
    measure = _Measurement(path, setting, standard_error, seed, jobs, progress)
    measure.total = sum(len(family.budgets) for family in families)
    # Others share the points of the finest, so that a run that is resumed has the same.
    finest_first = sorted(families, key=attrgetter("standard_error"))
    measured = {family: [measure.at(family, budget, 1) for budget in family.budgets] for family in finest_first}
    points = {family: measured[family] for family in families}
    searched = [
        (family, win_rate)
        for family, found in points.items()
        for win_rate in win_rates
        if not any(point.standard_error for point in found) and found[0].win_rate < win_rate < found[-1].win_rate
    ]
    measure.total += len(searched)
    for family, win_rate in searched:
        measure.search(family, points[family], win_rate)
    return points


class _Measurement:
    """The measurement of points, each of which is kept in a file."""

    def __init__(
        self, path: StrPath, setting: Setting, error: float, seed: int, jobs: int, progress: Progress | None
    ) -> None:
        self._path, self._setting, self._error, self._seed, self._jobs = path, setting, error, seed, jobs
        self._progress, self._done, self.total = progress, 0, 0
        self._text = read_text(path, "points") if os.path.lexists(path) else ""
        try:
            lines = sorted(map(json.loads, self._text.splitlines()), key=lambda line: -line["precision"])
            self._kept = {line.pop("task"): (line.pop("precision"), FrontierPoint(**line)) for line in lines}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise WordplError(f"{path} holds something other than points of a frontier; name another file") from None

    def at(self, family: Family, budget: float, done: int = 0) -> FrontierPoint:
        """Return the point of a family at a budget; so many of the pieces of work are then `done`."""
        spec, error = family.at(budget), min(self._error, family.standard_error)
        task = make_task(parse_strategy(spec), self._seed, **terms_of(self._setting)).id
        if task not in self._kept or self._kept[task][0] > error:
            self._tell(spec, 0)
            # Beyond two clues all histories are more than a curve is worth.
            found = compute_win_rate(
                spec, self._setting, standard_error=error, seed=self._seed, jobs=self._jobs, max_histories=1000
            )
            self._kept[task] = error, FrontierPoint(family.name, spec, budget, found.win_rate, found.standard_error)
            self._text += json.dumps({"task": task, "precision": error} | asdict(self._kept[task][1])) + "\n"
            write_text(self._path, self._text)
        self._tell(spec, done)
        return self._kept[task][1]

    def search(self, family: Family, points: list[FrontierPoint], win_rate: float) -> None:
        """Add to the exact `points` of a family until one is at the budget with this win rate, between theirs."""
        while True:
            budget = budgets(points, [win_rate])[0].budget
            nearest = min(points, key=lambda point: abs(point.budget - budget))
            if abs(nearest.budget - budget) < _PRECISION:
                return self._tell(nearest.spec, 1)
            points.append(self.at(family, budget))

    def _tell(self, spec: str, done: int) -> None:
        self._done += done
        if self._progress is not None:
            self._progress(spec, done, self._done, self.total)


def budgets(points: Iterable[FrontierPoint], win_rates: Sequence[float] = WIN_RATES) -> list[SmallestBudget]:
    """Return the smallest budget for each win rate among `points`: NaN outside the measured range.

    A larger budget need not be spent, so points that win no more than one with a smaller budget are left out.
    """
    rising: list[FrontierPoint] = []
    for point in sorted(points, key=lambda point: (point.budget, -point.win_rate)):
        if not rising or _log_odds(point.win_rate) > _log_odds(rising[-1].win_rate):
            rising.append(point)
    at = np.array([point.budget for point in rising])
    odds = np.array([_log_odds(point.win_rate) for point in rising])
    wanted = np.array([_log_odds(win_rate) for win_rate in win_rates])
    ways = [np.interp(wanted, odds, at)]
    sampling = np.zeros(len(wanted))
    if len(at) > 1:
        from scipy.interpolate import PchipInterpolator

        ways += [PchipInterpolator(odds, at)(wanted), np.exp(np.interp(wanted, odds, np.log(at)))]
        errors = np.array([p.standard_error / max(p.win_rate * (1.0 - p.win_rate), 1e-12) for p in rising])
        after = np.clip(np.searchsorted(odds, wanted), 1, len(at) - 1)
        slope = (at[after] - at[after - 1]) / (odds[after] - odds[after - 1])
        part = (wanted - odds[after - 1]) / (odds[after] - odds[after - 1])
        sampling = _DEVIATIONS * slope * np.hypot((1.0 - part) * errors[after - 1], part * errors[after])
    # The curve is nearer than the straight lines.
    error = np.ptp(ways, axis=0) + sampling
    found = np.stack([ways[min(1, len(ways) - 1)], np.where(error < _PRECISION, 0.0, error)], axis=1)
    found[(wanted < odds[0]) | (wanted > odds[-1])] = np.nan
    return [SmallestBudget(*each) for each in found.tolist()]


def smallest_budgets(
    points: Mapping[Family, Sequence[FrontierPoint]], win_rates: Sequence[float] = WIN_RATES
) -> dict[str, list[SmallestBudget]]:
    """Return the smallest budget for each of `win_rates`, 0 to 1, by name of family and for the "best" of all.

    `points` are those that `measure_frontier` returned. Each family is interpolated by itself, since the curve between
    two of its points says nothing about another family. Raises `WordplError` for a win rate that is not from 0 to 1.
    """
    win_rates = [fraction("win rate", win_rate) for win_rate in several("win_rates", win_rates)]
    unknown = [SmallestBudget(math.nan, math.nan)] * len(win_rates)
    curves: dict[str, list[SmallestBudget]] = {}
    for family, measured in points.items():
        curve = budgets(measured, win_rates)
        curves[family.name] = [*map(_least, curve, curves.get(family.name, curve))]
    curves["best"] = [*map(_least, unknown, *curves.values())]
    for curve in curves.values():
        for at, found in enumerate(curve):
            if not math.isnan(found.budget):
                # What reaches a win rate reaches a lower one, too.
                curve[at] = _least(*curve[at:])
    return curves


def _least(*found: SmallestBudget) -> SmallestBudget:
    return min(found, key=lambda each: (math.isnan(each.budget), each.budget))


def _log_odds(p: float) -> float:
    inside = min(max(p, 1e-12), 1 - 1e-12)
    return math.log(inside) - math.log1p(-inside)
