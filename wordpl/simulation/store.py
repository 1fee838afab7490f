"""Results on disk: one SQLite file of tasks and trials, filled idempotently.

A trial is keyed by (task id, number), so a run that was killed resumes and a run done twice adds
nothing. Only the parent process writes. Timings, and the records of the runs, are kept beside the results but are not
part of them: an export leaves them out (timings unless asked), and is the same byte for byte however it was run.

The file also keeps the number and the sums of the trials of each task (`wordpl.simulation.trials`), and sums of the
tasks and of the runs. Whatever is read is compared with them, so a file that a disk has changed is refused.
"""

from __future__ import annotations

import heapq
import itertools
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice, repeat
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.base.checks import instance, open_fraction, several
from wordpl.base.errors import OtherFormatError, WordplError, error_line, one_line
from wordpl.base.files import StrPath, whole_file
from wordpl.base.sqlite import Database, is_empty, open_read_only, open_to_write, schema_faults, sql_columns
from wordpl.play.formats import GameFormat
from wordpl.simulation.evaluation import Comparison, Evaluation
from wordpl.simulation.exports import writer_of
from wordpl.simulation.provenance import PYTHON, RUN_TABLES, Recorder, Run, merge_runs, read_runs, runs_sum
from wordpl.simulation.selection import Where, select
from wordpl.simulation.statistics import CONFIDENCE
from wordpl.simulation.tasks import Task, TaskRow, task_row
from wordpl.simulation.trials import (
    COLUMNS,
    MODULUS,
    STORED_COLUMNS,
    Column,
    Trial,
    Trials,
    chunks,
    read_rows,
    row_digest,
    row_sums,
)

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 6
_LARGEST_CELL = 16 << 20
"""Bytes of a cell or a row."""
_READER_WAITS = 2.0
"""Seconds for which a reader waits for a writer; a sweep holds its lock for far less."""

_TASK_COLUMNS = sql_columns(TaskRow, "trials")
_TRIAL_COLUMNS = sql_columns(Trial)
_COMPARED = [column for column in COLUMNS if column.compared]
_HEAD = 1 + len(_COMPARED)
_TRIAL_NAMES = ", ".join(_TRIAL_COLUMNS)
_OF_TASK = "trials JOIN tasks ON key = task WHERE id = ?"
_AS_DECLARED = " AND ".join(
    f"(typeof({name}) = '{sql.split()[0].lower()}' OR {name} IS NULL)" for name, sql in _TRIAL_COLUMNS.items()
)
_KEPT_COLUMNS = dict.fromkeys(("trials", "figures", "words_sum"), "INTEGER NOT NULL DEFAULT 0")
"""The number of a task's trials, and their sums."""
_TASK_ROW = {**_TASK_COLUMNS, **_KEPT_COLUMNS}
_ROW = ", ".join(_TASK_ROW)
"""The digest of a task covers these columns."""


_SCHEMA = f"""
CREATE TABLE tasks (
    key INTEGER PRIMARY KEY,
    {", ".join(map(" ".join, _TASK_ROW.items()))}
);
CREATE TABLE trials (
    task INTEGER NOT NULL REFERENCES tasks(key),
    {", ".join(map(" ".join, _TRIAL_COLUMNS.items()))},
    PRIMARY KEY (task, trial)
) WITHOUT ROWID;
CREATE TABLE sums (tasks INTEGER NOT NULL, runs INTEGER NOT NULL);
INSERT INTO sums VALUES (0, 0);
{RUN_TABLES}"""  # noqa: S608


class Store(Database):
    """The results file at `path`. Opens the file, or creates it. With `read_only` it must exist, and is not written to.

    If trials are added, the file records where they come from (`provenance`): `command`, a shell command. Raises
    `WordplError` for a file that is missing, locked, damaged or of another kind."""

    def __init__(self, path: StrPath, *, read_only: bool = False, command: str = PYTHON) -> None:
        self.path = Path(path)
        if read_only and not self.path.exists():
            raise WordplError(f"no results file {self.path}; wordpl sweep makes one")
        with self._opening(f"{self.path} is not a results file that can be opened"):
            if read_only:
                self._db = open_read_only(self.path, _LARGEST_CELL, _READER_WAITS)
                if is_empty(self._db):
                    raise WordplError(f"{self.path} has no results yet")
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                check = partial(_check_tables, self.path)
                self._db = open_to_write(self.path, _LARGEST_CELL, lambda found: is_empty(found) or check(found))
                # In one transaction that holds the write lock: two processes may open a new file at once.
                with self.transaction():
                    if is_empty(self._db):
                        for statement in _SCHEMA.split(";"):  # executescript would end the transaction
                            self._db.execute(statement)
                        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            _check_tables(self.path, self._db)
        self._counts: dict[str, int] = {}
        """How many trials each task had, when last read."""
        self._checked: dict[str, tuple[int, ...]] = {}
        """Number and sums of the trials of tasks that were found to have them."""
        self._recorder = Recorder(command)

    # What a sweep needs.

    def missing(self, task: Task, trials: int, first: int = 0) -> list[tuple[int, int]]:
        """Return the ranges [start, stop) that are missing among the `trials` trials of `task` from number `first`
        on."""
        instance("task", task, Task)
        query = f"SELECT trial FROM {_OF_TASK} AND trial >= ? AND trial < ? ORDER BY trial"  # noqa: S608
        ranges, at = [], first
        rows = self._db.execute(query, (task.id, first, first + trials))
        for (trial,) in itertools.chain(rows, [(first + trials,)]):
            if at < trial:
                ranges.append((at, trial))
            at = trial + 1
        return ranges

    def add(self, batches: Iterable[tuple[Task, Iterable[Trial]]]) -> None:
        """Add `batches`, tasks with trials, in one transaction. Trials that are already there do not change."""
        with self._named_errors(), self.transaction():
            for task, rows in several("batches", batches):
                key, added = self._insert(task_row(instance("task", task, Task)), rows)
                self._change_sum("runs", self._recorder.record(self._db, key, added))

    def evaluation(self, task: Task, trials: int, first: int = 0) -> Evaluation:
        """Evaluate the trials that are there, among the `trials` trials of `task` from number `first` on."""
        instance("task", task, Task)
        query = f"SELECT {_TRIAL_NAMES} FROM {_OF_TASK} AND trial >= ? AND trial < ? ORDER BY trial"  # noqa: S608
        with self._read():
            self.check(task.id)
            most = min(trials, self._record(task.id)[0])
            cells = self._db.execute(query, (task.id, first, first + trials))
            answers = task.setting.words.answers
            results, reasons, _ = read_rows(cells, most, COLUMNS, answers)
            return Evaluation(task_row(task, len(results)), results, reasons, answers=answers)

    @contextmanager
    def _read(self) -> Iterator[None]:
        """For a block that reads one state of the file: a cell that no sweep has written is an error of the file."""
        begins = not self._db.in_transaction
        if begins:
            self._db.execute("BEGIN")
        try:
            yield
        except WordplError:
            raise
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            raise self._damaged(error_line(error)) from None
        finally:
            if begins and self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _damaged(self, why: str) -> WordplError:
        return WordplError(f"{self.path} is damaged: {why}")

    def _insert(self, task: TaskRow, rows: Iterable[Sequence[Any]]) -> tuple[int, int]:
        """Add the trials of a task that are not there yet; return its key, and how many that was."""
        cells = [getattr(task, column) for column in _TASK_COLUMNS]
        marks = ", ".join("?" * len(cells))
        cursor = self._db.execute(f"INSERT OR IGNORE INTO tasks ({', '.join(_TASK_COLUMNS)}) VALUES ({marks})", cells)  # noqa: S608
        key, *before = self._db.execute(f"SELECT key, {_ROW} FROM tasks WHERE id = ?", (task.id,)).fetchone()  # noqa: S608
        sums = dict(zip(_KEPT_COLUMNS, before[-len(_KEPT_COLUMNS) :], strict=True))
        trials = sums["trials"]
        for chunk in chunks(rows):
            numbers = [row[0] for row in chunk]
            query = "SELECT trial FROM trials WHERE task = ? AND trial BETWEEN ? AND ?"
            keys = set(self._db.execute(query, (key, min(numbers), max(numbers))))
            if new := [row for row in chunk if row[:1] not in keys]:
                marks = ", ".join("?" * len(_TRIAL_COLUMNS))
                self._db.executemany(f"INSERT INTO trials (task, {_TRIAL_NAMES}) VALUES ({key}, {marks})", new)  # noqa: S608
                for name, more in zip(_KEPT_COLUMNS, (len(new), *row_sums(new)), strict=True):
                    sums[name] = (sums[name] + more) % MODULUS
        self._db.execute(f"UPDATE tasks SET {', '.join(f'{name} = :{name}' for name in sums)} WHERE key = {key}", sums)  # noqa: S608
        after = row_digest([*before[: -len(sums)], *sums.values()])
        self._change_sum("tasks", after - (0 if cursor.rowcount else row_digest(before)))
        return key, sums["trials"] - trials

    def _change_sum(self, name: str, change: int) -> None:
        (total,) = self._db.execute(f"SELECT {name} FROM sums").fetchone()  # noqa: S608
        self._db.execute(f"UPDATE sums SET {name} = ?", ((total + change) % MODULUS,))  # noqa: S608

    def _check_sum(self, name: str, total: int) -> None:
        """Raise `WordplError` unless the rows of a table have the sum that was kept with them."""
        rows = self._db.execute(f"SELECT {name} FROM sums").fetchall()  # noqa: S608
        if rows != [(total % MODULUS,)]:
            raise self._damaged(f"its {name} have changed since they were written")

    def check(self, task_id: str) -> None:
        """Raise `WordplError` if the trials of the task with the id `task_id` have changed since they were written."""
        with self._read():
            record = self._record(task_id)
            if self._checked.get(task_id) != record:
                # SQLite keeps a value of any type in any column, and bytes count in sums as their text does.
                query = f"SELECT trial FROM {_OF_TASK} AND NOT ({_AS_DECLARED})"  # noqa: S608
                if odd := self._db.execute(query, (task_id,)).fetchone():
                    raise self._damaged(
                        f"the trial {one_line(repr(odd[0]), 60)} of its task {task_id} has a cell of another type"
                    )
                sums: tuple[int, ...] = (0, 0, 0)
                for chunk in chunks(self.trial_rows(task_id, COLUMNS)):
                    more = (len(chunk), *row_sums(chunk))
                    sums = tuple((total + new) % MODULUS for total, new in zip(sums, more, strict=True))
                self._compare(task_id, record, sums)
                self._checked[task_id] = record

    def _record(self, task_id: str) -> tuple[int, ...]:
        """Number and sums of the trials of a task."""
        query = f"SELECT {', '.join(_KEPT_COLUMNS)} FROM tasks WHERE id = ?"  # noqa: S608
        record: tuple[int, ...] = self._db.execute(query, (task_id,)).fetchone() or (0,) * len(_KEPT_COLUMNS)
        if record[0] < self._counts.get(task_id, 0):
            raise self._damaged(f"its task {task_id} can no longer be found")
        return record

    def _compare(self, task_id: str, record: tuple[int, ...], sums: tuple[int, ...]) -> None:
        if record[: len(sums)] != sums:
            raise self._damaged(f"the trials of its task {task_id} have changed since they were written")

    # What a reader needs.

    def tasks(self, match: str = "", where: Where = ()) -> list[TaskRow]:
        """The tasks whose strategy or word list contains `match` and that satisfy `where` (`selection`), in order."""
        with self._read():
            query = f"SELECT {_ROW} FROM tasks ORDER BY family, epsilon, strategy, code, id"  # noqa: S608
            cells = self._db.execute(query).fetchall()
            self._check_sum("tasks", sum(map(row_digest, cells)))
            rows = list(map(_read_task, cells))
        self._counts = {row.id: row.trials for row in rows}
        return select((row for row in rows if match.lower() in f"{row.strategy} {row.words}".lower()), where)

    def stored(self, task_id: str) -> tuple[Trials, dict[int, str]]:
        """All trials of the task with the id `task_id`, in order, with their reasons; without the words."""
        with self._read():
            record = self._record(task_id)
            # The limit: a damaged number of trials takes no memory that the trials do not.
            rows = islice(self.trial_rows(task_id, STORED_COLUMNS), record[0] + 1)
            results, reasons, total = read_rows(rows, record[0] + 1, STORED_COLUMNS, summed=True)
            self._compare(task_id, record, (len(results), total))
            return results, reasons

    def provenance(self) -> list[Run]:
        """The runs that added trials to the file, the earliest first."""
        with self._read():
            runs = read_runs(self._db)
            self._check_sum("runs", runs_sum(runs))
            return runs

    def merge(self, other: Store) -> int:
        """Add the trials and runs of `other` that this file does not have, and return the number of trials added.
        Raises `WordplError`, and changes nothing, if the two files disagree about a trial."""
        instance("other", other, Store)
        if other.path.resolve() == self.path.resolve():
            raise WordplError(f"{self.path} cannot be merged into itself")
        with self.transaction():
            try:
                for task in other.tasks():
                    deque(united_rows([self, other], task), maxlen=0)
            except WordplError as error:
                raise WordplError(f"{error}; nothing was merged") from None
            added = sum(self._insert(task, other.trial_rows(task.id, COLUMNS))[1] for task in other.tasks())
            runs = self.provenance()
            merge_runs(self._db, other.provenance())
            self._change_sum("runs", runs_sum(read_runs(self._db)) - runs_sum(runs))
            return added

    def trial_rows(self, task_id: str, columns: Sequence[Column]) -> Iterator[tuple[Any, ...]]:
        """The trials of the task with the id `task_id` in order, each with its values of `columns`."""
        names = ", ".join(column.name for column in columns)
        rows = self._db.execute(f"SELECT {names} FROM {_OF_TASK} ORDER BY trial", (task_id,))  # noqa: S608
        for row in rows:  # noqa: UP028 - that would close the cursor, maybe after the file
            yield row

    def rows(self, match: str = "", timings: bool = False, where: Where = ()) -> Iterator[dict[str, Any]]:
        """Every trial of the tasks whose strategy or words contain `match` and that satisfy `where`: flat records in a
        fixed order. With `timings`, also how long each took."""
        names = _exported(timings)
        columns = [column for column in COLUMNS if column.name in names]
        for task in self.tasks(match, where):
            self.check(task.id)
            head = [getattr(task, column) for column in _TASK_COLUMNS]
            head = [int(value) if isinstance(value, bool) else value for value in head]
            yield from (dict(zip(names, (*head, *row), strict=True)) for row in self.trial_rows(task.id, columns))

    def frame(self, where: Where = (), *, timings: bool = False) -> pd.DataFrame:
        """Return the trials of the tasks that meet `where`, a row each: the rows and columns of `export`, with its
        `timings`. An epsilon that a strategy does not have is NaN."""
        import pandas as pd

        rows = [tuple(row.values()) for row in self.rows(timings=timings, where=where)]
        return pd.DataFrame(rows, columns=[*_exported(timings)]).astype(
            {"epsilon": float, "noiseless": bool, "is_schedule": bool}
        )

    def table(self, where: Where = (), confidence: float = CONFIDENCE) -> pd.DataFrame:
        """Return the figures of the tasks that have trials and meet `where`, a row each: what `wordpl results` prints.

        `confidence`, between 0 and 1, is that of the intervals. `Comparison.frame` says what the columns are. For
        several files, take `wordpl.simulation.read_outcomes(stores).frame`."""
        confidence = open_fraction("confidence", confidence)
        tasks = filter(attrgetter("trials"), self.tasks(where=where))
        return Comparison(Evaluation(task, *self.stored(task.id), confidence) for task in tasks).frame

    def export(self, target: StrPath, match: str = "", timings: bool = False, where: Where = ()) -> int:
        """Write trials to the file `target`, and return their number. `match`, `timings` and `where` are those of
        `rows`.

        `target` ends in .csv (texts as `csv_cell` writes them), .json or .parquet. Raises `WordplError`, and writes
        nothing, if there are no such trials."""
        write, columns = writer_of(Path(target)), _exported(timings)
        with self._read():
            number = sum(task.trials for task in self.tasks(match, where))
            if not number:
                raise WordplError(f"{self.path} has no trials to export; nothing was written")
            with whole_file(target) as beside:
                write(beside, self.rows(match, timings, where), columns)
        return number


def _check_tables(path: Path, database: sqlite3.Connection) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, SCHEMA_VERSION):
        raise OtherFormatError(path, "results", version, SCHEMA_VERSION)
    if faults := schema_faults(database, _SCHEMA):
        raise WordplError(f"{path} is a database, but not a results file of wordpl: {'; '.join(faults)}")


def _exported(timings: bool) -> dict[str, str]:
    """The columns of an export, with their declarations."""
    return _TASK_COLUMNS | {
        column.name: _TRIAL_COLUMNS[column.name] for column in COLUMNS if timings or not column.timing
    }


_KINDS: dict[str, type] = {"TEXT": str, "REAL": float, "INTEGER": int}


def _read_task(row: Sequence[Any]) -> TaskRow:
    """A row of a file. Raises `ValueError` for cells that no sweep has written."""
    for (name, declared), value in zip(_TASK_ROW.items(), row, strict=True):
        right = isinstance(value, _KINDS[declared.split()[0]]) and not (isinstance(value, float) and value < 0.0)
        if not right and (value is not None or "NOT NULL" in declared):
            raise ValueError(f"the {name} of a task cannot be {one_line(repr(value), 60)}")
    task = TaskRow(*row[: len(_TASK_COLUMNS) + 1])  # with the number of trials
    if str(GameFormat.parse(task.format)) != task.format:
        raise ValueError(f"the format of a task cannot be {one_line(repr(task.format), 60)}")
    return replace(task, noiseless=bool(task.noiseless), is_schedule=bool(task.is_schedule))


def united_rows(stores: Sequence[Store], task: TaskRow, columns: Sequence[Column] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the values of `columns` of every trial of a task that is in any of the stores: in order, each trial once.

    All files are read side by side, so memory does not grow. Raises `WordplError` if two disagree about a trial."""
    for store in stores:
        store.check(task.id)
    read = (zip(store.trial_rows(task.id, [COLUMNS[0], *_COMPARED, *columns]), repeat(store)) for store in stores)
    last, holder = None, stores[0]
    for row, store in heapq.merge(*read, key=lambda both: both[0][0]):
        if last is None or row[0] != last[0]:
            last, holder = row, store
            yield row[_HEAD:]
        elif row[:_HEAD] != last[:_HEAD]:
            raise WordplError(f"{holder.path} and {store.path} disagree about trial {row[0]} of {task.strategy}")


def differing_answer(store: Store, one: str, other: str) -> int | None:
    """The first trial in which the tasks with the ids `one` and `other` have different answers; None if there is
    none."""
    query = (
        "SELECT min(a.trial) FROM trials a JOIN trials b ON a.trial = b.trial AND a.answer <> b.answer"
        " WHERE a.task = (SELECT key FROM tasks WHERE id = ?) AND b.task = (SELECT key FROM tasks WHERE id = ?)"
    )
    with store._read():
        store.check(one)
        store.check(other)
        trial: int | None = store._db.execute(query, (one, other)).fetchone()[0]
    return trial
