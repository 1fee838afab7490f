"""The frontier: for each win rate the smallest budget known, family by family, and the bound below them all.

A family is a way to turn a budget into a strategy. Its win rates are measured at a grid of budgets. Where they are
exact, the budget for each win rate is then searched for, to more digits than are shown. The others are interpolated in
log odds, in which the curves are nearly straight, and have an error.
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
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

    A family whose points are all exact gets one more for each of `win_rates`, 0 to 1, that lies between theirs: the
    budget with that win rate. `setting` has the words, rule, channel and format. `seed` is that of the draws, and
    `jobs` is the number of worker processes, 1 or more, or -1 for one per core. Estimates have this `standard_error`,
    or that of their family if it is smaller.

    Each point is written to the file at `path` as a line of JSON as soon as it is known. Points of the same strategy,
    setting, engine and seed that were measured as precisely are read from there. `progress` is called before each
    point that must be measured, and after each point. Raises `WordplError` for a file that holds something else, and as
    `compute_win_rate` does.
    """
    instance("setting", setting, Setting)
    win_rates = [fraction("win rate", win_rate) for win_rate in several("win_rates", win_rates)]
    points: dict[Family, list[FrontierPoint]] = {family: [] for family in several("families", families)}
    text = read_text(path, "points") if os.path.lexists(path) else ""
    try:
        lines = sorted(map(json.loads, text.splitlines()), key=lambda line: -line["precision"])
        known = {tuple(line.pop(key) for key in _KEY): (line.pop("precision"), FrontierPoint(**line)) for line in lines}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise WordplError(f"{path} holds something other than points of a frontier; name another file") from None
    done = total = 0

    def add(places: Sequence[tuple[Family, float, float | None]]) -> None:
        """Add the point of each family at a budget or, from there on, at the win rate to be reached."""
        nonlocal done, total, text
        total += len(places)
        for family, budget, reached in places:
            spec, error = family.at(budget), min(standard_error, family.standard_error)
            task = make_task(parse_strategy(spec), seed, **terms_of(setting))

            def measure(budget: float, family: Family = family, error: float = error) -> FrontierPoint:
                # Beyond two clues all histories are more than a curve is worth.
                found = compute_win_rate(
                    family.at(budget), setting, standard_error=error, seed=seed, jobs=jobs, max_histories=1000
                )
                return FrontierPoint(family.name, family.at(budget), budget, found.win_rate, found.standard_error)

            key = (task.id, reached)
            if key not in known or known[key][0] > error:
                if progress is not None:
                    progress(spec, 0, done, total)
                point = measure(budget) if reached is None else _search(points[family], reached, measure)
                known[key] = error, point
                text += json.dumps(dict(zip(_KEY, key, strict=True)) | {"precision": error} | asdict(point)) + "\n"
                write_text(path, text)
            points[family].append(known[key][1])
            done += 1
            if progress is not None:
                progress(spec, 1, done, total)

    add([(family, budget, None) for family in points for budget in family.budgets])
    exact = [family for family, found in points.items() if not any(point.standard_error for point in found)]
    add(
        [
            (family, family.budgets[0], win_rate)
            for family in exact
            for win_rate in sorted(win_rates)
            if points[family][0].win_rate < win_rate < max(point.win_rate for point in points[family])
        ]
    )
    return points


_KEY = ("task", "reached")
"""The keys of a line that tell one point from another."""


def _search(
    points: Sequence[FrontierPoint], win_rate: float, measure: Callable[[float], FrontierPoint]
) -> FrontierPoint:
    """Return the exact point with this win rate, which is between those of `points`."""
    measured = list(points)
    while True:
        budget = budgets(measured, [win_rate])[0].budget
        nearest = min(measured, key=lambda point: abs(point.budget - budget))
        if abs(nearest.budget - budget) < _PRECISION:
            return nearest
        measured.append(measure(budget))


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
        curves[family.name] = [
            min(both, key=_known) for both in zip(curve, curves.get(family.name, curve), strict=True)
        ]
    curves["best"] = [min(each, key=_known) for each in zip(unknown, *curves.values(), strict=True)]
    for curve in curves.values():
        least = unknown[0]
        for at in reversed(range(len(curve))):
            if not math.isnan(curve[at].budget):
                # What reaches a win rate reaches a lower one, too.
                curve[at] = least = min(curve[at], least, key=_known)
    return curves


def _known(smallest: SmallestBudget) -> float:
    return math.inf if math.isnan(smallest.budget) else smallest.budget


def _log_odds(p: float) -> float:
    inside = min(max(p, 1e-12), 1 - 1e-12)
    return math.log(inside) - math.log1p(-inside)
