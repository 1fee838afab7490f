"""The results files of a server: which there are, whether they have changed, and what is in them."""

from __future__ import annotations

import stat
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, BinaryIO
from weakref import WeakSet

from wordpl.errors import WordplError
from wordpl.reporting.outcome_tables import outcome_record
from wordpl.simulation.outcomes import Outcome
from wordpl.simulation.store import Store
from wordpl.storage.lru_cache import LruCache
from wordpl.web.pool import BusyError
from wordpl.web.problems import FieldError

MAX_TASKS = 1000
"""Tasks that one answer has, at most."""
MAX_COPIES = 8
"""Copies of trials that are being sent, at most: each takes room on the disk."""
_KEPT_BYTES = 128 << 20
_SETTLED = 1.0
"""Seconds after which a change of a file surely shows in its time of change; clocks of disks are coarse."""


@dataclass(frozen=True)
class Found:
    """A task with its figures."""

    outcome: Outcome
    record: dict[str, Any]
    """As `outcome_record` gives it."""


class ResultFiles:
    """Results files by name: that of the file, or its path where two would have the same.

    They are opened to be read only, and for as short as can be, so that a sweep that writes to one never waits. Trials
    never change once they are there; so a task is read again only when it has more of them.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        unique = list(dict.fromkeys(paths))
        alike = Counter(path.name for path in unique)
        self._paths = {path.name if alike[path.name] == 1 else str(path): path for path in unique}
        self._copies: WeakSet[BinaryIO] = WeakSet()  # a copy that nobody reads any more closes by itself
        self._lock = Lock()  # of the copies
        self._found: LruCache[tuple[object, ...], Found] = LruCache(
            10 * MAX_TASKS, _KEPT_BYTES, lambda found: found.outcome.figures.results.nbytes
        )

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
        try:
            found = path.stat()
        except OSError:
            return ""
        if not stat.S_ISREG(found.st_mode):
            return ""
        settled = time.time() - found.st_mtime > _SETTLED
        return f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}" + ("" if settled else "-new")

    def read(self, name: str, match: str, room: int) -> tuple[list[Found], int]:
        """Return the first `room` tasks that have trials and whose strategy or words contain `match`.

        Also how many more there are. Raises `WordplError`, with one line for the user, for a file that cannot be read.
        """
        path = self.path(name)
        inode = self.version(name).partition("-")[0]  # empty if there is no file, of which the next line tells
        with Store(path, read_only=True) as store:
            tasks = [task for task in store.tasks(match) if task.trials]

            def found() -> Iterator[Found]:
                for task in tasks:
                    key = (path, inode, task.id, task.trials)
                    yield self._found.get_or_make(key, lambda task=task: _found(Outcome(task, store.stored(task.id))))  # type: ignore[misc]

            return list(islice(found(), room)), max(0, len(tasks) - room)

    def export(self, name: str, match: str) -> BinaryIO:
        """Return an open file of the matching trials as `wordpl results --out` writes them to a .csv; close it.

        It is a copy: who reads it slowly keeps no sweep from writing. Raises `BusyError` while many copies are open.
        """
        with self._lock:
            if sum(not copy.closed for copy in self._copies) >= MAX_COPIES:
                raise BusyError
        with TemporaryDirectory() as folder, Store(self.path(name), read_only=True) as store:
            target = Path(folder, "trials.csv")
            store.export(target, match)
            copy = target.open("rb")
        with self._lock:
            self._copies.add(copy)
        return copy


def _found(outcome: Outcome) -> Found:
    try:
        return Found(outcome, outcome_record(outcome))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise WordplError(f"the trials of {outcome.task.strategy!r} are damaged: {error}") from None
