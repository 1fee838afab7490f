"""The results files of a server: which there are, whether they have changed, and what is in them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import BinaryIO, TypeAlias
from weakref import WeakSet

import numpy as np

from wordpl.base.errors import WordplError
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.statistics_table import EvaluationRecord
from wordpl.simulation.store import Store
from wordpl.simulation.tasks import TaskFilter, TaskRow
from wordpl.simulation.trials import COMPARED
from wordpl.web.problems import FieldError

MAX_TASKS = 1000
"""Tasks that one answer has, at most."""
MAX_COPIES = 16
"""Copies of trials that visitors read at a time: a slow one keeps its copy on the disk."""
_SETTLED = 1.0
"""Seconds after which a change of a file surely shows in its time of change; clocks of disks are coarse."""

_MOST_BYTES = 128 << 20
"""Bytes of tasks that are kept, about."""

TaskSummary: TypeAlias = tuple[Evaluation, EvaluationRecord]
"""A task with its results, and their summary."""


class ResultFiles:
    """Results files by name: that of the file, or its path where two would have the same.

    They are opened to be read only, and for as short as can be, so that a sweep that writes to one never waits. Trials
    never change once they are there; so a task is read again only when it has more of them.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        unique = list(dict.fromkeys(paths))
        counts = Counter(path.name for path in unique)
        self._paths = {path.name if counts[path.name] == 1 else str(path): path for path in unique}
        self._tasks: dict[tuple[object, ...], TaskSummary] = {}
        self._reading, self._bytes = Lock(), 0.0
        self._copies: WeakSet[BinaryIO] = WeakSet()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._paths)

    def path(self, name: str) -> Path:
        """The path of a file by name. Raises `FieldError` with status 404 for a name that the server was not given."""
        if name not in self._paths:
            raise FieldError("This server was not started with a results file of that name.", "file", 404)
        return self._paths[name]

    def version(self, name: str) -> str:
        """A text that changes whenever the file does; empty if there is no such file any more.

        It costs next to nothing. A file that changed only just now gets another text a little later: a second change
        might have come too soon for the disk to tell.
        """
        path = self.path(name)
        with suppress(OSError):
            state = path.stat()
            new = "-new" if time.time() - state.st_mtime <= _SETTLED else ""
            return f"{state.st_ino}-{state.st_mtime_ns}-{state.st_size}{new}" if path.is_file() else ""
        return ""

    def read(self, name: str, match: str, room: int) -> tuple[list[TaskSummary], int]:
        """Return the first `room` tasks that have trials and whose strategy or words contain `match`.

        Also how many more there are. Raises `WordplError`, with one line for the user, for a file that cannot be read.
        """
        path = self.path(name)
        inode = self.version(name).partition("-")[0]  # empty if there is no file, of which the next line tells
        with Store(path, read_only=True) as store:
            tasks = [task for task in store.tasks(TaskFilter(contains=match)) if task.trials]

            def summary(task: TaskRow) -> TaskSummary:
                key = (path, inode, task.id, task.trials)
                if kept := self._tasks.get(key):
                    return kept
                with self._reading:
                    if key not in self._tasks:
                        outcome = store.stored(task)
                        if self._bytes > _MOST_BYTES:
                            self._tasks.clear()
                            self._bytes = 0.0
                        self._tasks[key] = outcome, outcome.summary()
                        self._bytes += _size(self._tasks[key])
                    return self._tasks[key]

            return [summary(task) for task in tasks[:room]], max(0, len(tasks) - room)

    def export(self, name: str, match: str) -> BinaryIO:
        """Return an open file of the matching trials as `wordpl results --out` writes them to a .csv; close it.

        It is a copy: who reads it slowly keeps no sweep from writing. Raises `FieldError` with status 503 while there
        are too many copies.
        """
        with TemporaryDirectory() as folder, Store(self.path(name), read_only=True) as store:
            if sum(not copy.closed for copy in self._copies) >= MAX_COPIES:
                raise FieldError("Too many visitors are downloading games; try again in a minute.", None, 503)
            target = Path(folder, "trials.csv")
            store.export(target, TaskFilter(contains=match))
            copy = target.open("rb")
        self._copies.add(copy)
        return copy


def _size(task: TaskSummary) -> float:
    """The bytes of a task, about: its trials with what is worked out of each, and a summary of any number of them."""
    return 1.25 * task[0].results.nbytes + 12_000


def joined(first: Evaluation, second: Evaluation) -> Evaluation:
    """Return the trials of both, which are parts of one task, each once. Raises `WordplError` if a trial differs."""
    _, *both = np.intersect1d(first.results["trial"], second.results["trial"], True, return_indices=True)
    if any((first.results[name][both[0]] != second.results[name][both[1]]).any() for name in COMPARED):
        raise WordplError(f"another file has other trials of {first.task.strategy}")
    results = np.concatenate([first.results, np.delete(second.results, both[1])])
    return replace(first, results=results[np.argsort(results["trial"])])
