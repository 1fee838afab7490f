"""Playing many trials of many tasks in parallel. With a store, a sweep can be stopped and resumed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

import joblib
import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from wordpl.base.checks import DEFAULT_TRIALS, instance, open_fraction, several, whole_number
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.stopping import stoppable
from wordpl.base.workers.pool import Workers, make_workers, results
from wordpl.play.strategy import Strategy
from wordpl.simulation.evaluation import Comparison, Evaluation
from wordpl.simulation.playing import play_as_worker, play_batch
from wordpl.simulation.tasks import Code, Task, TaskTerms, as_task, check_code, code_here, make_task, task_row
from wordpl.simulation.trials import COLUMNS, RESULT, Trial, read_rows

if TYPE_CHECKING:
    from wordpl.simulation.store import Store

_LOG = logging.getLogger(__name__)

# How long a batch of a worker should take: progress moves, and this process can feed all workers.
_BATCH_SECONDS, _LONGEST_BATCH_SECONDS, _BATCHES_PER_SECOND = 0.5, 30.0, 50
# The most trials in a batch, for each second that it should take.
_LARGEST_BATCH = 10_000
# Batches are saved together, at most this often, because each time may cost a write to disk.
_KEEP_SECONDS = 0.25
# A run that may stop early is checked only after fixed numbers of trials, so that it stops at the same number for all
# batch sizes and workers.
_FIRST_LOOK, _LOOK_GROWTH = 250, 1.5
_LAST_FIRST_TRIAL = 10**12


class SweepInterruptedError(KeyboardInterrupt):
    """A sweep was stopped by Ctrl-C. Finished trials are in the store, as `sweep` explains."""

    def __init__(self) -> None:
        super().__init__("the sweep was stopped; the trials that were finished are kept")


def evaluate(
    strategy: Strategy | str,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    jobs: int = 1,
    *,
    first_trial: int = 0,
    until_width: float | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    **terms: Unpack[TaskTerms],
) -> Evaluation:
    """Play `trials` games of `strategy`, or of a spec such as "TwoGuess(18)", and evaluate them as the contest does.

    With the same `seed`, every strategy gets the same answers and the same noise. `jobs` is the number of worker
    processes, -1 for one per core; the result does not depend on it. `store` saves the trials, and trials that it
    already has are not played again. `terms` are the `words`, `rule`, `channel` and `format` of `make_task`.
    `progress`, `first_trial` and `until_width` are those of `sweep`. Raises the errors of these two functions.

    >>> import wordpl
    >>> result = wordpl.evaluate("TwoGuess(18)", trials=200, seed=1)
    >>> result.wins, result.p05, result.percentile_interval(0.05)
    (13, 18.0, (18.0, inf))
    """
    task = make_task(strategy, seed, **terms)
    played = sweep(
        [task], trials, jobs, first_trial=first_trial, until_width=until_width, store=store, progress=progress
    )
    return played[0]


def sweep(
    tasks: Sequence[Task | Strategy | str],
    trials: int = DEFAULT_TRIALS,
    jobs: int = 1,
    *,
    first_trial: int = 0,
    until_width: float | None = None,
    batch: int | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Play at most `trials` trials, 1 or more, of every task, and return the evaluations in the order of `tasks`.

    `jobs` is the number of worker processes, 1 or more, or -1 for one per core. Instead of a task you can give a
    strategy or a spec, such as "TwoGuess(18)"; `make_task` makes the task.

    Trials that `store` already has are not played again. `first_trial`, 0 to 10**12, is the number of the first trial.
    So several machines can each play a part of a run, and `Store.merge` combines the parts. `until_width`, between 0
    and 1, stops a task as soon as the 95% interval of its win rate is no wider than that; it needs the trials from 0
    on. `batch` is the largest number of trials in a batch, 1 or more; without it, the size follows from the time that a
    trial takes. `progress` is called after each batch. A task that loses its first ten trials by the same error stops.

    In the main thread, Ctrl-C ends the sweep with `SweepInterruptedError`, a `KeyboardInterrupt`; other threads do not
    notice it. With one job, native code that does not return cannot be stopped.

    Raises `WordplError` for arguments out of range, and `WorkerLostError` if a worker process is killed. After any
    error, every finished trial is in the store, except those of the batches that workers were playing, about half a
    second each.
    """
    trials = whole_number("trials", trials)
    batch = None if batch is None else whole_number("batch", batch)
    width = None if until_width is None else open_fraction("width", until_width)
    first, chosen = check_first_trial(first_trial, width), [as_task(task) for task in several("tasks", tasks)]
    holds = store is None or width is not None
    played = Sweep(chosen, trials, jobs, first=first, store=store, batch=batch, progress=progress, holds=holds)
    for look in [trials] if width is None else looks_up_to(trials):
        played.play(look)
        if width is not None:
            played.go_on([task for task in played.open if np.ptp(played.evaluation(task).interval) > width])
    return Comparison(played.evaluation(task) for task in chosen)


def check_first_trial(first_trial: object, until_width: float | None) -> int:
    """Return `first_trial` as an `int`. Raises `WordplError` if it is out of range or has no meaning."""
    first = whole_number("first_trial", first_trial, 0, _LAST_FIRST_TRIAL)
    if first and until_width is not None:
        raise WordplError(f"use either first_trial {first} or until_width, which looks at trials from 0 on")
    return first


def looks_up_to(trials: int) -> list[int]:
    """The numbers of trials after which a run that may stop early is checked. They are fixed; the last is `trials`."""
    looks, look = [], float(_FIRST_LOOK)
    while look < trials:
        looks.append(round(look))
        look *= _LOOK_GROWTH
    return [*looks, trials]


ALIKE = 10
"""A strategy that loses this many trials at the start, all by the same error, is not played further."""


def fail_alike(reasons: Mapping[int, str], first: int = 0) -> bool:
    """Return whether the first trials, `ALIKE` from number `first` on, were all lost for one reason."""
    texts = {reasons.get(trial, "") for trial in range(first, first + ALIKE)}
    return len(texts) == 1 and texts != {""}


class Sweep:
    """Plays the missing trials of some tasks, and saves them in the store, if there is one. With `holds` they stay in
    memory, too, so that a run does not read its own trials back."""

    def __init__(
        self,
        tasks: Sequence[Task],
        trials: int,
        jobs: int,
        *,
        first: int = 0,
        store: Store | None = None,
        batch: int | None = None,
        progress: Progress | None = None,
        holds: bool = True,
    ) -> None:
        self.open = list({task.id: task for task in tasks}.values())
        """The tasks that go on."""
        self._first, self._store, self._batch, self._progress = first, store, batch, progress
        self._workers = make_workers(jobs)
        self._tasks = {task.id: task for task in self.open}
        self._reached = dict.fromkeys(self._tasks, 0)
        self._total = trials * len(self._tasks)
        self._missing = {id: [(first, first + trials)] for id in self._tasks}
        self._pending: dict[str, list[Trial]] = {}
        self._kept_at = perf_counter()
        self._tables: dict[str, list[tuple[NDArray[np.void], dict[int, str]]]] | None = {} if holds else None
        # Of the first trials, which decide whether a task goes on.
        self._reasons: dict[str, dict[int, str]] = {id: {} for id in self._tasks}
        if store is not None:
            from wordpl.simulation.store import Store  # with sqlite, which a run without a file does not need

            instance("store", store, Store)
            for task in self.open:
                self._missing[task.id] = store.missing(task, trials, first)
                there = store.evaluation(task, trials if holds else ALIKE, first)
                self._reasons[task.id] |= there.reasons
                if self._tables is not None:
                    self._tables[task.id] = [(there.results, there.reasons)]
            missing = sum(end - begin for ranges in self._missing.values() for begin, end in ranges)
            if missing < self._total:
                _LOG.debug("%d of %d trials are already in the file", self._total - missing, self._total)
        # Now, with the ids: the code with which each task is played (`tasks.check_code`).
        self._codes = {task.id: code_here(task.strategy, task.setting) for task in self.open}
        self._seconds_per_trial: dict[str, float] = {}

    def go_on(self, tasks: Iterable[Task]) -> None:
        """Go on with these tasks alone."""
        self.open = list({task.id: task for task in tasks}.values())

    def play(self, look: int) -> None:
        """Play the open tasks up to `look` trials each, but drop those that `fail_alike`. Raises what `sweep` does."""
        begun = any(self._reached.values())
        for trials in [look] if begun else [min(ALIKE, look), look]:
            missing = [
                (task, begin, min(end, self._first + trials))
                for task in self.open
                for begin, end in self._missing[task.id]
                if begin < self._first + trials
            ]
            try:
                with stoppable() as stop:
                    try:
                        if self._workers is not None:
                            self._collect(self._workers, missing)
                            missing = []
                        for task, at, end in missing:
                            while at < end:
                                rows: list[Trial] = []
                                check_code(self._codes[task.id], task.strategy, task.setting)
                                stop_at = end if self._batch is None else min(end, at + self._batch)
                                try:
                                    play_batch(task, at, stop_at, rows, _KEEP_SECONDS)
                                finally:
                                    with stop.held():
                                        self._take(task, at, rows)
                                at += len(rows)
                    finally:
                        with stop.held():
                            self._keep()
            except KeyboardInterrupt:
                raise SweepInterruptedError from None
            self._reached.update((task.id, trials) for task in self.open)
            if not begun:
                self.open = [task for task in self.open if not fail_alike(self._reasons[task.id], self._first)]

    def evaluation(self, task: Task) -> Evaluation:
        """The evaluation of the trials of a task that were played so far."""
        first, trials = self._first, self._reached[task.id]
        if self._store is not None and self._tables is None:
            return self._store.evaluation(task, trials, first)
        tables = (self._tables or {}).get(task.id, [])
        results = np.concatenate([np.empty(0, RESULT), *(table for table, _ in tables)])
        results = np.sort(results[results["trial"] < first + trials], order="trial")
        all_reasons = {trial: reason for _, part in tables for trial, reason in part.items()}
        reasons = {trial: all_reasons[trial] for trial in results["trial"].tolist() if trial in all_reasons}
        return Evaluation(task_row(task, len(results)), results, reasons, answers=task.setting.words.answers)

    def _take(self, task: Task, begin: int, rows: list[Trial]) -> None:
        """Note the rows of the trials from `begin` on."""
        if not rows:
            return
        parts = [
            part for a, b in self._missing[task.id] for part in ((a, min(b, begin)), (max(a, begin + len(rows)), b))
        ]
        self._missing[task.id] = [(a, b) for a, b in parts if a < b]
        early = {row.trial: row.reason for row in rows if row.trial < self._first + ALIKE}
        self._reasons[task.id] |= early
        self._pending.setdefault(task.id, []).extend(rows)
        if perf_counter() - self._kept_at > _KEEP_SECONDS:
            self._keep()
        if self._progress is not None:
            left = sum(end - begin for ranges in self._missing.values() for begin, end in ranges)
            self._progress(task, len(rows), self._total - left, self._total)

    def _keep(self) -> None:
        """Save the pending rows."""
        pending, self._pending, self._kept_at = self._pending, {}, perf_counter()
        if self._store is not None and pending:
            self._store.add((self._tasks[id], rows) for id, rows in pending.items())
        if self._tables is not None:
            for id, rows in pending.items():
                answers = self._tasks[id].setting.words.answers
                self._tables.setdefault(id, []).append(read_rows(rows, COLUMNS, answers))

    def _collect(self, workers: Workers, missing: Sequence[tuple[Task, int, int]]) -> None:
        if missing:
            _LOG.debug("starting %d worker processes", workers.n_jobs)
        calls = (joblib.delayed(play_as_worker)(*batch) for batch in self._batches(workers, missing))
        with closing(results(workers, calls)) as found, stoppable() as stop:
            for (_, (task, begin, end, _), _), (rows, seconds) in found:
                if [row.trial for row in rows] != [*range(begin, end)][: len(rows)]:
                    raise WordplError("a worker has sent trials that it was not asked for; they are not kept")
                self._seconds_per_trial[task.id] = seconds / max(1, len(rows))
                with stop.held():
                    self._take(task, begin, rows)

    def _batches(
        self, workers: Workers, missing: Iterable[tuple[Task, int, int]]
    ) -> Iterator[tuple[Task, int, int, Code]]:
        """The arguments of `play_as_worker` for each batch, sized by how fast its task has been."""
        for task, at, end in missing:
            while at < end:
                size = min(self._size(workers, task, end - at), end - at)
                yield task, at, at + size, self._codes[task.id]
                at += size

    def _size(self, workers: Workers, task: Task, left: int) -> int:
        if self._batch is not None:
            return self._batch
        if task.id not in self._seconds_per_trial:
            return 1  # its trials may be slow
        seconds = min(max(_BATCH_SECONDS, workers.n_jobs / _BATCHES_PER_SECOND), _LONGEST_BATCH_SECONDS)
        by_time = int(seconds / max(self._seconds_per_trial[task.id], 1e-9))
        # Towards the end, small enough that all workers stay busy.
        return max(1, min(by_time, int(_LARGEST_BATCH * seconds), -(-left // (2 * workers.n_jobs))))
