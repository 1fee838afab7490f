"""Budgets to compare with: the contest's records, and the frontier as it was measured once."""

import csv
import math
from collections.abc import Iterable
from pathlib import Path

from wordpl.base.defaults import PERCENTILES
from wordpl.model.channel import RandomizedResponse, channel_name
from wordpl.play.formats import CONTEST
from wordpl.simulation.tasks import TaskRow

RECORDS = {0.05: 15.6, 0.50: 36.9, 0.95: 75.0}
"""The contest's records by win rate, https://github.com/TedTed/wordpl: G3, D95(12.3) and D95(25)."""
WIN_RATES = tuple(percent / 100 for percent in range(1, 100))
BOUND = "proved bound"
ERROR = ", error"
"""The ending of the keys of errors, behind the name of a family."""
_DATA = Path(__file__).with_name("data")


def known_frontier() -> dict[str, list[float]]:
    """Return the smallest budget known for each of `WIN_RATES`: of each family, of all ("best"), and the bounds.

    A budget is NaN if nothing was measured, and inf if no budget is enough. All are for the contest's words, rule and
    channel. `wordpl frontier --measure` writes this table; `wordpl/simulation/data/PROVENANCE.md` says how.

    >>> from wordpl.simulation import WIN_RATES
    >>> best = known_frontier()["best"]
    >>> len(best) == len(WIN_RATES), best[WIN_RATES.index(0.05)]
    (True, 14.312)
    """
    return {name: budgets for name, budgets in _read("frontier.csv").items() if not name.endswith(ERROR)}


def known_errors() -> dict[str, list[float]]:
    """Return the errors of the families and of "best" in `known_frontier`, by name: half of a 95% interval of what was
    sampled and interpolated, 0 if a budget is exact.

    >>> max(known_errors()["1 clue"])
    0.0
    """
    return {name.removesuffix(ERROR): errors for name, errors in _read("frontier.csv").items() if name.endswith(ERROR)}


def known_bounds() -> dict[str, list[float]]:
    """Return what no strategy can pass at each of `WIN_RATES` ("bound"), and none with two clues ("bound, 2 clues").

    They are budgets for the contest's words, rule and channel: NaN if it was not computed, and inf if no budget is
    enough. `python -m experiments.converse bounds` writes this table.

    >>> from wordpl.simulation import WIN_RATES
    >>> known_bounds()["bound"][WIN_RATES.index(0.05)]
    10.765
    """
    return _read("bounds.csv")


def known_budgets(tasks: Iterable[TaskRow]) -> dict[str, dict[float, float]]:
    """Return the budgets to compare `tasks` with, by name and win rate; none unless all are of the contest's words,
    rule and channel."""
    terms = "original", "letterwise", channel_name(RandomizedResponse), str(CONTEST)
    if any((task.words, task.rule, task.channel, task.format) != terms for task in tasks):
        return {}
    frontier = known_frontier()
    budgets = {
        name: {q: frontier[column][WIN_RATES.index(q)] for q in PERCENTILES}
        for name, column in (("smallest known", "best"), (BOUND, "bound"))
    }
    return {"contest's record": RECORDS, **budgets}


def _read(name: str) -> dict[str, list[float]]:
    with (_DATA / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name] or math.nan) for row in rows] for name in rows[0] if name != "win_rate"}
