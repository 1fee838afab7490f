"""Running many trials of many tasks in parallel, into a store, so that it can be stopped and resumed."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from types import FrameType
from typing import Protocol

import joblib
import numpy as np

from wordpl.checks import open_fraction, whole_number
from wordpl.errors import WordplError
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family
from wordpl.model.words import WordList, load_words
from wordpl.play.referee import GAME_SECONDS, check_game_seconds
from wordpl.play.seeds import check_seed
from wordpl.play.strategy import Setting, Strategy
from wordpl.progress import Progress
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.tasks import RESULT, Batch, Task, run_batch

_LOG = logging.getLogger(__name__)

# A batch is sized to take about this long, so that progress moves and little is lost to a kill.
_BATCH_SECONDS = 0.5
_FIRST_BATCH, _LARGEST_BATCH = 8, 5_000
# Batches go to the sink together, at most this often: each time may cost a write to disk, and batches that
# wait for it would hold up the news of how fast their task is, so that more small ones are cut.
_KEEP_SECONDS = 0.25
# With a wanted width, trials are run up to these numbers in turn and the width looked at only there, so
# that where it stops depends on neither batch size nor workers.
_FIRST_LOOK, _LOOK_GROWTH = 250, 1.5


class Sink(Protocol):
    """Where batches go, and what is there already."""

    def missing(self, task: Task, trials: int) -> list[tuple[int, int]]:
        """Ranges [start, stop) of trials below `trials` that are not there yet."""

    def add(self, task: Task, batch: Batch) -> None:
        """Keep a batch; trials that are there already stay as they are."""

    def evaluation(self, task: Task, trials: int) -> Evaluation:
        """The first `trials` trials."""


class SweepInterruptedError(Exception):
    """A sweep was stopped by Ctrl-C. Every trial that was finished is in the store."""


class Memory:
    """A sink for those who want no file."""

    def __init__(self) -> None:
        self._batches: dict[str, list[Batch]] = {}

    def missing(self, task: Task, trials: int) -> list[tuple[int, int]]:
        there = [batch.results["trial"] for batch in self._batches.get(task.id, [])]
        return missing_ranges(np.concatenate(there) if there else np.empty(0, dtype=np.int64), trials)

    def add(self, task: Task, batch: Batch) -> None:
        self._batches.setdefault(task.id, []).append(batch)

    def evaluation(self, task: Task, trials: int) -> Evaluation:
        batches = self._batches.get(task.id, [])
        results = np.concatenate([batch.results for batch in batches] or [np.empty(0, dtype=RESULT)])
        _, first = np.unique(results["trial"], return_index=True)
        results = results[first]
        results = results[results["trial"] < trials]
        reasons = {trial: reason for batch in batches for trial, reason in batch.reasons.items() if trial < trials}
        return Evaluation(task, results, dict(sorted(reasons.items())))


def missing_ranges(trials: np.ndarray[tuple[int], np.dtype[np.int64]], stop: int) -> list[tuple[int, int]]:
    """The ranges [start, stop) of the numbers from 0 to `stop` - 1 that are not among `trials` [n], in order."""
    there = np.unique(trials[trials < stop])
    edges = np.concatenate([[-1], there, [stop]])
    starts, stops = edges[:-1] + 1, edges[1:]
    return [(int(a), int(b)) for a, b in zip(starts, stops, strict=True) if a < b]


def evaluate(
    strategy: Strategy,
    trials: int = 1001,
    seed: int = 1,
    jobs: int = 1,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    channel: ChannelFamily | str = RandomizedResponse,
    until_width: float | None = None,
    game_seconds: float = GAME_SECONDS,
    store: Sink | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Play `trials` games of a strategy and evaluate them as the contest does.

    Every strategy gets the same answers and the same noise from the same seed, a whole number from 0 to 2**256 - 1.
    The result does not depend on `jobs`, which is joblib's `n_jobs`; `joblib.parallel_config` sets another backend.
    `until_width` stops early, as in `sweep`. `game_seconds` is the CPU time that a player may use in one game, without
    compilation; inf is no limit. `store` keeps the trials and supplies those that it has.

    Raises `WordplError` for arguments out of range, an unknown word list, rule or channel, and a strategy that cannot
    play in this setting; `SweepInterruptedError` after Ctrl-C.

    >>> import wordpl
    >>> result = wordpl.evaluate(wordpl.parse_strategy("TwoGuess(18)"), trials=200, seed=1)
    >>> result.wins, result.p05, result.percentile_interval(0.05)
    (13, 18.0, (18.0, inf))
    """
    task = make_task(strategy, seed, words=words, rule=rule, channel=channel, game_seconds=game_seconds)
    return sweep([task], trials, jobs, until_width=until_width, store=store, progress=progress)[0]


def make_task(
    strategy: Strategy,
    seed: int = 1,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    channel: ChannelFamily | str = RandomizedResponse,
    game_seconds: float = GAME_SECONDS,
) -> Task:
    """Make the task of playing `strategy` under the root seed `seed`, a whole number from 0 to 2**256 - 1.

    `words` is a word list or the name of one; `channel` is a channel family or the name of one in `CHANNELS`. Asks at
    epsilon = inf are allowed if the strategy is `noiseless`. `game_seconds` is CPU seconds a game, above 0; inf is no
    limit.

    Raises `WordplError` for an object that is not a `Strategy`, a strategy whose fields cannot be hashed or that
    cannot play in this setting, an unknown word list, rule or channel, and a seed or seconds out of range.
    """
    if not isinstance(strategy, Strategy):
        raise WordplError(
            f"{type(strategy).__name__} is no Strategy; subclass wordpl.Strategy or wrap it in wordpl.from_contest"
        )
    words = load_words(words) if isinstance(words, str) else words
    setting = Setting(words, rule, channel_family(channel), strategy.noiseless)
    task = Task(strategy, setting, check_seed(seed), check_game_seconds(game_seconds))
    _check_configuration(strategy)
    strategy.check(task.setting)
    return task


def _check_configuration(strategy: Strategy) -> None:
    """Raise `WordplError` unless a strategy is what results can be filed under."""
    try:
        hash(strategy)
        _ = strategy.identity
    except TypeError as error:
        raise WordplError(
            f"{type(strategy).__name__} cannot be told from other strategies ({error});"
            " write @dataclass(frozen=True, repr=False) above the class and give it hashable fields"
        ) from None


def sweep(
    tasks: Sequence[Task],
    trials: int = 1001,
    jobs: int = 1,
    *,
    until_width: float | None = None,
    batch: int | None = None,
    store: Sink | None = None,
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Play every task up to `trials` trials, 1 or more, and evaluate each: results in the order of `tasks`.

    Trials that `store` has are not played again. `until_width`, between 0 and 1, stops a task early: as soon as the
    95% interval of its win rate is no wider. `batch` is the number of trials in a batch, 1 or more; without it,
    batches are sized by time. `progress` is called after each batch.

    Raises `WordplError` for arguments out of range, and `SweepInterruptedError` after Ctrl-C, when every trial that was
    finished is in the store.
    """
    trials = whole_number("trials", trials)
    batch = None if batch is None else whole_number("batch", batch)
    until_width = None if until_width is None else open_fraction("width", until_width)
    sink = store if store is not None else Memory()
    distinct = {task.id: task for task in tasks}
    runner = _Runner(sink, progress, batch, trials * len(distinct))
    reached = dict.fromkeys(distinct, 0)
    open_tasks = list(distinct.values())
    with _deferred_interrupt(runner), joblib.Parallel(n_jobs=jobs, return_as="generator_unordered") as parallel:
        for look in _looks(trials, until_width):
            runner.run(parallel, open_tasks, look)
            reached.update((task.id, look) for task in open_tasks)
            if until_width is not None:
                open_tasks = [task for task in open_tasks if _width(sink.evaluation(task, look)) > until_width]
    return [sink.evaluation(task, reached[task.id]) for task in tasks]


def _looks(trials: int, until_width: float | None) -> Iterator[int]:
    look = float(_FIRST_LOOK)
    while until_width is not None and look < trials:
        yield round(look)
        look *= _LOOK_GROWTH
    yield trials


def _width(evaluation: Evaluation) -> float:
    low, high = evaluation.interval
    return high - low


class _Runner:
    """Cuts what is missing into batches sized by how fast their task has been, and collects them."""

    def __init__(self, sink: Sink, progress: Progress | None, batch: int | None, total: int) -> None:
        self._sink, self._progress, self._batch, self._total = sink, progress, batch, total
        self._seconds_per_trial: dict[str, float] = {}
        self.stopping = False

    def run(self, parallel: joblib.Parallel, tasks: Sequence[Task], trials: int) -> None:
        missing = [(task, *bounds) for task in tasks for bounds in self._sink.missing(task, trials)]
        by_id = {task.id: task for task in tasks}
        done = dict.fromkeys(by_id, trials)
        for task, start, stop in missing:
            done[task.id] -= stop - start
        there = sum(done.values())
        if there:
            _LOG.debug("%d of %d trials are there already", there, trials * len(by_id))
        if not missing:
            return
        if parallel.n_jobs != 1:
            _LOG.debug("starting %d worker processes", parallel.n_jobs)
        calls = (joblib.delayed(_run)(*batch) for batch in self._batches(missing, parallel.n_jobs))
        held: dict[str, list[Batch]] = {}
        kept_at = perf_counter()
        try:
            for task_id, batch in parallel(calls):
                held.setdefault(task_id, []).append(batch)
                played = len(batch.results)
                self._seconds_per_trial[task_id] = batch.seconds / played
                done[task_id] += played
                if perf_counter() - kept_at > _KEEP_SECONDS:
                    self._keep(by_id, held)
                    kept_at = perf_counter()
                if self._progress is not None:
                    self._progress(by_id[task_id], played, sum(done.values()), self._total)
        finally:
            self._keep(by_id, held)
        if self.stopping:
            raise SweepInterruptedError

    def _keep(self, tasks: Mapping[str, Task], held: dict[str, list[Batch]]) -> None:
        """Give the sink what is held, one batch for each task."""
        for task_id, batches in held.items():
            reasons = {trial: reason for batch in batches for trial, reason in batch.reasons.items()}
            results = np.concatenate([batch.results for batch in batches])
            self._sink.add(tasks[task_id], Batch(results, reasons, sum(batch.seconds for batch in batches)))
        held.clear()

    def _batches(self, missing: Iterable[tuple[Task, int, int]], jobs: int) -> Iterator[tuple[Task, int, int, int]]:
        parent = os.getpid()
        for task, at, stop in missing:
            while at < stop and not self.stopping:
                size = min(self._size(task, stop - at, jobs), stop - at)
                yield task, at, at + size, parent
                at += size

    def _size(self, task: Task, left: int, jobs: int) -> int:
        if self._batch is not None:
            return self._batch
        if task.id not in self._seconds_per_trial:
            return _FIRST_BATCH
        by_time = int(_BATCH_SECONDS / max(self._seconds_per_trial[task.id], 1e-9))
        # Towards the end, small enough that all workers stay busy.
        return max(1, min(by_time, _LARGEST_BATCH, -(-left // (2 * abs(jobs)))))


def _run(task: Task, start: int, stop: int, parent: int) -> tuple[str, Batch]:
    # By its id: a copy that has been to a worker need not equal the task it was made from.
    return task.id, run_batch(task, start, stop, parent)


@contextmanager
def _deferred_interrupt(runner: _Runner) -> Iterator[None]:
    """Make the first Ctrl-C let running batches finish; the second interrupts as usual."""

    def stop(signum: int, frame: FrameType | None) -> None:
        if runner.stopping:
            raise KeyboardInterrupt
        runner.stopping = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
