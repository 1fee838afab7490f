"""Results on disk: one SQLite file of tasks and trials, filled idempotently.

A trial is keyed by (task id, number), so a run that was killed resumes and a run done twice adds
nothing. Only the parent process writes. Timings, and the records of the runs, are kept beside the results but are not
part of them: an export leaves them out (timings unless asked), and is the same byte for byte however it was run.

A run is one opening of the file, by a command or a program. Its record is written together with its first trials and
grows with the others, so a run that was killed has one, too. A run that adds nothing leaves none.
"""

from __future__ import annotations

import heapq
import itertools
import platform
import secrets
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from importlib import metadata
from operator import attrgetter, itemgetter
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from wordpl.base.checks import instance, open_fraction, several
from wordpl.base.defaults import CONFIDENCE
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError, error_line
from wordpl.base.files import StrPath, whole_file
from wordpl.base.sqlite import Database, read_as, sql_columns
from wordpl.play.referee import Verdict
from wordpl.simulation.evaluation import Evaluation, Evaluations
from wordpl.simulation.exports import WRITERS, records
from wordpl.simulation.tasks import ALL_TASKS, Task, TaskFilter, TaskRow
from wordpl.simulation.trials import COLUMNS, COMPARED, TIMINGS, Trial, table_of

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 6
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


_TASK_COLUMNS = sql_columns(TaskRow, "trials")
_TRIAL_COLUMNS = sql_columns(Trial)
_RUN_COLUMNS = sql_columns(Run, "added")
_AMONG = "trials JOIN tasks ON key = task WHERE id = ? AND trial BETWEEN ? AND ?"
_INSERT_TASK, _INSERT_TRIAL, _INSERT_RUN = (
    f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) ON CONFLICT "  # noqa: S608
    for table, columns in (("tasks", _TASK_COLUMNS), ("trials", ["task", *_TRIAL_COLUMNS]), ("runs", _RUN_COLUMNS))
)
_ALL_TRIALS = (0, 2**63 - 1)

_SCHEMA = f"""
CREATE TABLE tasks (
    key INTEGER PRIMARY KEY,
    {", ".join(map(" ".join, _TASK_COLUMNS.items()))},
    trials INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE trials (
    task INTEGER NOT NULL REFERENCES tasks(key),
    {", ".join(map(" ".join, _TRIAL_COLUMNS.items()))},
    PRIMARY KEY (task, trial)
) WITHOUT ROWID;
CREATE TABLE runs (key INTEGER PRIMARY KEY, {", ".join(map(" ".join, _RUN_COLUMNS.items()))});
CREATE TABLE run_trials (
    run INTEGER NOT NULL REFERENCES runs(key),
    task INTEGER NOT NULL REFERENCES tasks(key),
    trials INTEGER NOT NULL,
    PRIMARY KEY (run, task)
) WITHOUT ROWID;
"""


class Store(Database):
    """The results file at `path`. Opens the file, or creates it. With `read_only` it must exist, and is not written to.

    If trials are added, the file records that `command`, a shell command, added them (`provenance`). Raises
    `WordplError` for a file that is missing, locked, damaged or of another kind."""

    kind = "results file"
    application_id = 0x57504C52  # "WPLR"
    user_version = SCHEMA_VERSION
    schema = _SCHEMA
    mended_by = "run its wordpl sweep again, which resumes, or wordpl results {path} --check, which repairs it"

    def __init__(self, path: StrPath, *, read_only: bool = False, command: str = PYTHON) -> None:
        super().__init__(path, read_only=read_only)
        # Equal texts are one object: a table of a million trials takes a third of the memory.
        self._db.text_factory = lru_cache(10_000)(partial(str, encoding="utf-8", errors="replace"))
        self._run: dict[str, Any] = {"id": secrets.token_hex(16), "command": command, "begun": _now()}

    # What a sweep needs.

    def missing(self, task: Task, trials: int, first: int = 0) -> list[tuple[int, int]]:
        """Return the ranges [start, stop) that are missing among the `trials` trials of `task` from number `first`
        on."""
        instance("task", task, Task)
        query = f"SELECT trial FROM {_AMONG} ORDER BY trial"  # noqa: S608
        ranges, at = [], first
        rows = self._db.execute(query, (task.id, first, first + trials - 1))
        for (trial,) in itertools.chain(rows, [(first + trials,)]):
            if at < trial:
                ranges.append((at, trial))
            at = trial + 1
        return ranges

    def add(self, batches: Iterable[tuple[Task, Iterable[Trial]]]) -> None:
        """Add `batches`, tasks with trials, in one transaction. Trials that are already there do not change."""
        added = Counter[str]()
        with self.transaction():
            for task, rows in several("batches", batches):
                row = instance("task", task, Task).row
                added[row.id] += self._insert(row, rows)
            if added := +added:  # those of which there are more than none
                run = Run(**self._run, **_versions(), ended=_now(), added=added)
                self._write_runs([run], "trials + excluded.trials")

    def evaluation(self, task: Task, trials: int, first: int = 0) -> Evaluation:
        """Evaluate the trials that are there, among the `trials` trials of `task` from number `first` on."""
        found = self.stored(instance("task", task, Task).row, between=(first, first + trials - 1))
        words = {*found.results["answer"].tolist(), *filter(None, found.results["proposed"].tolist())}
        if not words <= task.setting.words.answer_index.keys():
            raise WordplError(f"{self.path} is damaged: it has words that are not in {task.setting.words.name}")
        return found

    @contextmanager
    def _read(self) -> Iterator[None]:
        """For a block that reads one state of the file: a cell that no sweep has written is an error of the file."""
        begins = not self._db.in_transaction
        if begins:
            self._db.execute("BEGIN")
        try:
            yield
        except sqlite3.Error as error:
            raise WordplError(f"{self.path}: {error}") from error
        except WordplError:  # such as one of the file that is written
            raise
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            raise WordplError(f"{self.path} is damaged: {error_line(error)}") from None
        finally:
            if begins and self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _insert(self, task: TaskRow, rows: Iterable[Sequence[Any]]) -> int:
        """Add the trials of a task that are not there yet; return how many that was."""
        self._db.execute(_INSERT_TASK + "DO NOTHING", [getattr(task, column) for column in _TASK_COLUMNS])
        (key,) = self._db.execute("SELECT key FROM tasks WHERE id = ?", (task.id,)).fetchone()
        added = self._db.executemany(_INSERT_TRIAL + "DO NOTHING", ((key, *row) for row in rows)).rowcount
        self._db.execute("UPDATE tasks SET trials = trials + ? WHERE key = ?", (added, key))
        return added

    def _write_runs(self, runs: Iterable[Run], trials: str = "max(trials, excluded.trials)") -> None:
        """Add runs whose tasks are in the file. For a run that it has, `trials` says in SQL how many trials it then
        added to a task. Of a run in two files, the later record has more."""
        for run in runs:
            known = "(id) DO UPDATE SET ended = max(ended, excluded.ended)"
            self._db.execute(_INSERT_RUN + known, [getattr(run, column) for column in _RUN_COLUMNS])
            self._db.executemany(
                "INSERT INTO run_trials SELECT r.key, t.key, ? FROM runs AS r, tasks AS t WHERE r.id = ? AND t.id = ?"  # noqa: S608
                f" ON CONFLICT (run, task) DO UPDATE SET trials = {trials}",
                ((number, run.id, task) for task, number in run.added.items()),
            )

    # What a reader needs.

    def tasks(self, where: TaskFilter = ALL_TASKS) -> list[TaskRow]:
        """The tasks that meet `where`, in order."""
        with self._read():
            query = f"SELECT {read_as(_TASK_COLUMNS)}, trials FROM tasks ORDER BY family, epsilon, strategy, code, id"  # noqa: S608
            found = itertools.starmap(TaskRow, self._db.execute(query))
            rows = [replace(row, noiseless=bool(row.noiseless), is_schedule=bool(row.is_schedule)) for row in found]
        return list(filter(where.holds, rows))

    def stored(
        self,
        task: TaskRow,
        confidence: float = CONFIDENCE,
        columns: Sequence[str] = COLUMNS,
        between: tuple[int, int] = _ALL_TRIALS,
    ) -> Evaluation:
        """Evaluate the trials of a task of this file.

        task: one of `tasks`.
        confidence: that of the intervals, between 0 and 1.
        columns: what is read of each trial; `SHOWN` takes half of the time, and is enough for tables and plots.
        between: the numbers of the first trial and of the last one.
        """
        with self._read():
            results = table_of(self.trial_rows(task.id, columns, between), columns)
            if unknown := {*results["verdict"].tolist()} - {*Verdict}:
                raise LookupError(f"{unknown.pop()} is no verdict")
        return Evaluation(task, results, confidence)

    def provenance(self) -> list[Run]:
        """The runs that added trials to the file, the earliest first."""
        added: dict[int, dict[str, int]] = defaultdict(dict)
        with self._read():
            for run, task, trials in self._db.execute(
                "SELECT run, CAST(id AS TEXT), CAST(run_trials.trials AS INTEGER) FROM run_trials"
                " JOIN tasks ON key = task ORDER BY run, id"
            ):
                added[run][task] = trials
            rows = self._db.execute(f"SELECT key, {read_as(_RUN_COLUMNS)} FROM runs ORDER BY begun, id")  # noqa: S608
            return [Run(**dict(zip(_RUN_COLUMNS, row, strict=True)), added=added[key]) for key, *row in rows]

    def merge(self, other: Store) -> int:
        """Add the trials and runs of `other` that this file does not have, and return the number of trials added.
        Raises `WordplError`, and changes nothing, if the two files disagree about a trial."""
        instance("other", other, Store)
        if other.path.resolve() == self.path.resolve():
            raise WordplError(f"{self.path} cannot be merged into itself")
        with other._read(), self.transaction():
            for task in other.tasks():
                both = (store.trial_rows(task.id, ("trial", *COMPARED)) for store in (self, other))
                for row, following in itertools.pairwise(heapq.merge(*both, key=itemgetter(0))):
                    if row[0] == following[0] and row != following:
                        raise WordplError(
                            f"{other.path} has another trial {row[0]} of {task.strategy} than the results that it is"
                            " merged with; nothing was merged"
                        )
            added = sum(self._insert(task, other.trial_rows(task.id)) for task in other.tasks())
            self._write_runs(other.provenance())
            return added

    @staticmethod
    @contextmanager
    def united(given: Stores) -> Iterator[Store]:
        """Give the block one store with all trials of the `given` ones: the only one of them, or a temporary file."""
        with ExitStack() as stack:
            stores = stack.enter_context(opened(given))
            if len(stores) != 1:
                folder = stack.enter_context(TemporaryDirectory())
                whole = stack.enter_context(Store(Path(folder, "merged.sqlite")))
                for store in stores:
                    whole.merge(store)
            yield whole if len(stores) != 1 else stores[0]

    def trial_rows(
        self, task_id: str, columns: Sequence[str] = COLUMNS, between: tuple[int, int] = _ALL_TRIALS
    ) -> Iterator[tuple[Any, ...]]:
        """The trials of the task with the id `task_id` and numbers `between`, in order, each with its values of
        `columns`."""
        query = f"SELECT {read_as(_TASK_COLUMNS | _TRIAL_COLUMNS, columns)} FROM {_AMONG} ORDER BY trial"  # noqa: S608
        return self._db.execute(query, (task_id, *between))

    def _all_rows(self, where: TaskFilter, columns: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        """Every trial of the tasks that meet `where`, with its values of `columns`, those of its task among them."""
        return itertools.chain.from_iterable(self.trial_rows(task.id, [*columns]) for task in self.tasks(where))

    def rows(self, where: TaskFilter = ALL_TASKS, *, timings: bool = False) -> Iterator[dict[str, Any]]:
        """Every trial of the tasks that meet `where`: flat records in a fixed order. With `timings`, also how long each
        took."""
        columns = _exported(timings)
        return records(self._all_rows(where, columns), columns)

    def frame(self, where: TaskFilter = ALL_TASKS, *, timings: bool = False) -> pd.DataFrame:
        """Return the trials of the tasks that meet `where`, a row each: the rows and columns of `export`, with its
        `timings`. An epsilon that a strategy does not have is NaN."""
        import pandas as pd

        columns = _exported(timings)
        rows = self._all_rows(where, columns)
        return pd.DataFrame(rows, columns=[*columns]).astype({"epsilon": float, "noiseless": bool, "is_schedule": bool})

    def evaluations(
        self, where: TaskFilter = ALL_TASKS, confidence: float = CONFIDENCE, columns: Sequence[str] = COLUMNS
    ) -> Evaluations:
        """Evaluate the tasks that have trials and meet `where`, as `stored` does with this `confidence` and these
        `columns`."""
        confidence = open_fraction("confidence", confidence)
        tasks = filter(attrgetter("trials"), self.tasks(where))
        return Evaluations(self.stored(task, confidence, columns) for task in tasks)

    def table(self, where: TaskFilter = ALL_TASKS, confidence: float = CONFIDENCE) -> pd.DataFrame:
        """Return the statistics of `evaluations`, a row for each task: what `wordpl results` prints
        (`Evaluations.frame`). For several files, take `wordpl.simulation.read_outcomes(stores).frame`."""
        return self.evaluations(where, confidence).frame

    def export(self, target: StrPath, where: TaskFilter = ALL_TASKS, *, timings: bool = False) -> int:
        """Write trials to the file `target`, and return their number. `where` and `timings` are those of `rows`.

        `target` ends in .csv (texts as `csv_cell` writes them), .json or .parquet. Raises `WordplError`, and writes
        nothing, if there are no such trials."""
        if (ending := Path(target).suffix.lower()) not in WRITERS:
            name = Path(target).name
            raise WordplError(f"cannot export to {name!r}; give a file name that ends in {', '.join(WRITERS)}")
        columns = _exported(timings)
        with self._read():
            number = sum(task.trials for task in self.tasks(where))
            if not number:
                raise WordplError(f"{self.path} has no trials to export; nothing was written")
            with whole_file(target) as beside:
                WRITERS[ending](beside, self._all_rows(where, columns), columns)
        return number


Stores: TypeAlias = Store | StrPath | Sequence[Store | StrPath]
"""One or several results files, or their paths."""


@contextmanager
def opened(given: Stores, *, read_only: bool = True) -> Iterator[list[Store]]:
    """Give the block the results files; those given as paths are opened for it, and not written to if `read_only`."""
    several_given = several("store", given) if not isinstance(given, (Store, str, PathLike)) else [given]
    with ExitStack() as stack:
        yield [
            stack.enter_context(Store(one, read_only=read_only))
            if isinstance(one, (str, PathLike))
            else instance("store", one, Store)
            for one in several_given
        ]


def _exported(timings: bool) -> dict[str, str]:
    """The columns of an export, with their declarations."""
    return _TASK_COLUMNS | {name: sql for name, sql in _TRIAL_COLUMNS.items() if timings or name not in TIMINGS}


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


def _now() -> str:
    # To the millisecond, so that the runs of a script stay in order.
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
