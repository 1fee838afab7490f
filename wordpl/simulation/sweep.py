"""Playing many trials of many tasks in parallel. With a store, a sweep can be stopped and resumed."""

from __future__ import annotations

import logging
import sys
import warnings
from collections import defaultdict, deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from itertools import chain
from os import PathLike
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from typing_extensions import Unpack

from wordpl.base.checks import DEFAULT_TRIALS, instance, open_fraction, several, whole_number
from wordpl.base.clusters import current
from wordpl.base.errors import WordplError, WordplWarning
from wordpl.base.files import StrPath
from wordpl.base.progress import Progress
from wordpl.base.sources import LIBRARY
from wordpl.base.stopping import stoppable
from wordpl.base.workers import Call, run_calls, worker_count
from wordpl.play.strategy import Strategy
from wordpl.simulation.evaluation import Evaluation, Evaluations
from wordpl.simulation.playing import play_as_worker, play_batch
from wordpl.simulation.tasks import Task, TaskTerms, as_task, task_row
from wordpl.simulation.trials import Trial, read_rows

if TYPE_CHECKING:
    from wordpl.simulation.store import Store

_LOG = logging.getLogger(__name__)

Range: TypeAlias = tuple[Task, int, int]
"""Trials of a task, from a number to the one before another."""

# How long a batch of a worker should take: progress moves, and this process can feed all workers.
_BATCH_SECONDS, _LONGEST_BATCH_SECONDS, _BATCHES_PER_SECOND = 0.5, 30.0, 50
# The most trials in a batch, for each second that it should take.
_LARGEST_BATCH = 10_000
# CPU seconds for which workers are started: each takes more than one before it plays.
_WORTH_SECONDS = 4.0
# Batches are saved together, at most this often, because each time may cost a write to disk.
_KEEP_SECONDS = 0.25
# A run that may stop early is checked only after fixed numbers of trials, so that it stops at the same number for all
# batch sizes and workers.
_FIRST_LOOK, _LOOK_GROWTH = 250, 1.5
_LAST_FIRST_TRIAL = 10**12
_HELD_AS_ROWS = 1000  # trials of a task; more are held as a table, which takes a tenth of the memory


class SweepInterruptedError(KeyboardInterrupt):
    """A sweep was stopped by Ctrl-C. Finished trials are in the store, as `sweep` explains."""


def evaluate(
    strategy: Strategy | str | Task,
    trials: int = DEFAULT_TRIALS,
    seed: int | None = None,
    jobs: int = 1,
    *,
    first_trial: int = 0,
    until_width: float | None = None,
    store: Store | StrPath | None = None,
    progress: Progress | None = None,
    **terms: Unpack[TaskTerms],
) -> Evaluation:
    """Play `trials` games of `strategy`, or of a spec such as "TwoGuess(18)", and evaluate them as the contest does.

    With the same `seed`, by default 1, every strategy gets the same answers and the same noise. `jobs` is the number of
    worker processes, -1 for one per core; the result does not depend on it. `store`, a results file or its path, saves
    the trials, and trials that it already has are not played again. `terms` are the `words`, `rule`, `channel` and
    `format` of `make_task`. `progress`, `first_trial` and `until_width` are those of `sweep`. Raises the errors of
    both.

    >>> import wordpl
    >>> result = wordpl.evaluate("TwoGuess(18)", trials=200, seed=1)
    >>> result.wins, result.p05, result.percentile_interval(0.05)
    (13, 18.0, (18.0, inf))
    """
    task = as_task(strategy, seed, terms, "evaluate")
    played = sweep(
        [task], trials, jobs, first_trial=first_trial, until_width=until_width, store=store, progress=progress
    )
    return played[0]


def sweep(
    tasks: Sequence[Task | Strategy | str],
    trials: int = DEFAULT_TRIALS,
    jobs: int = 1,
    *,
    seed: int | None = None,
    first_trial: int = 0,
    until_width: float | None = None,
    batch: int | None = None,
    store: Store | StrPath | None = None,
    progress: Progress | None = None,
    **terms: Unpack[TaskTerms],
) -> Evaluations:
    """Play at most `trials` trials, 1 or more, of every task, and return the evaluations in the order of `tasks`.

    `jobs` is the number of worker processes, 1 or more. With -1 this process plays until what is left takes longer
    than starting a worker per core. Instead of a task you can give a strategy or a spec, such as "TwoGuess(18)";
    `make_task` makes the task, with this `seed`, by default 1, and the `words`, `rule`, `channel` and `format` in
    `terms`.

    Trials that `store`, a results file or its path, already has are not played again. `first_trial`, 0 to 10**12, is
    the number of the first trial. So several machines can each play a part of a run, and `Store.merge` combines the
    parts. `until_width`, between 0 and 1, stops a task as soon as the 95% interval of its win rate is no wider than
    that; it needs the trials from 0 on. `batch` is the largest number of trials in a batch, 1 or more; without it, the
    size follows from the time that a trial takes. `progress` is called after each batch. A task that loses its first
    ten trials by the same error stops, with a `WordplWarning`.

    In the main thread, Ctrl-C ends the sweep with `SweepInterruptedError`, a `KeyboardInterrupt`; other threads do not
    notice it. With one job, native code that does not return cannot be stopped.

    Raises `WordplError` for arguments out of range, and `WorkerLostError` if a worker process is killed. After any
    error, every finished trial is in the store, except those of the batches that workers were playing, about half a
    second each.
    """
    trials = whole_number("trials", trials)
    batch = None if batch is None else whole_number("batch", batch)
    width = None if until_width is None else open_fraction("width", until_width)
    first = whole_number("first_trial", first_trial, 0, _LAST_FIRST_TRIAL)
    if first and width is not None:
        raise WordplError(f"use either first_trial {first} or until_width, which looks at trials from 0 on")
    chosen = [as_task(task, seed, terms, "sweep") for task in several("tasks", tasks)]
    if isinstance(store, (str, PathLike)):
        from wordpl.simulation.store import Store  # with sqlite, which a run without a file does not need

        with Store(store) as made:
            return sweep(
                chosen, trials, jobs, first_trial=first, until_width=width, batch=batch, store=made, progress=progress
            )
    run = Sweep(chosen, trials, jobs, first=first, store=store, batch=batch, progress=progress)
    going, begin = list(run.tasks.values()), 0
    played_to = dict.fromkeys(run.tasks, 0)
    # A store may have more trials of a task than were played until it ended.
    for end in sorted({min(ALIKE, trials), *([trials] if width is None else looks_up_to(trials))}):
        run.play(going, begin, end)
        played_to.update((task.id, end) for task in going)
        begin = end
        if end == ALIKE:
            reasons = {task.id: run.evaluation(task, end).reasons for task in going}
            failing = {task.id: task for task in going if fail_alike(reasons[task.id], first)}
            going = [task for task in going if task.id not in failing]
            for task in failing.values() if end < trials else ():
                text = f"{task.strategy.label} lost its first {end} trials by the same error"
                warnings.warn(f"{text}, so no more were played: {reasons[task.id][first]}", WordplWarning, 2)
        elif width is not None:
            going = [task for task in going if np.ptp(run.evaluation(task, end).interval) > width]
    return Evaluations(run.evaluation(task, played_to[task.id]) for task in chosen)


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


class _Memory:
    """Keeps trials in memory, as a `Store` does in a file."""

    def __init__(self) -> None:
        self._tables: dict[str, list[tuple[Any, dict[int, str]]]] = defaultdict(list)
        self._words: dict[str, dict[str, int]] = defaultdict(dict)

    def missing(self, task: Task, trials: int, first: int) -> list[tuple[int, int]]:
        return [(first, first + trials)]

    def add(self, batches: Iterable[tuple[Task, list[Trial]]]) -> None:
        for task, rows in batches:  # a table takes a tenth of the memory
            self._tables[task.id].append(read_rows(rows, self._words[task.id]))

    def evaluation(self, task: Task, trials: int, first: int) -> Evaluation:
        results = np.concatenate([table for table, _ in self._tables[task.id]])
        results = np.sort(results[results["trial"] < first + trials], order="trial")
        reasons = {trial: reason for _, some in self._tables[task.id] for trial, reason in some.items()}
        return Evaluation(task_row(task, len(results)), results, reasons, tuple(self._words[task.id]))


class Sweep:
    """Plays the missing trials of some tasks, and keeps them in the store, or in memory if there is none."""

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
    ) -> None:
        if store is not None:
            from wordpl.simulation.store import Store  # with sqlite, which a run without a file does not need

            instance("store", store, Store)
            _warn_of_lost_results(tasks)
        self.tasks = {task.id: task for task in tasks}
        self._first, self._jobs, self._batch, self._progress = first, jobs, batch, progress
        self._total = self._done = trials * len(self.tasks)
        self._kept = _Memory() if store is None else store
        own = not all(type(task.strategy).__module__.startswith(LIBRARY) for task in tasks)
        # With a hash seed of its own, this process might play a user's strategy in another way than workers do.
        self._asked_for_all = jobs == -1 and current.get() is None and not (own and sys.flags.hash_randomization)
        """All cores may be used: in workers as soon as what is left is worth their start."""
        self._in_workers = not self._asked_for_all and self._workers > 1
        for task in self.tasks.values():
            self._done -= sum(end - begin for begin, end in self._kept.missing(task, trials, first))
        if store is not None and self._done:
            _LOG.debug("%d of %d trials are already in the file", self._done, self._total)
        self._seconds: dict[object, float] = {}
        """Seconds for a trial of each task, by its id, and of each class of strategy that was played."""

    @cached_property
    def _workers(self) -> int:
        return min(worker_count(self._jobs), self._total)

    def evaluation(self, task: Task, trials: int) -> Evaluation:
        """The evaluation of the first trials of a task, so many of which were played."""
        return self._kept.evaluation(task, trials, self._first)

    def play(self, tasks: Sequence[Task], begin: int, end: int) -> None:
        """Play those trials of the tasks from number `begin` to `end` - 1 of this run that are missing, and keep those
        that were finished, however this ends.

        Raises what `sweep` does.
        """
        missing = [
            (task, *ends) for task in tasks for ends in self._kept.missing(task, end - begin, self._first + begin)
        ]
        pending: list[tuple[Task, list[Trial]]] = []
        kept_at = perf_counter()
        try:
            with stoppable() as stop:
                try:
                    with closing(self._played(missing)) as played:
                        for task, rows in played:
                            pending.append((task, rows))
                            self._done += len(rows)
                            if perf_counter() - kept_at > _KEEP_SECONDS:
                                with stop.held():
                                    self._kept.add(pending)
                                    pending.clear()
                                kept_at = perf_counter()
                            if self._progress is not None:
                                self._progress(task, len(rows), self._done, self._total)
                finally:
                    with stop.held():
                        self._kept.add(pending)
        except KeyboardInterrupt:
            raise SweepInterruptedError("the sweep was stopped; the trials that were finished are kept") from None

    def _played(self, missing: Sequence[Range]) -> Generator[tuple[Task, list[Trial]]]:
        """The finished batches of trials: of this process, or of workers, if or as soon as they are worth it."""
        left = deque(missing)
        while left and not self._in_workers:
            (task, at, end), rows, start = left.popleft(), list[Trial](), process_time()
            try:
                play_batch(task, at, min(end, at + (self._batch or end)), rows, _KEEP_SECONDS)
            except BaseException:
                yield task, rows
                raise
            seconds = process_time() - start
            if at + len(rows) < end:
                left.appendleft((task, at + len(rows), end))
            yield task, rows
            if self._asked_for_all:
                kind, each = type(task.strategy), seconds / len(rows)
                if kind in self._seconds:  # the first batch of a class loads what the others have then
                    self._in_workers = each * (self._total - self._done) > _WORTH_SECONDS and self._workers > 1
                self._seconds[kind] = each
        if not left:
            return
        calls: Iterator[Call] = (
            (play_as_worker, ([ends for _, *ends in batch], *(task for task, *_ in batch)), {})
            for batch in self._batches(left)
        )
        with closing(run_calls(self._workers, calls)) as results:
            for id, rows, seconds in chain.from_iterable(results):
                task = self.tasks[id]
                self._seconds[id] = self._seconds[type(task.strategy)] = seconds / len(rows)
                yield task, rows

    def _batches(self, missing: Collection[Range]) -> Iterator[list[Range]]:
        """The batches of workers, sized by how fast the tasks have been."""
        wanted = min(max(_BATCH_SECONDS, self._workers / _BATCHES_PER_SECOND), _LONGEST_BATCH_SECONDS)
        left = sum(end - begin for _, begin, end in missing)
        batch, full = list[Range](), 0.0
        for task, at, end in missing:
            while at < end:
                # The part of a batch that a trial takes: all of it in a class that was not played yet. Towards the end
                # batches are small enough that all workers stay busy.
                seconds = self._seconds.get(task.id, self._seconds.get(type(task.strategy), wanted))
                part = max(seconds / wanted, 1.0 / (_LARGEST_BATCH * wanted), 2.0 * self._workers / left)
                part = min(1.0, part) if self._batch is None else 1.0 / self._batch
                size = min(end - at, max(1, round((1.0 - full) / part)))
                batch.append((task, at, at + size))
                at, left, full = at + size, left - size, full + size * part
                if full > 1.0 - part / 2.0:
                    yield batch
                    batch, full = [], 0.0
        if batch:
            yield batch


def _warn_of_lost_results(tasks: Iterable[Task]) -> None:
    """Say which strategies have results that no other process takes up again."""
    advice = "write the class at the top level of a file, with fields that can be pickled"
    for label, problem in {task.strategy.label: task.strategy.identity_problem for task in tasks}.items():
        if problem:
            text = f"{label} has no lasting identity ({problem}), so each process plays it anew; {advice}"
            warnings.warn(text, WordplWarning, stacklevel=4)
