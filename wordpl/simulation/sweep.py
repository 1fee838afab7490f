"""Playing many trials of many tasks in parallel. With a store, a sweep can be stopped and resumed."""

from __future__ import annotations

import itertools
import logging
import sys
import warnings
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from time import perf_counter, process_time
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from wordpl.base.checks import DEFAULT_TRIALS, boolean, open_fraction, several, whole_number
from wordpl.base.clusters import current
from wordpl.base.errors import WordplError, WordplWarning
from wordpl.base.files import StrPath
from wordpl.base.progress import Progress
from wordpl.base.sources import LIBRARY
from wordpl.base.workers import Call, run_calls, worker_count
from wordpl.play.strategy import Strategy
from wordpl.simulation.evaluation import Evaluation, Evaluations
from wordpl.simulation.tasks import Task, TaskTerms, as_task
from wordpl.simulation.trials import Trial, play_as_worker, play_batch, table_of

if TYPE_CHECKING:
    from wordpl.simulation.store import Store

_LOG = logging.getLogger(__name__)

Gap: TypeAlias = tuple[Task, range]
"""Trials of a task that are to be played."""

# Seconds that a call of a worker takes, unless one game takes longer: progress moves. So many calls a second are the
# most that this process can give out.
_CALL_SECONDS, _CALLS_PER_SECOND = 0.5, 50
# CPU seconds for which workers are started: each takes more than one before it plays.
_WORTH_SECONDS = 4.0
# Batches are saved together, at most this often, because each time may cost a write to disk.
_KEEP_SECONDS = 0.25
# A run that may stop early is checked only after fixed numbers of trials, so that it stops at the same number for all
# batch sizes and workers.
_FIRST_LOOK, _LOOK_GROWTH = 250, 1.5


class SweepInterruptedError(KeyboardInterrupt):
    """A sweep was stopped by Ctrl-C. Finished trials are in the store, as `sweep` explains."""


def evaluate(
    strategy: Strategy | str | Task,
    trials: int | None = None,
    seed: int | None = None,
    jobs: int = 1,
    *,
    first_trial: int = 0,
    until_width: float | None = None,
    every_answer: bool = False,
    store: Store | StrPath | None = None,
    progress: Progress | None = None,
    **terms: Unpack[TaskTerms],
) -> Evaluation:
    """Play `trials` games of `strategy`, or of a spec such as "TwoGuess(18)", and evaluate them as the contest does.

    Without `trials` it plays as many games as the contest, or with `every_answer` one for each answer of the list.

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
    if boolean("every_answer", every_answer):
        if (trials, first_trial, until_width) != (None, 0, None):
            raise WordplError("every_answer plays each answer once; leave out trials, first_trial and until_width")
        setting, trials = task.setting, len(task.setting.words.answers)
        task = replace(task, setting=replace(setting, format=replace(setting.format, every_answer=True)))
    games = DEFAULT_TRIALS if trials is None else trials
    played = sweep(
        [task], games, jobs, first_trial=first_trial, until_width=until_width, store=store, progress=progress
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
    size follows from the time that a trial takes. `progress` is called at the start and after each batch. A task that
    loses its first ten trials by the same error stops, with a `WordplWarning`.

    In the main thread, Ctrl-C ends the sweep with `SweepInterruptedError`, a `KeyboardInterrupt`; other threads do not
    notice it. With one job, native code that does not return cannot be stopped.

    Raises `WordplError` for arguments out of range, and `WorkerLostError` if a worker process is killed. After any
    error, every finished trial is in the store, except those of the batches that workers were playing, about half a
    second each.
    """
    trials = whole_number("trials", trials)
    batch = trials if batch is None else whole_number("batch", batch)
    width = None if until_width is None else open_fraction("width", until_width)
    first = whole_number("first_trial", first_trial, 0, 10**12)
    if first and width is not None:
        raise WordplError(f"use either first_trial {first} or until_width, which looks at trials from 0 on")
    chosen = [as_task(task, seed, terms, "sweep") for task in several("tasks", tasks)]
    by_id = {task.id: task for task in chosen}
    going, begin, played_to = dict(by_id), 0, dict.fromkeys(by_id, 0)
    with _sink(store, chosen) as sink:
        run = _Run(by_id, trials, first, sink, jobs, batch, progress)
        # A store may have more trials of a task than were played until it ended.
        for end in sorted({min(ALIKE, trials), *([trials] if width is None else looks_up_to(trials))}):
            run.play(going.values(), begin, end)
            played_to.update(dict.fromkeys(going, end))
            begin = end
            for id, task in dict(going).items() if end < trials else ():
                if end == ALIKE:
                    reasons = sink.evaluation(task, end, first).reasons
                    if fail_alike(reasons, first):
                        del going[id]
                        text = f"{task.strategy.label} lost its first {end} trials by the same error"
                        warnings.warn(f"{text}, so no more were played: {reasons[first]}", WordplWarning, 2)
                elif np.ptp(sink.evaluation(task, end, first).interval) <= width:
                    del going[id]
        return Evaluations(sink.evaluation(task, played_to[task.id], first) for task in chosen)


def looks_up_to(trials: int) -> list[int]:
    """The numbers of trials after which a run that may stop early is checked. They are fixed; the last is `trials`."""
    looks = (round(_FIRST_LOOK * _LOOK_GROWTH**k) for k in itertools.count())
    return [*itertools.takewhile(trials.__gt__, looks), trials]


ALIKE = 10
"""A strategy that loses this many trials at the start, all by the same error, is not played further."""


def fail_alike(reasons: Mapping[int, str], first: int = 0) -> bool:
    """Return whether the first trials, `ALIKE` from number `first` on, were all lost for one reason."""
    texts = {reasons.get(trial, "") for trial in range(first, first + ALIKE)}
    return len(texts) == 1 and texts != {""}


class _Memory:
    """Keeps trials in memory, as a `Store` does in a file."""

    def __init__(self) -> None:
        self._tables: dict[str, list[NDArray[np.void]]] = defaultdict(list)

    def missing(self, task: Task, trials: int, first: int) -> list[tuple[int, int]]:
        return [(first, first + trials)]

    def add(self, batches: Iterable[tuple[Task, list[Trial]]]) -> None:
        for task, rows in batches:  # a table takes half of the memory at most
            self._tables[task.id].append(table_of(rows))

    def evaluation(self, task: Task, trials: int, first: int) -> Evaluation:
        results = np.concatenate(self._tables[task.id])
        results = results[np.argsort(results["trial"])]
        return Evaluation(task.row, results[results["trial"] < first + trials])


@contextmanager
def _sink(store: Store | StrPath | None, tasks: Iterable[Task]) -> Iterator[Store | _Memory]:
    """Give the block what keeps its trials. Warn of strategies whose results no other process takes up again."""
    if store is None:
        yield _Memory()
        return
    from wordpl.simulation.store import opened  # with sqlite, which a run without a file does not need

    with opened([store], read_only=False) as (sink,):
        advice = "write the class at the top level of a file, with fields that can be pickled"
        for label, problem in {task.strategy.label: task.strategy.identity_problem for task in tasks}.items():
            if problem:
                text = f"{label} has no lasting identity ({problem}), so each process plays it anew; {advice}"
                warnings.warn(text, WordplWarning, stacklevel=4)
        yield sink


@dataclass
class _Run:
    """Plays those trials of `tasks` that are missing in a sink, a store or the memory of this process, and adds them.

    `trials` is their number for each task from number `first` on; the others are those of `sweep`."""

    tasks: dict[str, Task]
    trials: int
    first: int
    sink: Store | _Memory
    jobs: int
    batch: int
    progress: Progress | None

    def __post_init__(self) -> None:
        self._missing = {id: self.sink.missing(task, self.trials, self.first) for id, task in self.tasks.items()}
        self._total = self.trials * len(self.tasks)
        self._done = self._total - sum(end - at for gaps in self._missing.values() for at, end in gaps)
        if self._done:
            _LOG.debug("%d of %d trials are already in the file", self._done, self._total)
        own = not all(type(task.strategy).__module__.startswith(LIBRARY) for task in self.tasks.values())
        # With a hash seed of its own, this process might play a user's strategy in another way than workers do.
        self._begins_here = self.jobs == -1 and current.get() is None and not (own and sys.flags.hash_randomization)
        """All cores may be used: in workers as soon as what is left is worth their start."""
        self._in_workers = not self._begins_here and self._workers() > 1
        self._played_classes = set[type[Strategy]]()
        self._finished, self._saved_at = list[tuple[Task, list[Trial]]](), perf_counter()
        if self.progress is not None:
            self.progress(next(iter(self.tasks.values())), 0, self._done, self._total)

    def _workers(self) -> int:
        return min(worker_count(self.jobs), self._total)

    def play(self, tasks: Iterable[Task], begin: int, end: int) -> None:
        """Play those trials of the tasks from number `begin` to `end` - 1 of this run that are missing, and keep those
        that were finished, however this ends. Raises what `sweep` does."""
        begin, end = begin + self.first, end + self.first
        gaps = ((task, range(max(at, begin), min(to, end))) for task in tasks for at, to in self._missing[task.id])
        left = deque(gap for gap in gaps if gap[1])
        try:
            while left and not self._in_workers:
                self._play_here(left)
            while left:
                self._play_in_workers(left)
        except KeyboardInterrupt:
            raise SweepInterruptedError("the sweep was stopped; the trials that were finished are kept") from None
        finally:
            self._save()

    def _save(self) -> None:
        """Keep finished trials. Raises `WordplError` if a file of their tasks was edited, which they may have read."""
        for id in {task.id for task, _ in self._finished}:
            _ = replace(self.tasks[id]).id
        self.sink.add(self._finished)  # once more, if that was interrupted
        self._finished, self._saved_at = [], perf_counter()

    def _tell(self, task: Task, trials: int) -> None:
        """Count finished trials, and save them now and then."""
        self._done += trials
        if perf_counter() - self._saved_at > _KEEP_SECONDS:
            self._save()
        if self.progress is not None:
            self.progress(task, trials, self._done, self._total)

    def _play_here(self, left: deque[Gap]) -> None:
        """Play the next batch in this process, and find out whether workers are worth their start."""
        (task, gap), rows, start = left.popleft(), list[Trial](), process_time()
        self._finished.append((task, rows))  # which keeps them, too, if this is interrupted
        play_batch(task, gap[: self.batch], rows, _KEEP_SECONDS)
        seconds = (process_time() - start) / len(rows) * (self._total - self._done)
        if len(rows) < len(gap):
            left.appendleft((task, gap[len(rows) :]))
        self._tell(task, len(rows))
        kind = type(task.strategy)
        if self._begins_here and kind in self._played_classes:  # its first batch loads what the others have then
            self._in_workers = seconds > _WORTH_SECONDS and self._workers() > 1
        self._played_classes.add(kind)

    def _play_in_workers(self, left: deque[Gap]) -> None:
        """Play what is left in workers; gaps for which the time of a call was too short are left again."""
        unplayed, workers = sum(len(gap) for _, gap in left), self._workers()

        def calls() -> Iterator[Call]:
            """So large that not many are needed, and towards the end so small that all workers stay busy."""
            while left:
                size, gaps = min(self.batch, max(1, unplayed // (2 * workers))), list[Gap]()
                while left and size:
                    task, gap = left.popleft()
                    gaps.append((task, gap[:size]))
                    if gap[size:]:
                        left.appendleft((task, gap[size:]))
                    size -= len(gaps[-1][1])
                yield play_as_worker, (max(_CALL_SECONDS, workers / _CALLS_PER_SECOND), gaps), {}

        with closing(run_calls(workers, calls())) as results:
            for id, gap, rows in itertools.chain.from_iterable(results):
                task = self.tasks[id]
                if len(rows) < len(gap):  # its time was up
                    left.append((task, gap[len(rows) :]))
                unplayed -= len(rows)
                if rows:
                    self._finished.append((task, rows))
                    self._tell(task, len(rows))
