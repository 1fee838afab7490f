"""What made a results file, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from wordpl.displays import counted, cut
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import print_table
from wordpl.simulation.provenance import Run
from wordpl.simulation.store import TaskRow

_LONGEST = 2000
VERSIONS = ("wordpl", "engine", "python", "numpy", "scipy", "numba", "platform")


def print_runs(title: str, runs: Sequence[Run], tasks: Sequence[TaskRow]) -> None:
    """Print a row for each run: its command, what it added and when; and what the runs were made with."""
    columns = [
        Column("command", kind="text"),
        Column("trials"),
        Column("tasks", 1),
        Column("begun (UTC)", 2),
        Column("took", 3),
    ]
    rows = [[_shown(run.command), str(run.trials), str(len(run.added)), _time(run.begun), _took(run)] for run in runs]
    notes = [_made_with(runs, run) for run in _different(runs)]
    notes += (
        [f"{counted(missing, 'trial')} of runs that left no record"] if (missing := unrecorded(runs, tasks)) else []
    )
    print_table(f"{title}: what made it", columns, rows, notes)


def run_records(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Runs as plain JSON values."""
    return [
        {"id": run.id, "command": run.command, "study": run.study or None}
        | {name: getattr(run, name) for name in VERSIONS}
        | {"begun": run.begun, "ended": run.ended, "trials": run.trials}
        | {"added": [{"task": task, "trials": trials} for task, trials in run.added.items()]}
        for run in runs
    ]


def unrecorded(runs: Sequence[Run], tasks: Sequence[TaskRow]) -> int:
    """How many trials of these tasks, at least, no run has a record of: those of older files."""
    added: dict[str, int] = {}
    for run in runs:
        for task, trials in run.added.items():
            added[task] = added.get(task, 0) + trials
    return sum(max(0, task.trials - added.get(task.id, 0)) for task in tasks)


def _different(runs: Sequence[Run]) -> list[Run]:
    """The first run of each set of versions."""
    first: dict[tuple[Any, ...], Run] = {}
    for run in runs:
        first.setdefault(_versions(run), run)
    return list(first.values())


def _made_with(runs: Sequence[Run], one: Run) -> str:
    """The versions of a run, and which of the runs had them."""
    names = {"wordpl": "WORDPL", "engine": "engine", "python": "Python", "platform": "on"}
    told = _shown(", ".join(f"{names.get(name, name)} {getattr(one, name)}" for name in VERSIONS))
    same = sum(_versions(run) == _versions(one) for run in runs)
    return f"{counted(same, 'run')} with {told}" if len(runs) > same else f"with {told}"


def _versions(run: Run) -> tuple[Any, ...]:
    return tuple(getattr(run, name) for name in VERSIONS)


def _shown(text: str) -> str:
    """A text of a file that somebody else may have written: fit for a terminal."""
    return cut("".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text), _LONGEST)


def _time(text: str) -> str:
    """A time of a record, to the minute; as it is, if another program has written it."""
    try:
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return _shown(text)


def _took(run: Run) -> str:
    try:
        seconds = (datetime.fromisoformat(run.ended) - datetime.fromisoformat(run.begun)).total_seconds()
    except (ValueError, TypeError):  # another program's: no time, or one without a zone
        return ""
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
