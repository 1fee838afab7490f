"""Results on disk: one SQLite file of tasks and trials, filled idempotently.

A trial is keyed by (task id, number), so a run that was killed resumes and a run done twice adds
nothing. Only the parent process writes. Timings, and the records of the runs, are kept beside the results but are not
part of them: an export leaves them out (timings unless asked), and is the same byte for byte however it was run.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from wordpl.displays import counted, cut, line_of
from wordpl.errors import WordplError, error_line, one_line
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.simulation.evaluation import Evaluation, StoredTrials
from wordpl.simulation.exports import WRITERS
from wordpl.simulation.provenance import (
    ADDED_COLUMNS,
    PYTHON,
    RUN_COLUMNS,
    RUN_TABLES,
    Recorder,
    Run,
    merge_runs,
    read_runs,
)
from wordpl.simulation.selection import Where, select
from wordpl.simulation.sweep import missing_ranges
from wordpl.simulation.tasks import (
    COLUMNS,
    ENGINE_VERSION,
    STORED_COLUMNS,
    Batch,
    Column,
    Task,
    channel_name,
    read_rows,
    written_rows,
)
from wordpl.simulation.union import united_rows
from wordpl.storage.files import StrPath, whole_file
from wordpl.storage.sqlite import Database, check_file

SCHEMA_VERSION = 3
_READER_WAITS = 2.0
"""Seconds for which a reader waits for a writer; a sweep holds its lock for far less."""

_TASK_COLUMNS = {
    "id": "TEXT NOT NULL UNIQUE",
    "strategy": "TEXT NOT NULL",
    "code": "TEXT NOT NULL",
    "family": "TEXT NOT NULL",
    "epsilon": "REAL",
    "words": "TEXT NOT NULL",
    "rule": "TEXT NOT NULL",
    "channel": "TEXT NOT NULL",
    "format": "TEXT NOT NULL DEFAULT 'contest'",
    "noiseless": "INTEGER NOT NULL",
    "seed": "TEXT NOT NULL",
    "engine": "INTEGER NOT NULL",
}
_TRIAL_COLUMNS = {column.name: column.sql for column in COLUMNS}
_TRIAL_NAMES = ", ".join(_TRIAL_COLUMNS)
_OF_TASK = "trials JOIN tasks ON key = task WHERE id = ?"


_TABLES = {
    1: {"tasks": [name for name in _TASK_COLUMNS if name not in ("code", "format")], "trials": list(_TRIAL_COLUMNS)},
    2: {"tasks": [name for name in _TASK_COLUMNS if name != "format"], "trials": list(_TRIAL_COLUMNS)},
    SCHEMA_VERSION: {
        "tasks": list(_TASK_COLUMNS),
        "trials": list(_TRIAL_COLUMNS),
        "runs": list(RUN_COLUMNS),
        "run_trials": list(ADDED_COLUMNS),
    },
}
"""The columns of a results file by its format."""


def _declared(columns: dict[str, str]) -> str:
    return ",\n    ".join(f"{name} {sql}" for name, sql in columns.items())


_SCHEMA = f"""
CREATE TABLE tasks (
    key INTEGER PRIMARY KEY,
    {_declared(_TASK_COLUMNS)}
);
CREATE TABLE trials (
    task INTEGER NOT NULL REFERENCES tasks(key),
    {_declared(_TRIAL_COLUMNS)},
    PRIMARY KEY (task, trial)
) WITHOUT ROWID;
{RUN_TABLES}"""


@dataclass(frozen=True)
class TaskRow:
    """A task as the store knows it, with how many of its trials are there."""

    id: str
    strategy: str
    code: str
    """Tells strategies of one spec apart (`Strategy.code`); empty in files from before format 2."""
    family: str
    """The strategy's spec without its epsilon."""
    epsilon: float | None
    """Budget per ask (the mean of a schedule); None if the strategy has no such parameter."""
    words: str
    rule: str
    channel: str
    format: str
    """As `GameFormat.parse` reads it."""
    noiseless: bool
    seed: str
    engine: int
    trials: int = 0

    def __repr__(self) -> str:
        told = (
            f"{cut(self.strategy)}, {cut(self.words, 30)}, seed {cut(self.seed, 20)}, {counted(self.trials, 'trial')}"
        )
        return line_of(self, f"{self.id[:8]}: {told}")


class Store(Database):
    """A results file. Opens it, or makes it unless `must_exist` or `read_only`, which writes nothing and waits little.

    If trials are added, the file keeps a record of what added them (`provenance`): `command`, a line of a shell, and
    `study`, the text of a study file.

    Raises `WordplError` for a file that is missing, locked, damaged or of another kind.
    """

    def __init__(
        self,
        path: StrPath,
        *,
        must_exist: bool = False,
        read_only: bool = False,
        command: str = PYTHON,
        study: str = "",
    ) -> None:
        self.path = Path(path)
        if (must_exist or read_only) and not self.path.exists():
            raise WordplError(f"no results file {self.path}; wordpl sweep --out {self.path} makes one")
        try:
            check_file(self.path)
            if read_only:
                # Not mode=ro: then nobody could read what a killed sweep left before another one has opened it.
                uri = f"{self.path.absolute().as_uri()}?mode=rw"
                self._db = sqlite3.connect(uri, uri=True, timeout=_READER_WAITS, isolation_level=None)
                self._db.execute("PRAGMA query_only = ON")
                self._check_readable()
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._db = sqlite3.connect(self.path, timeout=60.0)
                self._open()
        except (sqlite3.DatabaseError, OSError, UnicodeDecodeError) as error:
            raise WordplError(f"{self.path} is not a results file that can be opened: {error}") from None
        self._keys: dict[str, int] = {}
        self._recorder = Recorder(command, study)

    def __repr__(self) -> str:
        try:
            n = self._db.execute("SELECT count(*) FROM tasks").fetchone()[0]
        except sqlite3.Error:  # closed, or another thread's
            return line_of(self, cut(str(self.path), 160))
        return line_of(self, f"{cut(str(self.path), 160)}: {counted(n, 'task')}")

    def _open(self) -> None:
        # In one transaction that holds the write lock: two processes may open a new file at once.
        self._db.isolation_level = None
        self._db.execute("PRAGMA foreign_keys = ON")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            with self._transaction():
                if self._db.execute("PRAGMA user_version").fetchone()[0] == 0:
                    if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                        raise WordplError(f"{self.path} is a database, but not of wordpl results")
                    self._make_tables(_SCHEMA)
                    self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        else:
            self._check_tables(version)
            if version < SCHEMA_VERSION:
                self._bring_up_to_date()

    def _check_readable(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise WordplError(f"{self.path} has no results yet")
        if version in _TABLES and version < SCHEMA_VERSION:
            raise WordplError(
                f"{self.path} has results of format {version}; wordpl results {self.path} brings it up to date"
            )
        self._check_tables(version)

    def _check_tables(self, version: int) -> None:
        if version not in _TABLES:
            if version == 0:
                raise WordplError(f"{self.path} is a database, but not of wordpl results")
            raise WordplError(f"{self.path} has results of format {version}; this wordpl reads format {SCHEMA_VERSION}")
        if any(not set(columns) <= self._columns(table) for table, columns in _TABLES[version].items()):
            raise WordplError(f"{self.path} is a database, but not of wordpl results")

    def _make_tables(self, schema: str) -> None:
        for statement in schema.split(";"):  # one by one: executescript would end the transaction
            self._db.execute(statement)

    def _columns(self, table: str) -> set[str]:
        return {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}

    def _bring_up_to_date(self) -> None:
        """Bring a file of an earlier format up to date.

        The trials of a file of format 1 can be read; their ids tell them from any played now. Those of format 2 are
        what would be played now.
        """
        with self._transaction():
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 1:
                self._db.execute("ALTER TABLE tasks ADD COLUMN code TEXT NOT NULL DEFAULT ''")
            if version < SCHEMA_VERSION:
                self._db.execute("ALTER TABLE tasks ADD COLUMN format TEXT NOT NULL DEFAULT 'contest'")
                self._make_tables(RUN_TABLES)
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    # What a sweep needs (see `sweep.Sink`).

    def missing(self, task: Task, trials: int, first: int = 0) -> list[tuple[int, int]]:
        """Ranges [start, stop) of the `trials` trials from `first` on that are not there yet."""
        query = f"SELECT trial FROM {_OF_TASK} AND trial >= ? AND trial < ? ORDER BY trial"  # noqa: S608
        there = self._db.execute(query, (task.id, first, first + trials))
        return missing_ranges((row[0] for row in there), first, first + trials)

    def add(self, task: Task, batch: Batch) -> None:
        """Keep a batch, in one transaction; trials that are there already stay as they are."""
        try:
            with self._named_errors(), self._transaction():
                key = self._key(task)
                added = self._insert(key, written_rows(batch, task.setting.words.answers))
                self._recorder.record(self._db, key, added)
        except BaseException:
            self._keys.clear()  # a key may have gone with the transaction
            raise

    def evaluation(self, task: Task, trials: int, first: int = 0) -> Evaluation:
        """Those of the `trials` trials of a task from `first` on that are there."""
        rows = f"{_OF_TASK} AND trial >= ? AND trial < ?"
        bounds = (task.id, first, first + trials)
        with self._read():
            most = self._db.execute(f"SELECT count(*) FROM {rows}", bounds).fetchone()[0]  # noqa: S608
            # The limit: more may be there by now.
            found = self._db.execute(f"SELECT {_TRIAL_NAMES} FROM {rows} ORDER BY trial LIMIT ?", (*bounds, most))  # noqa: S608
            return Evaluation(task, *read_rows(found, most, COLUMNS, task.setting.words.answers))

    @contextmanager
    def _read(self) -> Iterator[None]:
        """For a block that reads cells: one that no sweep has written is an error of the file."""
        try:
            yield
        except WordplError:
            raise
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            raise WordplError(f"{self.path} is damaged: {error_line(error)}") from None

    def _key(self, task: Task) -> int:
        if task.id not in self._keys:
            self._keys[task.id] = self._task_key(asdict(task_row(task)))
        return self._keys[task.id]

    def _task_key(self, row: dict[str, Any]) -> int:
        marks = ", ".join(f":{column}" for column in _TASK_COLUMNS)
        self._db.execute(f"INSERT OR IGNORE INTO tasks ({', '.join(_TASK_COLUMNS)}) VALUES ({marks})", row)  # noqa: S608
        key: int = self._db.execute("SELECT key FROM tasks WHERE id = ?", (row["id"],)).fetchone()[0]
        return key

    def _insert(self, key: int, rows: Iterable[Sequence[Any]]) -> int:
        """Add the trials that are not there yet; returns how many that was."""
        marks = ", ".join("?" * len(_TRIAL_COLUMNS))
        before = self._db.total_changes
        self._db.executemany(
            f"INSERT OR IGNORE INTO trials (task, {_TRIAL_NAMES}) VALUES ({key}, {marks})",  # noqa: S608
            rows,
        )
        return self._db.total_changes - before

    # What a reader needs.

    def tasks(self, match: str = "", where: Where = ()) -> list[TaskRow]:
        """The tasks whose strategy or word list contains `match` and that meet `where`, in a fixed order.

        `where` has conditions such as `family=Greedy*,epsilon>=5` (see `wordpl.simulation.selection`).
        """
        query = (
            f"SELECT {', '.join(_TASK_COLUMNS)}, (SELECT count(*) FROM trials WHERE task = key) FROM tasks"  # noqa: S608
            " WHERE instr(lower(strategy || ' ' || words), lower(?)) ORDER BY family, epsilon, strategy, code, id"
        )
        with self._read():
            rows = [_read_task(row) for row in self._db.execute(query, (match,))]
        return select((replace(row, noiseless=bool(row.noiseless)) for row in rows), where)

    def stored(self, task_id: str) -> StoredTrials:
        """All trials of the task with this id, in order of trial. Needs neither its strategy nor its word list."""
        with self._read():
            found = self._db.execute(
                "SELECT format, (SELECT count(*) FROM trials WHERE task = key) FROM tasks WHERE id = ?", (task_id,)
            ).fetchone()
            format, most = (str(CONTEST), 0) if found is None else found
            rows = islice(self.trial_rows(task_id, STORED_COLUMNS), most)
            return StoredTrials(*read_rows(rows, most, STORED_COLUMNS), GameFormat.parse(format))

    def differing_answer(self, one: str, other: str) -> int | None:
        """The first trial in which the tasks of these ids have different answers; None if there is none."""
        query = (
            "SELECT min(a.trial) FROM trials a JOIN trials b ON a.trial = b.trial AND a.answer <> b.answer"
            " WHERE a.task = (SELECT key FROM tasks WHERE id = ?) AND b.task = (SELECT key FROM tasks WHERE id = ?)"
        )
        found: int | None = self._db.execute(query, (one, other)).fetchone()[0]
        return found

    def provenance(self) -> list[Run]:
        """What made the trials of the file: each run that added some, the earliest first.

        Trials that were added before format 3, which records runs, are in none.
        """
        with self._read():
            return read_runs(self._db)

    def merge(self, other: Store) -> int:
        """Add what another file has and this one lacks, its runs too; returns how many trials that was.

        Raises `WordplError`, and changes nothing, if the two disagree about a trial.
        """
        if other.path.resolve() == self.path.resolve():
            raise WordplError(f"{self.path} cannot be merged into itself")
        with self._transaction():
            added = sum(self._merge_task(other, task) for task in other.tasks())
            merge_runs(self._db, other.provenance())
            return added

    def _merge_task(self, other: Store, task: TaskRow) -> int:
        key = self._task_key(asdict(task))
        try:
            deque(united_rows([self, other], task), maxlen=0)
        except WordplError as error:
            raise WordplError(f"{error}; nothing was merged") from None
        query = f"SELECT {_TRIAL_NAMES} FROM {_OF_TASK}"  # noqa: S608
        return self._insert(key, other._db.execute(query, (task.id,)))

    def trial_rows(self, task_id: str, columns: Sequence[Column]) -> Iterator[tuple[Any, ...]]:
        """The trials of a task in order, each with its values of `columns`."""
        names = ", ".join(column.name for column in columns)
        yield from self._db.execute(f"SELECT {names} FROM {_OF_TASK} ORDER BY trial", (task_id,))  # noqa: S608

    def rows(self, match: str = "", timings: bool = False, where: Where = ()) -> Iterator[dict[str, Any]]:
        """Every trial of the matching tasks as one flat record, in a fixed order."""
        columns = [column.name for column in COLUMNS if timings or not column.timing]
        query = f"SELECT {', '.join(columns)} FROM {_OF_TASK} ORDER BY trial"  # noqa: S608
        for task in self.tasks(match, where):
            head = {column: getattr(task, column) for column in _TASK_COLUMNS} | {"noiseless": int(task.noiseless)}
            for row in self._db.execute(query, (task.id,)):
                yield head | dict(zip(columns, row, strict=True))

    def export(self, target: StrPath, match: str = "", timings: bool = False, where: Where = ()) -> int:
        """Write the matching trials to a .csv, .json or .parquet file; returns how many."""
        target = Path(target)
        if target.suffix not in WRITERS:
            raise WordplError(f"cannot export to {target.name!r}; a name that ends in {', '.join(WRITERS)} is expected")
        declared = _TASK_COLUMNS | _TRIAL_COLUMNS
        with whole_file(target) as beside, self._read():
            return WRITERS[target.suffix](beside, self.rows(match, timings, where), declared)


_KINDS: dict[str, type] = {"TEXT": str, "REAL": float, "INTEGER": int}


def _read_task(row: Sequence[Any]) -> TaskRow:
    """A row of a file. Raises `ValueError` for cells that no sweep has written."""
    for (name, declared), value in zip(_TASK_COLUMNS.items(), row, strict=False):
        right = isinstance(value, _KINDS[declared.split()[0]]) and not (isinstance(value, float) and value < 0.0)
        if not right and (value is not None or "NOT NULL" in declared):
            raise ValueError(f"the {name} of a task cannot be {one_line(repr(value), 60)}")
    found = TaskRow(*row)
    if str(GameFormat.parse(found.format)) != found.format:
        raise ValueError(f"the format of a task cannot be {one_line(repr(found.format), 60)}")
    return found


def task_row(task: Task, trials: int = 0) -> TaskRow:
    """A task as a store knows it."""
    strategy = task.strategy
    return TaskRow(
        id=task.id,
        strategy=strategy.label,
        code=strategy.code,
        family=strategy.family,
        epsilon=task.epsilon,
        words=task.setting.words.name,
        rule=task.setting.rule,
        channel=channel_name(task.setting.channel),
        format=str(task.setting.format),
        noiseless=task.setting.noiseless,
        seed=str(task.seed),
        engine=ENGINE_VERSION,
        trials=trials,
    )
