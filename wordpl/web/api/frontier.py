"""The frontier: for each win rate the budgets of all families, the records, and what no strategy can pass."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from wordpl.bounds.privacy import approximate_budget, pure_budget
from wordpl.contest.judge.ranking import RECORDS
from wordpl.model.words import load_words
from wordpl.search.frontier import WIN_RATES
from wordpl.search.known_frontier import known_frontier
from wordpl.web.models import Model
from wordpl.web.records import PERCENTILES, records
from wordpl.web.server import Here

router = APIRouter(prefix="/api/frontier", tags=["explore"])

MAX_CLUES = 10
"""Clues whose privacy is accounted for, at most."""
Kind = Literal["clues", "published", "record", "best", "bound", "privacy"]
_KINDS: dict[str, Kind] = {
    "best": "best",
    "bound": "bound",
    **dict.fromkeys(PERCENTILES, "record"),
    **dict.fromkeys(("TwoGuess", "NGuess", "MaxClueEntropy"), "published"),
}
"""Of the curves that are not `clues`."""


class FrontierCurve(Model):
    """The smallest budget for each win rate; null where nothing was measured.

    `clues`: the best known with so many clues; `published`: a published strategy at its best parameters; `record`: one
    of our records; `best`: the smallest of all these; `bound`: no strategy can pass it; `privacy`: what privacy
    accounting promises, a weaker bound.
    """

    name: str
    kind: Kind
    budgets: list[float | None]


class RecordPoint(Model):
    """A record of the contest: the budget at which a share of games is won."""

    name: str
    win_rate: float
    budget: float
    ours: bool


class Frontier(Model):
    """Budgets by win rate, for the contest's words, rule and channel."""

    win_rates: list[float]
    curves: list[FrontierCurve]
    records: list[RecordPoint]


@router.get("")
async def read_frontier(
    here: Here,
    clues: Annotated[int, Query(ge=1, le=MAX_CLUES, description="Clues of equal epsilon, for their privacy")] = 3,
) -> Frontier:
    """The smallest budget known for win rates from 1% to 99%, and the bounds."""
    if clues not in _frontiers:
        _frontiers[clues] = await here.slow.run(_frontier, clues)
    return _frontiers[clues]


_frontiers: dict[int, Frontier] = {}


def _frontier(clues: int) -> Frontier:
    answers = len(load_words("original").answers)
    counted = f"{clues} clue" + ("s" if clues > 1 else "")
    curves = [_curve(name, _KINDS.get(name, "clues"), budgets) for name, budgets in known_frontier().items()]
    curves += [
        _curve("privacy, any clues", "privacy", [pure_budget(rate, answers) for rate in WIN_RATES]),
        _curve(f"privacy, {counted}", "privacy", [approximate_budget(rate, clues, answers) for rate in WIN_RATES]),
    ]
    ours = [
        RecordPoint(name=record.name, win_rate=record.percentile / 100, budget=record.budget, ours=True)
        for record in records()
    ]
    before = [
        RecordPoint(name="record of the contest", win_rate=rate, budget=budget, ours=False)
        for rate, budget in RECORDS.items()
    ]
    return Frontier(win_rates=list(WIN_RATES), curves=curves, records=[*ours, *before])


def _curve(name: str, kind: Kind, budgets: list[float]) -> FrontierCurve:
    return FrontierCurve(name=name, kind=kind, budgets=[None if math.isnan(one) else one for one in budgets])
