"""The contest's leaderboard, to read. What contestants chose comes out visible and bounded, as text."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Query
from pydantic import BeforeValidator
from starlette.responses import Response

from wordpl.base.displays import finite
from wordpl.base.json_types import Doc, OpenInterval
from wordpl.contest.board import Board, read_board
from wordpl.contest.check import template
from wordpl.contest.ledger import Ledger
from wordpl.web.models import Model
from wordpl.web.problems import FieldError
from wordpl.web.record_holders import record_holders
from wordpl.web.server import Here, Server

router = APIRouter(prefix="/api/contest", tags=["contest"])

MAX_ROWS = 500
"""Rows of a board. A name finds the entries beyond."""
_TEMPLATE_HEADERS = {"Content-Disposition": 'attachment; filename="my_strategy.py"'}

Percent: TypeAlias = Literal[5, 50, 95]
PercentText: TypeAlias = Annotated[Percent, BeforeValidator(lambda text: {"5": 5, "50": 50, "95": 95}.get(text, text))]


class RecordToBeat(Model):
    percentile: Percent
    budget: float
    best_known: Annotated[float, Doc("Budget of the best strategy of the library; the contest need not list it yet")]


class BoardRow(Model):
    """An entry at the percentile."""

    rank: Annotated[int | None, Doc("Null if it does not reach the percentile.")]
    id: str
    name: str
    author: str
    link: Annotated[str, Doc("An https address, or empty.")]
    score: Annotated[float | None, Doc("The percentile of its scores; null for infinity.")]
    interval: Annotated[OpenInterval, Doc("Its interval; null for infinity.")]
    beats_record: bool


class Remark(Model):
    """The line about an entry below the table."""

    id: str
    name: str
    text: str


class Leaderboard(Model):
    """The board at one percentile, in order of rank."""

    percentile: Percent
    title: str
    stage: Annotated[str, Doc("provisional until the close, then final")]
    record: Annotated[RecordToBeat | None, Doc("Null if the contest has none at this percentile")]
    margin_percent: float
    rows: list[BoardRow]
    remarks: list[Remark]
    left_out: Annotated[int, Doc("Rows and remarks beyond the most that are told")]
    entries: Annotated[int, Doc("Entries that match, of all states")]
    version: Annotated[str, Doc("A digest that changes with the leaderboard")]
    hashes: Annotated[dict[str, str], Doc("SHA-256 of the seeds, by stage")]
    seeds: Annotated[dict[str, str], Doc("The seeds, by stage; empty until the close")]
    how_to_submit: Annotated[str, Doc("The organiser's sentence on how to hand in a strategy; empty if there is none")]


@lru_cache(maxsize=32)
def _board(path: Path, version: str, match: str) -> Board:
    """What takes time. All that a board shows is in the `version` of the ledger."""
    with Ledger(path, read_only=True) as book, book.snapshot():
        return read_board(book, match)


def _ledger(here: Server) -> Ledger:
    path = here.settings.ledger
    if path is None:
        raise FieldError("this server shows no contest; wordpl serve --ledger FILE shows one", None, 404)
    if not path.exists():
        raise FieldError("the contest has no ledger yet; wordpl contest start makes one", None, 404)
    return Ledger(path, read_only=True)


@router.get("")
def read_leaderboard(
    here: Here,
    percentile: Annotated[PercentText, Query(description="Percentile: 5, 50 or 95")] = 5,
    match: Annotated[str, Query(max_length=100, description="Only entries whose name or id contains this text")] = "",
) -> Leaderboard:
    """The board at a percentile, and what there is to beat."""
    with _ledger(here) as book:
        path, version = book.path, book.version
    return _leaderboard(_board(path, version, match), percentile, here.settings.how_to_submit)


def _leaderboard(board: Board, percentile: Percent, how_to_submit: str) -> Leaderboard:
    pairs = board.standings(percentile / 100)
    known = {holder.percentile: holder.budget for holder in record_holders()}
    beaten = None
    if (budget := board.records.get(percentile / 100)) is not None:
        beaten = RecordToBeat(percentile=percentile, budget=budget, best_known=known[percentile])
    rows = [
        BoardRow(
            rank=standing.rank,
            id=entry.id,
            name=entry.name,
            author=entry.author,
            link=entry.link,
            score=finite(standing.score),
            interval=(finite(standing.interval[0]), finite(standing.interval[1])),
            beats_record=standing.beats_record,
        )
        for standing, entry in pairs[:MAX_ROWS]
    ]
    remarks = [Remark(id=entry.id, name=entry.name, text=entry.remark) for entry in board.entries[:MAX_ROWS]]
    return Leaderboard(
        percentile=percentile,
        title=board.title,
        stage=board.stage,
        record=beaten,
        margin_percent=board.margin_percent,
        rows=rows,
        remarks=remarks,
        left_out=max(0, len(pairs) - MAX_ROWS) + max(0, len(board.entries) - MAX_ROWS),
        entries=len(board.entries),
        version=board.version,
        hashes=board.hashes,
        seeds=board.seeds,
        how_to_submit=how_to_submit,
    )


@router.get("/template", response_class=Response, responses={200: {"content": {"text/x-python": {}}}})
def download_template() -> Response:
    """A strategy to start from, as `wordpl new my_strategy.py` writes it."""
    return Response(template("my_strategy.py"), 200, _TEMPLATE_HEADERS, "text/x-python; charset=utf-8")
