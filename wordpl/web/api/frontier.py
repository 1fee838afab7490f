"""The frontier: for each win rate the budgets of all families, the records, and what no strategy can pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from wordpl.base.displays import counted
from wordpl.base.json_types import Doc
from wordpl.limits.privacy import approximate_budget, pure_budget
from wordpl.model.words import load_words
from wordpl.simulation.known_budgets import RECORDS, WIN_RATES, known_errors, known_frontier
from wordpl.web.models import Model
from wordpl.web.record_holders import PERCENTILES, record_holders
from wordpl.web.shared import shared

router = APIRouter(prefix="/api/frontier", tags=["explore"])

Kind = Literal["clues", "published", "record", "best", "bound", "two_clues", "privacy"]
_KINDS: dict[str, Kind] = {
    "best": "best",
    "bound": "bound",
    "bound, 2 clues": "two_clues",
    **dict.fromkeys(PERCENTILES, "record"),
    **dict.fromkeys(("TwoGuess", "NGuess", "MaxClueEntropy", "G3", "D95"), "published"),
}
"""The kinds of all curves but `clues`, by name."""


class FrontierCurve(Model):
    """The smallest budget for each win rate; null where nothing was measured.

    `clues`: the best known with so many clues; `published`: a published strategy at its best parameters; `record`: one
    of our records; `best`: the smallest of all these; `bound`: no strategy can pass it; `two_clues`: none with two
    clues can, at some win rates; `privacy`: what privacy accounting promises, a weaker bound.
    """

    name: str
    kind: Kind
    budgets: Sequence[float | None]  # a NaN becomes null
    errors: Annotated[Sequence[float | None] | None, Doc("Half of a 95% interval; 0 if exact, null for bounds")]


class RecordPoint(Model):
    """A record of the contest: the budget at which a share of games is won."""

    name: str
    win_rate: float
    budget: float
    ours: bool


class Frontier(Model):
    """Budgets by win rate, for the contest's words, rule and channel."""

    win_rates: Sequence[float]
    curves: list[FrontierCurve]
    records: list[RecordPoint]


@router.get("")
async def read_frontier(
    clues: Annotated[int | None, Query(ge=1, le=10, description="Clues of equal epsilon, for their privacy")] = None,
) -> Frontier:
    """The smallest budget known for win rates from 1% to 99%, and the bounds."""
    return await _frontier(clues)


@shared
def _frontier(clues: int | None) -> Frontier:
    answers = len(load_words("original").answers)
    budgets = {
        **known_frontier(),
        "privacy, any clues": [pure_budget(rate, answers) for rate in WIN_RATES],
    }
    if clues is not None:  # it takes seconds
        name = f"privacy, {counted(clues, 'clue')}"
        budgets[name] = [approximate_budget(rate, clues, answers) for rate in WIN_RATES]
    errors = known_errors()
    kinds: dict[str, Kind] = {name: "privacy" if name.startswith("privacy") else "clues" for name in budgets} | _KINDS
    points = [(holder.name, holder.percentile / 100, holder.budget, True) for holder in record_holders()]
    points += [("record of the contest", rate, budget, False) for rate, budget in RECORDS.items()]
    return Frontier(
        win_rates=WIN_RATES,
        curves=[
            FrontierCurve(name=name, kind=kinds[name], budgets=curve, errors=errors.get(name))
            for name, curve in budgets.items()
        ],
        records=[RecordPoint(name=name, win_rate=rate, budget=at, ours=ours) for name, rate, at, ours in points],
    )
