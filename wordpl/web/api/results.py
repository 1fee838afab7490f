"""Results: the statistics of results files, and the curves on which they lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import StreamingResponse

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.reporting.outcome_tables import CurveRecord, curve_record
from wordpl.reporting.plots import natural
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.outcomes import curves, shared_terms, turn_shares
from wordpl.simulation.statistics_table import STATISTICS, EvaluationRecord, Statistic, StatisticsRecord, TaskRecord
from wordpl.web.models import Model
from wordpl.web.problems import plain
from wordpl.web.result_files import MAX_TASKS, ResultFiles, TaskSummary, joined
from wordpl.web.server import Here

router = APIRouter(prefix="/api/results", tags=["results"])

FileName = Annotated[str, Field(max_length=4096)]
Match = Annotated[
    str, Query(max_length=200, description="Only tasks whose strategy or words contain this, as `Two, NGuess`")
]


class FileState(Model):
    """A results file. Its version changes with its content; it is empty if the file is gone."""

    name: str
    version: str


class FileRead(FileState):
    """A results file that was read, or why it could not be."""

    problem: str | None
    tasks: int
    trials: int


class TurnShare(Model):
    """The share of games that were won on a turn; null is for those that were lost."""

    turns: int | None
    share: float
    interval: tuple[float, float]


class FileOutcome(TaskRecord, StatisticsRecord):
    """The statistics of one task of a file. Percentiles that are not reached are null; so are infinite ends."""

    file: str
    curve: Annotated[int, Doc("Place among the curves, from 0.")]
    turn_shares: Annotated[list[TurnShare], Doc("Without noise, the turns of its games; else empty.")]


class StatisticColumn(Model):
    """A statistic of every outcome, as a column of a table."""

    name: Annotated[str, Doc("Its key in an outcome")]
    heading: str
    kind: Literal["count", "share", "number"]
    has_interval: Annotated[bool, Doc("True if its interval is shown; it is NAME_interval in an outcome")]


class Results(Model):
    """Files, and the curves in them. A task that is in two files counts once, with the trials of both."""

    files: list[FileRead]
    terms: Annotated[str | None, Doc("Terms that all outcomes have in common")]
    tasks: int
    trials: int
    curves: Annotated[list[CurveRecord], Doc("Curves by name")]
    statistics: Annotated[list[StatisticColumn], Doc("The columns of a table of the outcomes")]
    outcomes: Annotated[list[FileOutcome], Doc("Outcomes by curve, each in order of epsilon")]
    left_out: Annotated[int, Doc(f"Tasks beyond the first {MAX_TASKS}")]


@router.get("")
def list_results_files(here: Here) -> list[FileState]:
    """The results files of this server. It is cheap: ask again to learn whether one has changed."""
    files = here.results
    return [FileState(name=name, version=files.version(name)) for name in files.names]


@router.get("/curves")
def read_results(
    here: Here,
    file: Annotated[list[FileName] | None, Query(max_length=1000, description="Names of files; all if none")] = None,
    match: Match = "",
) -> Results:
    """Percentiles, win rates, turns and verdicts of tasks, with 95% intervals, as curves over epsilon."""
    return _read(here.results, list(dict.fromkeys(file or here.results.names)), match)


@router.get("/trials.csv", response_class=StreamingResponse)
def download_trials(here: Here, file: FileName, match: Match = "") -> StreamingResponse:
    """Every trial of a file as CSV, the same bytes as `wordpl results FILE --out trials.csv` writes."""
    name, copy = here.results.path(file).stem, here.results.export(file, match)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.csv",
        "Content-Length": str(os.fstat(copy.fileno()).st_size),
        "Cache-Control": "no-store",
    }

    def chunks() -> Iterator[bytes]:
        with copy:
            while chunk := copy.read(1 << 16):
                yield chunk

    return StreamingResponse(chunks(), media_type="text/csv; charset=utf-8", headers=headers)


def _read(results: ResultFiles, names: list[str], match: str) -> Results:
    files: list[FileRead] = []
    by_task: dict[str, tuple[str, Evaluation, EvaluationRecord]] = {}
    left_out = 0
    for name in names:
        version, problem = results.version(name), None
        tasks: list[TaskSummary] = []
        try:
            tasks, more = results.read(name, match, MAX_TASKS - sum(file.tasks for file in files))
            left_out += more
        except WordplError as error:
            problem = plain(str(error))
        for outcome, record in tasks:
            row = by_task.get(outcome.task.id)
            if row is None:
                by_task[outcome.task.id] = name, outcome, record
                continue
            try:
                whole = joined(row[1], outcome)
                by_task[outcome.task.id] = row[0], whole, whole.summary()
            except WordplError as error:
                problem = plain(str(error))
        trials = sum(outcome.trials for outcome, _ in tasks)
        files.append(FileRead(name=name, version=version, problem=problem, tasks=len(tasks), trials=trials))
    outcomes = [outcome for _, outcome, _ in by_task.values()]
    lines = sorted(curves(outcomes), key=lambda line: natural(line.label))
    return Results(
        files=files,
        terms=shared_terms([outcome.task for outcome in outcomes]) if outcomes else None,
        tasks=len(outcomes),
        trials=sum(outcome.trials for outcome in outcomes),
        curves=[curve_record(line) for line in lines],
        statistics=[_column(statistic) for statistic in STATISTICS if statistic.heading],
        outcomes=[
            _outcome(*by_task[outcome.task.id], curve=i) for i, line in enumerate(lines) for outcome in line.outcomes
        ],
        left_out=left_out,
    )


def _column(statistic: Statistic) -> StatisticColumn:
    return StatisticColumn(
        name=statistic.name,
        heading=statistic.heading,
        kind="count" if statistic.kind is int else "share" if statistic.is_share else "number",
        has_interval=statistic.interval is not None and len(statistic.ranks) > 1,
    )


def _outcome(file: str, outcome: Evaluation, record: EvaluationRecord, curve: int) -> FileOutcome:
    shares = []
    if outcome.task.noiseless:
        turns = range(min(outcome.turns, default=1), max(outcome.turns, default=0) + 1)
        shares = [
            TurnShare(turns=turn, share=share, interval=ends)
            for turn, (share, ends) in zip([*turns, None], turn_shares(outcome, turns), strict=True)
        ]
    return {**record, "file": file, "curve": curve, "turn_shares": shares}
