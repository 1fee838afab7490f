"""The frontier: for each win rate the smallest budget known, family by family, and the bound below them all.

A family is a way to turn a budget into a strategy. Its win rates are measured at a grid of budgets
(exactly, where that is feasible), made monotone, and the budgets between found by interpolation in
log odds, in which the curves are nearly straight.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from wordpl.base.checks import fraction, instance, several
from wordpl.base.defaults import FRONTIER_ERROR
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath, read_text, write_text
from wordpl.base.progress import Progress
from wordpl.limits.families import Family
from wordpl.limits.win_rate import compute_win_rate
from wordpl.model.entropy import Floats
from wordpl.play.setting import Setting
from wordpl.play.specs import parse_strategy
from wordpl.simulation.known_budgets import WIN_RATES
from wordpl.simulation.tasks import make_task, terms_of


@dataclass(frozen=True)
class FrontierPoint:
    """A measured win rate, 0 to 1."""

    family: str
    spec: str
    budget: float
    win_rate: float
    standard_error: float
    """Standard error of `win_rate`; 0 if it is exact."""


def measure_frontier(
    families: Sequence[Family],
    setting: Setting,
    path: StrPath,
    *,
    standard_error: float = FRONTIER_ERROR,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[FrontierPoint]:
    """Measure the win rates of all `families` at their budgets: a point for each, family by family.

    `setting` has the words, rule, channel and format. `seed` is that of the draws, and `jobs` is the number of worker
    processes, 1 or more, or -1 for one per core.

    Each point is written to the file at `path` as a line of JSON as soon as it is known. Points of the same
    strategy, setting, engine, seed and `standard_error` (that of an estimate) are read from there.
    `progress` is called before each point that must be measured, and after each point. Raises `WordplError` for a file
    that holds something else, and as `compute_win_rate` does.
    """
    instance("setting", setting, Setting)
    specs = [
        (family.name, family.at(budget), budget)
        for family in several("families", families)
        for budget in family.budgets
    ]
    tasks = [make_task(parse_strategy(spec), seed, **terms_of(setting)) for _, spec, _ in specs]
    known: dict[str, FrontierPoint] = {}
    text = read_text(path, "points") if os.path.lexists(path) else ""
    try:
        for record in map(json.loads, text.splitlines()):
            id, precision, point = record.pop("task"), record.pop("precision"), FrontierPoint(**record)
            if precision == standard_error:
                known[id] = point
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise WordplError(f"{path} holds something other than points of a frontier; name another file") from None
    points: list[FrontierPoint] = []
    for task, (name, spec, budget) in zip(tasks, specs, strict=True):
        if task.id not in known:
            if progress is not None:
                progress(spec, 0, len(points), len(specs))
            # Beyond two clues all histories are more than a curve is worth.
            measured = compute_win_rate(
                task.strategy, task.setting, standard_error=standard_error, seed=seed, jobs=jobs, max_histories=1000
            )
            known[task.id] = FrontierPoint(name, spec, budget, measured.win_rate, measured.standard_error)
            text += json.dumps({"task": task.id, "precision": standard_error, **asdict(known[task.id])}) + "\n"
            write_text(path, text)
        points.append(known[task.id])
        if progress is not None:
            progress(spec, 1, len(points), len(specs))
    return points


def budgets(points: Iterable[FrontierPoint], win_rates: Sequence[float] = WIN_RATES) -> Floats:
    """Return the smallest budget for each win rate among `points`: [win_rates], NaN outside the measured range.

    A larger budget need not be spent, so win rates are first made to rise with the budget.
    """
    best: dict[float, float] = {}
    for point in points:
        best[point.budget] = max(best.get(point.budget, 0.0), point.win_rate)
    at, won = np.array(sorted(best.items())).T
    won, wanted = np.maximum.accumulate(won), np.asarray(win_rates, dtype=np.float64)
    # The first budget that is enough, and the one before it, which is not.
    enough = np.searchsorted(won, wanted, side="left")
    after = np.minimum(enough, len(at) - 1)
    before = np.maximum(after - 1, 0)
    odds, low, high = _log_odds(wanted), _log_odds(won[before]), _log_odds(won[after])
    part = np.divide(odds - low, high - low, out=np.ones_like(odds), where=high > low)
    budget = at[before] + np.clip(part, 0.0, 1.0) * (at[after] - at[before])
    return np.where((wanted >= won[0]) & (wanted <= won[-1]), budget, np.nan)


def smallest_budgets(
    families: Sequence[Family], points: Sequence[FrontierPoint], win_rates: Sequence[float] = WIN_RATES
) -> dict[str, Floats]:
    """Return the smallest budget for each of `win_rates`, 0 to 1, by name of family and for the "best" of all:
    [win_rates] each.

    Budgets are NaN where nothing was measured. `points` are those that `measure_frontier` returned for `families`. Each
    family is interpolated by itself, since the curve between two of its points says nothing about another family.

    Raises `WordplError` for a win rate that is not from 0 to 1, and if `points` are not those of `families`.
    """
    families, points = several("families", families), several("points", points)
    win_rates = [fraction("win rate", win_rate) for win_rate in several("win_rates", win_rates)]
    if len(points) != sum(len(family.budgets) for family in families):
        raise WordplError(f"{len(points)} points are not those that measure_frontier returned for these families")
    curves: dict[str, Floats] = {}
    at = 0
    for family in families:
        curve = budgets(points[at : at + len(family.budgets)], win_rates)
        at += len(family.budgets)
        curves[family.name] = np.fmin(curves.get(family.name, curve), curve)
    curves["best"] = np.fmin.reduce([np.full(len(win_rates), np.nan), *curves.values()])
    # What reaches a win rate reaches a lower one, too.
    least = {name: np.fmin.accumulate(curve[::-1])[::-1] for name, curve in curves.items()}
    return {name: np.where(np.isnan(curve), np.nan, least[name]) for name, curve in curves.items()}


def _log_odds(p: Floats) -> Floats:
    inside = np.clip(p, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(inside) - np.log1p(-inside))
