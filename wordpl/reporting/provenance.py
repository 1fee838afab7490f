"""What made a results file, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, cast

from typing_extensions import TypedDict

from wordpl.base.displays import counted, cut
from wordpl.base.json_types import Doc, Engine
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import print_table
from wordpl.simulation.provenance import RUN_COLUMNS, Run

_LONGEST = 2000
VERSIONS = ("wordpl", "engine", "python", "numpy", "scipy", "numba", "platform")


def print_runs(title: str, runs: Sequence[Run]) -> None:
    """Print a row for each run: its command, what it added and when; and what the runs were made with."""
    columns = [TableColumn("command", kind="text"), TableColumn("trials"), TableColumn("tasks", 1)]
    columns += [TableColumn("begun (UTC)", 2), TableColumn("took", 3)]
    rows = [[cut(run.command, _LONGEST), str(run.trials), str(len(run.added)), *_times(run)] for run in runs]
    versions = Counter(tuple(getattr(run, name) for name in VERSIONS) for run in runs)
    notes = [_made_with(version, n if n < len(runs) else 0) for version, n in versions.items()]
    print_table(f"{title}: what made it", columns, rows, notes)


class AddedTrials(TypedDict):
    """What a run added to a task."""

    task: Annotated[str, Doc("Id of the task.")]
    trials: Annotated[int, Doc("Trials of it that the run added.")]


class RunRecord(TypedDict):
    """A run that added trials."""

    id: Annotated[str, Doc("What tells the run from others.")]
    command: Annotated[
        str, Doc("The command line, as a shell reads it; `python` for a run of the library that names none.")
    ]
    study: Annotated[str | None, Doc("The text of the study file that it ran; null if it ran none.")]
    wordpl: Annotated[str, Doc("Version of WORDPL.")]
    engine: Engine
    python: Annotated[str, Doc("Version of Python.")]
    numpy: Annotated[str, Doc("Version of NumPy.")]
    scipy: Annotated[str, Doc("Version of SciPy.")]
    numba: Annotated[str, Doc("Version of Numba.")]
    platform: Annotated[str, Doc("Operating system and processor.")]
    begun: Annotated[str, Doc("When it opened the file: UTC, as `2026-11-22T06:45:12.345Z`.")]
    ended: Annotated[str, Doc("When it last added trials.")]
    trials: Annotated[int, Doc("Trials that it added.")]
    added: Annotated[list[AddedTrials], Doc("How many of which task.")]


def run_records(runs: Sequence[Run]) -> list[RunRecord]:
    records = []
    for run in runs:
        added = [{"task": task, "trials": trials} for task, trials in run.added.items()]
        facts = {"study": run.study or None, "trials": run.trials, "added": added}
        records.append(cast(RunRecord, {name: getattr(run, name) for name in RUN_COLUMNS} | facts))
    return records


def _made_with(versions: Sequence[object], runs: int) -> str:
    """The values of `VERSIONS`, and how many runs had them if that is given."""
    names = {"wordpl": "WORDPL", "engine": "engine", "python": "Python", "platform": "on"}
    made_with = (f"{names.get(name, name)} {value}" for name, value in zip(VERSIONS, versions, strict=True))
    text = f"with {cut(', '.join(made_with), _LONGEST)}"
    return f"{counted(runs, 'run')} {text}" if runs else text


def _times(run: Run) -> tuple[str, str]:
    """When a run began, to the minute, and how long it took; as it is, if another program has written it."""
    try:
        start = datetime.fromisoformat(run.begun)
        seconds = (datetime.fromisoformat(run.ended) - start).total_seconds()
    except (ValueError, TypeError):  # no time, or one without a zone
        return cut(run.begun, _LONGEST), ""
    return f"{start:%Y-%m-%d %H:%M}", f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
