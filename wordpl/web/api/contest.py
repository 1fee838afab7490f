"""The contest's leaderboard and the pages of its entries: what `wordpl leaderboard` and `wordpl audit` tell, to read.

Nothing of a running entry's trials is told. What contestants chose comes out visible and bounded, as text.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query
from pydantic import ValidationError
from starlette.responses import Response, StreamingResponse

from wordpl.contest.credit import is_link, read_source
from wordpl.contest.entries import Entry
from wordpl.contest.ledger import Ledger
from wordpl.contest.ranking import Standing, win_rate_curve
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError
from wordpl.reporting.leaderboard import (
    by_board,
    entry_record,
    placed_at,
    remarks,
    shown_name,
    standing_record,
    trial_record,
)
from wordpl.simulation.statistics import PERCENTILES
from wordpl.web.contest_models import (
    AuditOut,
    AuditReport,
    BoardRow,
    ContestBoard,
    ContestEntry,
    EntryCurve,
    EntryCurvePoint,
    Leaderboard,
    Percent,
    PercentText,
    RecordToBeat,
    Remark,
    SourceFile,
)
from wordpl.web.contest_state import Ranks
from wordpl.web.pool import BusyError
from wordpl.web.problems import FieldError
from wordpl.web.server import Here, Server

router = APIRouter(prefix="/api/contest", tags=["contest"])

MAX_ROWS = 500
"""Rows of a board. A name finds the entries beyond."""
_AT_ONCE = 200
"""Trials of a log that are read at once."""
_LONGEST = 1000

Identity = Annotated[
    str, Path(pattern="^[0-9a-f]{12}$", min_length=12, max_length=12, description="12 hexadecimal digits")
]
Value = TypeVar("Value")


def _ledger(here: Server) -> Ledger:
    path = here.settings.ledger
    if path is None:
        raise FieldError("this server shows no contest; wordpl serve --ledger FILE shows one", None, 404)
    if not path.exists():
        raise FieldError("the contest has no ledger yet; wordpl submit makes one", None, 404)
    return Ledger(path, read_only=True)


def _entry(book: Ledger, identity: str) -> Entry:
    found = [entry for entry in book.entries(identity) if entry.id == identity]
    if not found:
        raise FieldError("the contest has no entry with this id", "id", 404)
    return found[0]


async def _read(here: Server, identity: str, read: Callable[[Ledger, Entry], Value]) -> Value:
    """What `read` makes of an entry, in a thread of the pool."""

    def work() -> Value:
        with _ledger(here) as book, book.snapshot():
            return read(book, _entry(book, identity))

    return await here.pool.run(work)


def _plain(value: Any) -> Any:
    """`value` with all its texts visible and bounded: a ledger may come from anybody."""
    if isinstance(value, str):
        return visible(value, _LONGEST)
    if isinstance(value, dict):
        return {visible(key, _LONGEST): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


@router.get("")
async def read_leaderboard(
    here: Here,
    percentile: Annotated[PercentText, Query(description="Of the win rate: 5, 50 or 95")] = 5,
    match: Annotated[str, Query(max_length=100, description="Only names that contain this text, or an id")] = "",
) -> Leaderboard:
    """The leaderboard at a percentile: every board, and what there is to beat."""

    def work() -> Leaderboard:
        with _ledger(here) as book, book.snapshot():
            # All that the leaderboard tells follows from events.
            key = (book.head, percentile, match)
            found = here.contest.boards.get(key)
            if found is None:
                found = _leaderboard(book, _ranks(here, book), percentile, match)
                here.contest.boards.put(key, found)
            return found

    return await here.pool.run(work)


def _ranks(here: Server, book: Ledger) -> Ranks:
    return here.contest.ranks.get_or_make(book.head, book.ranks)


def _leaderboard(book: Ledger, ranks: Ranks, percentile: Percent, match: str) -> Leaderboard:
    entries, now = book.entries(match), book.records()
    return Leaderboard(
        percentile=percentile,
        records=[RecordToBeat(percentile=_percent(q), budget=now.budgets[q]) for q in PERCENTILES],
        margin_percent=100 * now.margin,
        boards=[_board(book, its, ranks, percentile) for _, its in by_board(entries)],
        entries=len(entries),
        head=visible(book.head),
        commitment=visible(book.commitment),
        closed=book.closed,
    )


def _board(book: Ledger, entries: list[Entry], ranks: Ranks, percentile: Percent) -> ContestBoard:
    placed = placed_at(book, entries)
    anywhere = [entry for found in placed.values() for _, entry in found]
    here = placed[percentile / 100]
    rows = [
        BoardRow.model_validate(
            _standing(book, standing, entry, ranks)
            | {"id": entry.id, "name": shown_name(entry), "author": visible(entry.author)}
            | {"link": entry.link if is_link(entry.link) else "", "draw": entry.draw, "trials": entry.trials or 0}
        )
        for standing, entry in here[:MAX_ROWS]
    ]
    said = remarks(entries, anywhere)
    first = entries[0]
    return ContestBoard(
        id=first.board.id,
        title=first.board.title(first.words),
        contest=first.board.is_contest,
        words=visible(first.words),
        rule=visible(first.rule),
        channel=visible(first.channel),
        rows=rows,
        remarks=[Remark(id=e.id, name=shown_name(e), text=text) for e, text in said[:MAX_ROWS]],
        left_out=max(0, len(here) - MAX_ROWS) + max(0, len(said) - MAX_ROWS),
    )


def _standing(book: Ledger, standing: Standing, entry: Entry, ranks: Ranks) -> dict[str, Any]:
    told = dict.fromkeys(("record", "margin_percent", "improvement_percent", "clears"))
    told |= standing_record(standing, entry, book.records(entry))
    return told | {
        "percentile": _percent(standing.percentile),
        "rank": ranks.get((entry.key, standing.percentile)),
    }


def _percent(q: float) -> Percent:
    found: dict[int, Percent] = {5: 5, 50: 50, 95: 95}
    return found[round(100 * q)]


@router.get("/entries/{id}")
async def read_entry(here: Here, id: Identity) -> ContestEntry:
    """An entry: its terms and, once its run is over, its standings and what is published of it."""
    return await _read(here, id, lambda book, entry: _entry_out(here, book, entry))


def _entry_out(here: Server, book: Ledger, entry: Entry) -> ContestEntry:
    ranks = _ranks(here, book)
    record = entry_record(book, entry, ranks)
    for percentile in PERCENTILES:
        record.pop(f"p{_percent(percentile):02d}", None)
    untold: dict[str, Any] = {
        "trials": None,
        "verdicts": None,
        "timeouts": None,
        "reasons": [],
        "flag": None,
        "workers": [],
    }
    told = untold | record
    told["flag"] = told["flag"] if entry.flag and not entry.running else None
    told["source"] = [{"name": name, "characters": len(text)} for name, text in told["source"].items()]
    told["standings"] = [] if entry.running else [_standing(book, s, entry, ranks) for s in book.standings(entry)]
    try:
        return ContestEntry.model_validate(_plain(told | {"chain": _chain(book, entry)}))
    except ValidationError:
        raise FieldError("the ledger has something else here than wordpl writes; wordpl audit tells what") from None


def _chain(book: Ledger, entry: Entry) -> dict[str, Any]:
    receipt = book.receipt(entry)
    events = {"opened": (0, receipt.opened), "entered": (entry.key, receipt.entered), "finished": None}
    if receipt.finished is not None and entry.finished is not None:
        events["finished"] = (entry.finished, receipt.finished)
    told = {
        name: found and {"number": found[0], "hash": found[1].hash, "time": str(found[1].facts.get("time", ""))}
        for name, found in events.items()
    }
    return {**told, "head": book.head}


@router.get("/entries/{id}/curve")
async def read_entry_curve(here: Here, id: Identity) -> EntryCurve:
    """Win rate against budget, with intervals. Each is wrong with the given probability."""

    def read(book: Ledger, entry: Entry) -> EntryCurve:
        error = entry.stop_rule.error
        if entry.running or not entry.trials:
            return EntryCurve(error=error, trials=0, points=[])
        return here.contest.curves.get_or_make(f"{entry.id} {entry.finished}", lambda: _curve(book, entry, error))

    return await _read(here, id, read)


def _curve(book: Ledger, entry: Entry, error: float) -> EntryCurve:
    outcomes = book.outcomes(entry, entry.trials)
    through = [standing.budget for standing in book.standings(entry)]
    points = [
        EntryCurvePoint(budget=point.budget, win_rate=point.win_rate, interval=point.interval)
        for point in win_rate_curve(outcomes, error, through)
    ]
    return EntryCurve(error=error, trials=len(outcomes), points=points)


@router.get("/entries/{id}/receipt", response_class=Response, responses={200: {"content": {"application/json": {}}}})
async def download_receipt(here: Here, id: Identity) -> Response:
    """The receipt of an entry, for `wordpl audit --receipt FILE`."""
    text = await _read(here, id, lambda book, entry: book.receipt(entry).text)
    return _download(text, "application/json", f"{id}.receipt.json")


@router.get("/entries/{id}/log", response_class=Response, responses={200: {"content": {"application/x-ndjson": {}}}})
async def download_log(here: Here, id: Identity) -> Response:
    """All trials of an entry whose run is over, a line of JSON each: its moves, clues and verdict."""
    entry = await _read(here, id, lambda book, entry: entry)
    if entry.running:
        raise FieldError("the log is published when the run is over", None, 409)
    lines = _lines(here, id, entry.trials or 0)
    return StreamingResponse(lines, 200, _as_file(f"{id}.jsonl"), "application/x-ndjson")


async def _lines(here: Server, identity: str, trials: int) -> AsyncIterator[str]:
    start = 0

    def read(book: Ledger, entry: Entry) -> str:
        rows = book.rows(entry, start, _AT_ONCE)
        return "".join(json.dumps(trial_record(row)) + "\n" for row in rows if row.trial < trials)

    while start < trials:
        try:
            yield await _read(here, identity, read)
        except BusyError:  # an answer that has begun cannot be refused any more
            await asyncio.sleep(BusyError.retry_after)
        except WordplError as error:  # nor can it be if the ledger turns out to be damaged
            yield json.dumps({"error": str(error)}) + "\n"
            return
        else:
            start += _AT_ONCE


@router.get("/entries/{id}/source")
async def read_entry_source(here: Here, id: Identity) -> list[SourceFile]:
    """The files that the author lets the ledger publish, to look at."""

    def read(book: Ledger, entry: Entry) -> list[SourceFile]:
        return [
            SourceFile(
                name=visible(name), text="\n".join(visible(line.expandtabs(4), _LONGEST) for line in text.splitlines())
            )
            for name, text in read_source(entry.source, entry.files).items()
        ]

    return await _read(here, id, read)


@router.get("/entries/{id}/source/{number}", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def download_source(here: Here, id: Identity, number: Annotated[int, Path(ge=0, le=10_000)]) -> Response:
    """A published file as it was entered, by its place in the list."""

    def read(book: Ledger, entry: Entry) -> tuple[str, str]:
        files = list(read_source(entry.source, entry.files).items())
        if number >= len(files):
            raise FieldError("the entry has no published file of that number", "number", 404)
        return files[number]

    name, text = await _read(here, id, read)
    return _download(text, "text/plain; charset=utf-8", name)


@router.get("/entries/{id}/audit")
async def read_audit(here: Here, id: Identity) -> AuditOut:
    """How far the audit of an entry is, and what the last one found."""
    return await _read(here, id, lambda book, entry: _audit(here, book, entry))


@router.post("/entries/{id}/audit", status_code=202)
async def audit_entry(here: Here, id: Identity) -> AuditOut:
    """Replay an entry from its seed, and check the chain. Nothing is done again until the ledger has another event."""

    def read(book: Ledger, entry: Entry) -> AuditOut:
        found = _audit(here, book, entry)
        if not found.running and not (found.result and found.result.current):
            here.contest.audits.start(book.path, entry.id)
            found = _audit(here, book, entry)
        return found

    return await _read(here, id, read)


def _audit(here: Server, book: Ledger, entry: Entry) -> AuditOut:
    running, result = here.contest.audits.find(entry.id)
    report = (
        None
        if result is None
        else AuditReport(
            head=result.head,
            at=result.at,
            ledger=list(result.ledger),
            entry=list(result.entry),
            only_terms=result.only_terms,
            current=result.head == book.head,
        )
    )
    trials, of = (running.trials, running.of) if running else (0, 0)
    return AuditOut(running=running is not None, trials=trials, of=of, result=report)


def _download(content: str, kind: str, name: str) -> Response:
    return Response(content, 200, _as_file(name), kind)


def _as_file(name: str) -> dict[str, str]:
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[-80:].lstrip(".") or "file"
    return {"Content-Disposition": f'attachment; filename="{safe}"', "Cache-Control": "no-store"}
