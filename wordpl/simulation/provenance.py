"""The provenance of the trials in a results file: a record of each run that added some.

A run is one opening of the file, by a command or a program. Its record is written together with its first trials and
grows with the others, so a run that was killed has one, too. A run that adds nothing leaves none.
"""

import platform
import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from typing import Any

from wordpl.base.sqlite import read_as, sql_columns
from wordpl.simulation.tasks import ENGINE_VERSION

PYTHON = "python"
"""The `command` of a run that no command started."""


@dataclass(frozen=True)
class Run:
    """A run that added trials to a results file: its command, what it was made with, and when."""

    id: str
    """The id that tells the run from others: a random number in hex."""
    command: str
    """The command line as a shell reads it; `python` for a run of the Python library that names none."""
    wordpl: str
    """Version of WORDPL."""
    engine: int
    """Version of the engine."""
    python: str
    """Version of Python."""
    numpy: str
    """Version of NumPy."""
    scipy: str
    """Version of SciPy."""
    numba: str
    """Version of Numba."""
    platform: str
    """Operating system and processor."""
    begun: str
    """Time at which it opened the file: UTC, as `2026-11-22T06:45:12.345Z`."""
    ended: str
    """Time at which it last added trials."""
    added: Mapping[str, int]
    """The number of trials that it added, by id of the task."""

    @property
    def trials(self) -> int:
        return sum(self.added.values())


RUN_COLUMNS = sql_columns(Run, "added")
RUN_TABLES = f"""
CREATE TABLE runs (key INTEGER PRIMARY KEY, {", ".join(f"{name} {sql}" for name, sql in RUN_COLUMNS.items())});
CREATE TABLE run_trials (
    run INTEGER NOT NULL REFERENCES runs(key),
    task INTEGER NOT NULL REFERENCES tasks(key),
    trials INTEGER NOT NULL,
    PRIMARY KEY (run, task)
) WITHOUT ROWID;
"""
_INSERT_RUN = (
    f"INSERT INTO runs ({', '.join(RUN_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in RUN_COLUMNS)})"  # noqa: S608
    " ON CONFLICT (id) DO UPDATE SET ended = max(ended, excluded.ended)"
)


class Recorder:
    """Keeps the record of the run that this process is, in a file that it has open."""

    def __init__(self, command: str = PYTHON) -> None:
        self._begun: dict[str, Any] = {"id": secrets.token_hex(16), "command": command, "begun": _now()}

    def record(self, db: sqlite3.Connection, added: Mapping[str, int]) -> None:
        """Record how many trials were added to tasks, by their ids; within a transaction."""
        if added:
            run = Run(**self._begun, **_versions(), ended=_now(), added=added)
            write_runs(db, [run], "trials + excluded.trials")


@cache
def _versions() -> dict[str, Any]:
    """The versions in this process. Finding them takes longer than a short run."""
    return {
        "wordpl": metadata.version("wordpl"),
        "engine": ENGINE_VERSION,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "scipy", "numba")},
        "platform": platform.platform(),
    }


def read_runs(db: sqlite3.Connection) -> list[Run]:
    """The runs of a file, the earliest first."""
    added: dict[int, dict[str, int]] = defaultdict(dict)
    for run, task, trials in db.execute(
        "SELECT run, CAST(id AS TEXT), CAST(run_trials.trials AS INTEGER) FROM run_trials JOIN tasks ON key = task"
        " ORDER BY run, id"
    ):
        added[run][task] = trials
    rows = db.execute(f"SELECT key, {read_as(RUN_COLUMNS)} FROM runs ORDER BY begun, id")  # noqa: S608
    return [Run(**dict(zip(RUN_COLUMNS, row, strict=True)), added=added[key]) for key, *row in rows]


def write_runs(db: sqlite3.Connection, runs: Iterable[Run], trials: str = "max(trials, excluded.trials)") -> None:
    """Add runs whose tasks are in the file; within a transaction. For a run that it has, `trials` says in SQL how many
    trials it then added to a task. Of a run in two files, the later record has more."""
    for run in runs:
        db.execute(_INSERT_RUN, {name: getattr(run, name) for name in RUN_COLUMNS})
        db.executemany(
            "INSERT INTO run_trials SELECT r.key, t.key, ? FROM runs AS r, tasks AS t WHERE r.id = ? AND t.id = ?"  # noqa: S608
            f" ON CONFLICT (run, task) DO UPDATE SET trials = {trials}",
            ((number, run.id, task) for task, number in run.added.items()),
        )


def _now() -> str:
    # To the millisecond, so that the runs of a script stay in order.
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
