"""The contest's leaderboard, to read. What contestants chose comes out visible and bounded, as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

from fastapi import APIRouter, Query
from pydantic import BeforeValidator
from starlette.responses import Response

from wordpl.base.json_types import Doc
from wordpl.base.lru_cache import LruCache
from wordpl.base.sanitizing import visible
from wordpl.contest.audit.whole import check_shown
from wordpl.contest.board import leaderboard
from wordpl.contest.check import template
from wordpl.contest.ledger.entries import Entry, is_link
from wordpl.contest.ledger.writer import Ledger
from wordpl.web.models import Model
from wordpl.web.problems import FieldError, plain
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
    best_known: Annotated[float, Doc("What the best strategy of the library needs; the contest need not list it yet")]


class BoardRow(leaderboard.StandingRecord):
    id: str
    name: str
    author: str
    link: Annotated[str, Doc("An https address, or empty.")]
    attempt: int
    trials: int


class Remark(Model):
    """What there is to say of an entry beside the table."""

    id: str
    name: str
    text: str


class ContestBoard(Model):
    """A board: entries that played the same games under the same limits."""

    id: str
    title: str
    contest: Annotated[bool, Doc("Whether the records stand for this board")]
    rows: list[BoardRow]
    remarks: list[Remark]
    left_out: Annotated[int, Doc("Rows and remarks beyond the most that are told")]


class Leaderboard(Model):
    """The boards at one percentile, in order of rank."""

    percentile: Percent
    records: list[RecordToBeat]
    margin_percent: float
    boards: list[ContestBoard]
    entries: Annotated[int, Doc("Entries that match, of all states")]
    version: Annotated[str, Doc("A digest that changes with the leaderboard")]
    commitment: str
    closed: bool
    how_to_submit: Annotated[str, Doc("What the organiser says of handing in a strategy; empty if nothing")]


# What took time. All that a ledger tells of its boards follows from its events, the last of which is in the key.
_boards: LruCache[tuple[Path, str, int, str, str], Leaderboard] = LruCache(32)
_ranks: LruCache[tuple[Path, str], leaderboard.Ranks] = LruCache(2)


def _ledger(here: Server) -> Ledger:
    path = here.settings.ledger
    if path is None:
        raise FieldError("this server shows no contest; wordpl serve --ledger FILE shows one", None, 404)
    if not path.exists():
        raise FieldError("the contest has no ledger yet; wordpl contest submit makes one", None, 404)
    return Ledger(path, read_only=True)


@router.get("")
def read_leaderboard(
    here: Here,
    percentile: Annotated[PercentText, Query(description="Percentile: 5, 50 or 95")] = 5,
    match: Annotated[str, Query(max_length=100, description="Only names that contain this text, or an id")] = "",
) -> Leaderboard:
    """The leaderboard at a percentile: every board, and what there is to beat."""
    with _ledger(here) as book, book.snapshot():
        key = book.path, book.version, percentile, match, here.settings.how_to_submit
        return _boards.get_or_make(key, lambda: _leaderboard(book, percentile, match, here.settings.how_to_submit))


def _ranks_of(book: Ledger) -> leaderboard.Ranks:
    """The ranks of all entries; raises `WordplError` if the ledger contradicts itself."""

    def checked() -> leaderboard.Ranks:
        check_shown(book)
        return book.ranks()

    return _ranks.get_or_make((book.path, book.version), checked)


def _leaderboard(book: Ledger, percentile: Percent, match: str, how_to_submit: str) -> Leaderboard:
    entries, records, ranks = book.entries(match), book.contest.records, _ranks_of(book)
    known = {holder.percentile: holder.budget for holder in record_holders()}
    return Leaderboard(
        percentile=percentile,
        records=[
            RecordToBeat(percentile=p, budget=records.budgets[p / 100], best_known=known[p]) for p in get_args(Percent)
        ],
        margin_percent=100 * records.margin,
        boards=[_board(book, group, ranks, percentile) for _, group in leaderboard.by_board(entries)],
        entries=len(entries),
        version=book.version,
        commitment=visible(book.contest.commitment),
        closed=bool(book.contest.closed),
        how_to_submit=how_to_submit,
    )


def _board(book: Ledger, entries: list[Entry], ranks: leaderboard.Ranks, percentile: Percent) -> ContestBoard:
    placed = leaderboard.placed_at(book, entries)
    ranked = placed[percentile / 100]
    rows = [
        BoardRow(
            **leaderboard.standing_record(standing, entry, ranks),
            id=entry.id,
            name=visible(entry.name),
            author=visible(entry.author),
            link=entry.link if is_link(entry.link) else "",
            attempt=entry.attempt,
            trials=entry.trials or 0,
        )
        for standing, entry in ranked[:MAX_ROWS]
    ]
    beside = leaderboard.remarks(entries, [entry for standings in placed.values() for _, entry in standings])
    first = entries[0]
    return ContestBoard(
        id=first.board.id,
        title=first.board.title(first.words),
        contest=first.board.is_contest,
        rows=rows,
        remarks=[Remark(id=e.id, name=visible(e.name), text=plain(text)) for e, text in beside[:MAX_ROWS]],
        left_out=max(0, len(ranked) - MAX_ROWS) + max(0, len(beside) - MAX_ROWS),
    )


@router.get("/template", response_class=Response, responses={200: {"content": {"text/x-python": {}}}})
def download_template() -> Response:
    """A strategy to start from, as `wordpl new my_strategy.py` writes it."""
    return Response(template("my_strategy.py"), 200, _TEMPLATE_HEADERS, "text/x-python; charset=utf-8")
