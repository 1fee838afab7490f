"""The contest's leaderboard and the pages of its entries: what `wordpl contest board` and `audit` tell, to read.

Nothing of a running entry's trials is told. What contestants chose comes out visible and bounded, as text.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

from fastapi import APIRouter, Path, Query
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from starlette.responses import Response, StreamingResponse

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.base.lru_cache import LruCache
from wordpl.base.sanitizing import visible
from wordpl.contest.audit.whole import check_shown
from wordpl.contest.board import leaderboard
from wordpl.contest.check import template
from wordpl.contest.judge.ranking import CurvePoint, win_rate_curve
from wordpl.contest.ledger.entries import Entry, is_link, read_source
from wordpl.contest.ledger.writer import Ledger
from wordpl.web import costs
from wordpl.web.audits import AuditOut
from wordpl.web.models import Model
from wordpl.web.problems import BusyError, FieldError, plain
from wordpl.web.record_holders import record_holders
from wordpl.web.server import Here, Run, Server

router = APIRouter(prefix="/api/contest", tags=["contest"])

MAX_ROWS = 500
"""Rows of a board. A name finds the entries beyond."""
_AT_ONCE = 200
"""Trials of a log that are read at once."""
_LONGEST = 1000

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


class SourceName(Model):
    name: str
    characters: int


class ContestEntry(leaderboard.EntryFacts):
    """An entry: what `wordpl contest board --json` prints of it, but for the texts of its source."""

    source: Annotated[list[SourceName], Doc("The files that its author lets be shown.")]


class EntryCurve(Model):
    """Win rate against budget; empty while the entry runs."""

    error: Annotated[float, Doc("Probability that one interval is wrong")]
    trials: int
    points: list[CurvePoint]


class SourceFile(Model):
    """A published file to look at: what is not visible is replaced, and long lines are cut."""

    name: str
    text: str


Identity = Annotated[str, Path(max_length=100, description="12 hexadecimal digits")]
_CONTEST_ENTRY = TypeAdapter(ContestEntry)
Value = TypeVar("Value")

# What took time. All that a ledger tells of its boards follows from its events, the last of which is in the key.
_boards: LruCache[tuple[FilePath, str, int, str, str], Leaderboard] = LruCache(32)
_ranks: LruCache[tuple[FilePath, str], leaderboard.Ranks] = LruCache(2)
_curves: LruCache[tuple[FilePath, str, str], EntryCurve] = LruCache(200)


def _ledger(here: Server) -> Ledger:
    path = here.settings.ledger
    if path is None:
        raise FieldError("this server shows no contest; wordpl serve --ledger FILE shows one", None, 404)
    if not path.exists():
        raise FieldError("the contest has no ledger yet; wordpl contest submit makes one", None, 404)
    return Ledger(path, read_only=True)


async def _read(
    here: Server, run: Run, identity: str, read: Callable[[Ledger, Entry], Value], seconds: float = costs.LITTLE
) -> Value:
    """What `read` makes of an entry, in a thread."""

    def work() -> Value:
        with _ledger(here) as book, book.snapshot():
            entry = next((entry for entry in book.entries(identity) if entry.id == identity), None)
            if entry is None:
                raise FieldError("the contest has no entry with this id", "id", 404)
            return read(book, entry)

    return await run(seconds, work)


async def is_entry(here: Server, run: Run, identity: str) -> bool:
    """Whether the contest has an entry with this id, as far as can be told."""
    try:
        await _read(here, run, identity, lambda book, entry: None)
    except WordplError as error:
        return getattr(error, "status", 0) != 404
    return True


def _whole(here: Server) -> float:
    """Seconds that work on all of the ledger may take."""
    return costs.reading(here.settings.ledger) if here.settings.ledger else costs.LITTLE


def _plain(value: Any) -> Any:
    """`value` with all its texts visible and bounded: a ledger may come from anybody."""
    if isinstance(value, str):
        return visible(value, _LONGEST)
    if isinstance(value, dict):
        texts = {key: plain(str(inner)) if key == "reason" else inner for key, inner in value.items()}
        return {visible(key, _LONGEST): _plain(inner) for key, inner in texts.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


@router.get("")
async def read_leaderboard(
    here: Here,
    run: Run,
    percentile: Annotated[PercentText, Query(description="Percentile: 5, 50 or 95")] = 5,
    match: Annotated[str, Query(max_length=100, description="Only names that contain this text, or an id")] = "",
) -> Leaderboard:
    """The leaderboard at a percentile: every board, and what there is to beat."""

    def work() -> Leaderboard:
        with _ledger(here) as book, book.snapshot():
            key = book.path, book.version, percentile, match, here.settings.how_to_submit
            return _boards.get_or_make(key, lambda: _leaderboard(book, percentile, match, here.settings.how_to_submit))

    return await run(_whole(here), work)


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
    return Response(template("my_strategy.py"), 200, _as_file("my_strategy.py"), "text/x-python; charset=utf-8")


@router.get("/entries/{id}")
async def read_entry(here: Here, run: Run, id: Identity) -> ContestEntry:
    """An entry: its terms and, once its run is over, its standings and what is published of it."""
    return await _read(here, run, id, _entry_out, _whole(here))


def _entry_out(book: Ledger, entry: Entry) -> ContestEntry:
    record = leaderboard.entry_record(book, entry, _ranks_of(book))
    source = [{"name": name, "characters": len(text)} for name, text in record["source"].items()]
    try:
        return _CONTEST_ENTRY.validate_python(_plain({**record, "source": source}))
    except ValidationError:
        raise FieldError("the ledger has something else here than it should; wordpl contest audit tells what") from None


@router.get("/entries/{id}/curve")
async def read_entry_curve(here: Here, run: Run, id: Identity) -> EntryCurve:
    """Win rate against budget, with intervals. Each is wrong with the given probability."""

    def read(book: Ledger, entry: Entry) -> EntryCurve:
        return _curves.get_or_make((book.path, entry.id, entry.finished), lambda: _curve(book, entry))

    return await _read(here, run, id, read, _whole(here))


def _curve(book: Ledger, entry: Entry) -> EntryCurve:
    error, trials = entry.stop_rule.error, 0 if entry.running else entry.trials or 0
    if not trials:
        return EntryCurve(error=error, trials=0, points=[])
    budgets = [standing.budget for standing in book.standings(entry)]
    return EntryCurve(error=error, trials=trials, points=win_rate_curve(book.outcomes(entry, trials), error, budgets))


@router.get("/entries/{id}/log", response_class=Response, responses={200: {"content": {"application/x-ndjson": {}}}})
async def download_log(here: Here, run: Run, id: Identity) -> Response:
    """All trials of an entry whose run is over, a line of JSON each: its moves, clues and verdict."""
    entry = await _read(here, run, id, lambda book, entry: entry)
    if entry.running:
        raise FieldError("the log is published when the run is over", None, 409)
    lines = _lines(here, run, id, entry.trials or 0)
    return StreamingResponse(lines, 200, _as_file(f"{id}.jsonl"), "application/x-ndjson")


async def _lines(here: Server, run: Run, identity: str, trials: int) -> AsyncIterator[str]:
    start = 0

    def read(book: Ledger, entry: Entry) -> str:
        rows = book.rows(entry, start, _AT_ONCE)
        return "".join(json.dumps(leaderboard.trial_record(row)) + "\n" for row in rows if row.trial < trials)

    while start < trials:
        try:
            yield await _read(here, run, identity, read)
        except BusyError:  # an answer that has begun cannot be refused any more
            await asyncio.sleep(1)
        except WordplError as error:  # nor can it be if the ledger turns out to be damaged
            yield json.dumps({"error": str(error)}) + "\n"
            return
        else:
            start += _AT_ONCE


@router.get("/entries/{id}/source")
async def read_entry_source(here: Here, run: Run, id: Identity) -> list[SourceFile]:
    """The files that the author lets the ledger publish, to look at."""

    def shown(text: str) -> str:
        return "\n".join(visible(line.expandtabs(4), _LONGEST) for line in text.splitlines())

    def read(book: Ledger, entry: Entry) -> list[SourceFile]:
        files = read_source(entry.source, entry.files).items()
        return [SourceFile(name=visible(name), text=shown(text)) for name, text in files]

    return await _read(here, run, id, read)


@router.get("/entries/{id}/source/{number}", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def download_source(
    here: Here, run: Run, id: Identity, number: Annotated[int, Path(ge=0, le=10_000)]
) -> Response:
    """A published file as it was entered, by its place in the list."""

    files = await _read(here, run, id, lambda book, entry: list(read_source(entry.source, entry.files).items()))
    if number >= len(files):
        raise FieldError("the entry has no published file of that number", "number", 404)
    name, text = files[number]
    return Response(text, 200, _as_file(name), "text/plain; charset=utf-8")


@router.get("/entries/{id}/audit")
async def read_audit(here: Here, run: Run, id: Identity) -> AuditOut:
    """How far the audit of an entry is, and what the last one found."""
    return await _read(here, run, id, lambda book, entry: here.audits.find(entry.id, book.version))


@router.post("/entries/{id}/audit", status_code=202)
async def audit_entry(here: Here, run: Run, id: Identity) -> AuditOut:
    """Replay an entry from its seed, and check the ledger. Nothing is done again until the leaderboard changes."""

    def read(book: Ledger, entry: Entry) -> AuditOut:
        last = here.audits.find(entry.id, book.version).result
        if not (last and last.current):
            here.audits.start(book.path, entry.id)
        return here.audits.find(entry.id, book.version)

    return await _read(here, run, id, read)


def _as_file(name: str) -> dict[str, str]:
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[-80:].lstrip(".") or "file"
    return {"Content-Disposition": f'attachment; filename="{safe}"', "Cache-Control": "no-store"}
