"""Results: the figures of results files, and the curves on which they lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePath
from typing import Annotated, Any, BinaryIO, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import StreamingResponse

from wordpl.errors import WordplError
from wordpl.reporting.outcome_tables import curve_record
from wordpl.simulation.outcomes import curves, shared_terms, turn_shares
from wordpl.web.models import Model
from wordpl.web.result_files import MAX_TASKS, Found, ResultFiles
from wordpl.web.server import Here

router = APIRouter(prefix="/api/results", tags=["results"])

MAX_MATCH = 200
"""Characters of a filter."""
MAX_FILES = 100
_CHUNK = 1 << 16

FileName = Annotated[str, Field(max_length=4096)]
Match = Annotated[
    str, Query(max_length=MAX_MATCH, description="Only tasks whose strategy or word list contains this text")
]
Interval = tuple[float | None, float | None]
"""Both ends; null for infinity."""


class FileState(Model):
    """A results file. Its version changes with its content; it is empty if the file is gone."""

    name: str
    version: str


class FileRead(FileState):
    """A results file that was read, or why it could not be."""

    problem: str | None
    tasks: int
    trials: int


class CurveBudget(Model):
    """The smallest budget at which a curve reaches a win rate."""

    win_rate: float
    place: Literal["below", "inside", "above"]
    budget: float | None
    interval: Interval


class CurveOut(Model):
    """A strategy over epsilons, all else the same."""

    label: str
    budgets: list[CurveBudget]


class TurnShare(Model):
    """How many of the games were won on a turn; null is for those that were lost."""

    turns: int | None
    share: float
    interval: tuple[float, float]


class OutcomeOut(Model):
    """The figures of one task. A percentile that is not reached is null; its interval may end at infinity, null."""

    file: str
    curve: Annotated[int, Field(description="Place among the curves, from 0")]
    task: str
    strategy: str
    epsilon: float | Literal["inf"] | None
    noiseless: bool
    words: str
    rule: str
    channel: str
    seed: str
    trials: int
    wins: int
    win_rate: float
    win_rate_interval: Interval
    mean_budget: float | Literal["inf"]
    p05: float | None
    p05_interval: Interval
    p50: float | None
    p50_interval: Interval
    p95: float | None
    p95_interval: Interval
    turns: Annotated[list[TurnShare], Field(description="Without noise, the turns of its games; else empty")]
    mean_turns: float | None
    verdicts: dict[str, int]


class Results(Model):
    """Files, and the curves of what is in them. A task that is in two files counts once, with the more trials."""

    files: list[FileRead]
    terms: Annotated[str | None, Field(description="What all outcomes have in common")]
    curves: list[CurveOut]
    outcomes: Annotated[list[OutcomeOut], Field(description="By curve, each in order of epsilon")]
    left_out: Annotated[int, Field(description=f"Tasks beyond the first {MAX_TASKS}")]


@router.get("")
def list_results_files(here: Here) -> list[FileState]:
    """The results files of this server. It is cheap: ask again to learn whether one has changed."""
    files = here.results
    return [FileState(name=name, version=files.version(name)) for name in files.names]


@router.get("/curves")
async def read_results(
    here: Here,
    file: Annotated[
        list[FileName] | None, Query(max_length=MAX_FILES, description="Names of files; all if none")
    ] = None,
    match: Match = "",
) -> Results:
    """Percentiles, win rates, turns and verdicts of all tasks, with 95% intervals, as curves over epsilon."""
    names = list(dict.fromkeys(file or here.results.names))
    for name in names:
        here.results.path(name)
    return await here.pool.run(_read, here.results, names, match)


@router.get("/trials.csv", response_class=StreamingResponse)
async def download_trials(here: Here, file: FileName, match: Match = "") -> StreamingResponse:
    """Every trial of a file as CSV, the same bytes as `wordpl results FILE --out trials.csv` writes."""
    name = PurePath(here.results.path(file).name).stem
    copy = await here.pool.run(here.results.export, file, match)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.csv",
        "Content-Length": str(os.fstat(copy.fileno()).st_size),
        "Cache-Control": "no-store",
    }
    return StreamingResponse(_chunks(copy), media_type="text/csv; charset=utf-8", headers=headers)


def _chunks(copy: BinaryIO) -> Iterator[bytes]:
    with copy:
        while chunk := copy.read(_CHUNK):
            yield chunk


def _read(results: ResultFiles, names: list[str], match: str) -> Results:
    files: list[FileRead] = []
    by_task: dict[str, tuple[str, Found]] = {}
    room, left_out = MAX_TASKS, 0
    for name in names:
        version, problem = results.version(name), None
        found: list[Found] = []
        try:
            found, more = results.read(name, match, room)
            left_out += more
        except WordplError as error:
            problem = str(error)
        room -= len(found)
        for one in found:
            known = by_task.get(one.outcome.task.id)
            if known is None or known[1].outcome.figures.trials < one.outcome.figures.trials:
                by_task[one.outcome.task.id] = name, one
        trials = sum(one.outcome.figures.trials for one in found)
        files.append(FileRead(name=name, version=version, problem=problem, tasks=len(found), trials=trials))
    outcomes = [found.outcome for _, found in by_task.values()]
    lines = curves(outcomes)
    return Results(
        files=files,
        terms=shared_terms(outcomes) if outcomes else None,
        curves=[CurveOut(**curve_record(line)) for line in lines],
        outcomes=[
            _outcome(*by_task[outcome.task.id], curve=i) for i, line in enumerate(lines) for outcome in line.outcomes
        ],
        left_out=left_out,
    )


def _outcome(file: str, found: Found, curve: int) -> OutcomeOut:
    figures, shares = found.outcome.figures, []
    if found.outcome.task.noiseless:
        turns = range(min(figures.turns, default=1), max(figures.turns, default=0) + 1)
        shares = [
            TurnShare(turns=turn, share=share, interval=ends)
            for turn, (share, ends) in zip([*turns, None], turn_shares(figures, turns), strict=True)
        ]
    record: dict[str, Any] = {**found.record, "file": file, "curve": curve, "turns": shares}
    return OutcomeOut(**{name: record[name] for name in OutcomeOut.model_fields})
