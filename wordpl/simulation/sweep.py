"""Running many trials of many tasks in parallel, into a store, so that it can be stopped and resumed."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter, process_time
from typing import Protocol

import joblib
import numpy as np

from wordpl.base.checks import open_fraction, positive, several, whole_number
from wordpl.base.errors import WordplError
from wordpl.base.fingerprint import LIBRARY
from wordpl.base.progress import Progress
from wordpl.base.workers.calls import Call
from wordpl.base.workers.pool import WorkerLostError, Workers, make_workers, results
from wordpl.base.workers.stopping import Stop, stoppable
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family, channel_name
from wordpl.model.words import WordList, as_words
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.referee import GAME_SECONDS
from wordpl.play.seeds import check_seed
from wordpl.play.setting import Setting
from wordpl.play.specs import as_strategy
from wordpl.play.strategy import Strategy, as_tuple
from wordpl.simulation.evaluation import Comparison, Evaluation
from wordpl.simulation.same_code import Code, OtherCodeError, check_code, code_here
from wordpl.simulation.tasks import ALIKE, RESULT, Batch, Task, fail_alike, run_batch

_LOG = logging.getLogger(__name__)

# Seconds that a batch in this process should take, and trials of a batch for each such second, at most.
_BATCH_SECONDS, _LARGEST_BATCH = 0.5, 10_000
# Batches go to the sink together, at most this often: each time may cost a write to disk, and batches that
# wait for it would hold up the news of how fast their task is, so that more small ones are cut.
_KEEP_SECONDS = 0.25
# With a wanted width, trials are run up to these numbers in turn and the width looked at only there, so
# that where it stops depends on neither batch size nor workers.
_FIRST_LOOK, _LOOK_GROWTH = 250, 1.5
_LAST_FIRST_TRIAL = 10**12
# CPU seconds that worker processes take to start, about.
_START_SECONDS = 2.0


class Sink(Protocol):
    """Where batches go, and what is there already."""

    def missing(self, task: Task, trials: int, first: int = 0) -> list[tuple[int, int]]:
        """Ranges [start, stop) of the `trials` trials from `first` on that are not there yet."""

    def add(self, task: Task, batch: Batch) -> None:
        """Keep a batch; trials that are there already stay as they are."""

    def evaluation(self, task: Task, trials: int, first: int = 0) -> Evaluation:
        """Those of the `trials` trials from `first` on that are there."""


class SweepInterruptedError(KeyboardInterrupt):
    """A sweep was stopped by Ctrl-C. Every trial that was finished is in the store."""

    def __init__(self) -> None:
        super().__init__("the sweep was stopped; every trial that was finished is kept")


class UnfinishedTrialError(WordplError):
    """A strategy neither moves nor computes, or does not return from native code: its trial has no verdict."""


class Memory:
    """A sink for those who want no file."""

    def __init__(self) -> None:
        self._batches: dict[str, list[Batch]] = {}

    def missing(self, task: Task, trials: int, first: int = 0) -> list[tuple[int, int]]:
        numbers = self.evaluation(task, trials, first).results["trial"].tolist()
        return missing_ranges(numbers, first, first + trials)

    def add(self, task: Task, batch: Batch) -> None:
        self._batches.setdefault(task.id, []).append(batch)

    def evaluation(self, task: Task, trials: int, first: int = 0) -> Evaluation:
        batches = self._batches.get(task.id, [])
        results = np.concatenate([batch.results for batch in batches] or [np.empty(0, dtype=RESULT)])
        results = results[np.unique(results["trial"], return_index=True)[1]]
        results = results[(first <= results["trial"]) & (results["trial"] < first + trials)]
        wanted = range(first, first + trials)
        reasons = {trial: reason for batch in batches for trial, reason in batch.reasons.items() if trial in wanted}
        return Evaluation(task, results, dict(sorted(reasons.items())))


def missing_ranges(there: Iterable[int], first: int, stop: int) -> list[tuple[int, int]]:
    """The ranges [start, stop) of the numbers from `first` to `stop` - 1 that are not `there`: some of them, rising."""
    missing = []
    for trial in there:
        if first < trial:
            missing.append((first, trial))
        first = trial + 1
    return [*missing, (first, stop)] if first < stop else missing


def evaluate(
    strategy: Strategy | str,
    trials: int = 1001,
    seed: int = 1,
    jobs: int = 1,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    channel: ChannelFamily | str = RandomizedResponse,
    format: GameFormat | str = CONTEST,
    first_trial: int = 0,
    until_width: float | None = None,
    game_seconds: float = GAME_SECONDS,
    store: Sink | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Play `trials` games of `strategy`, or of a spec such as "TwoGuess(18)", and evaluate them as the contest does.

    Every strategy gets the same answers and the same noise from the same `seed`. The result does not depend on `jobs`,
    the number of worker processes, -1 for one per core. `store` keeps the trials and supplies those that it has.
    `words`, `rule`, `channel`, `format` and `game_seconds` are as in `make_task`; `progress`, `first_trial` and
    `until_width` are those of `sweep`. Raises what these two raise.

    >>> import wordpl
    >>> result = wordpl.evaluate("TwoGuess(18)", trials=200, seed=1)
    >>> result.wins, result.p05, result.percentile_interval(0.05)
    (13, 18.0, (18.0, inf))
    """
    task = make_task(strategy, seed, words=words, rule=rule, channel=channel, format=format, game_seconds=game_seconds)
    played = sweep(
        [task], trials, jobs, first_trial=first_trial, until_width=until_width, store=store, progress=progress
    )
    return played[0]


def make_task(
    strategy: Strategy | str,
    seed: int = 1,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    channel: ChannelFamily | str = RandomizedResponse,
    format: GameFormat | str = CONTEST,
    game_seconds: float = GAME_SECONDS,
) -> Task:
    """Make the task of playing `strategy`, or what a spec stands for, under the root seed `seed`, 0 to 2**256 - 1.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`; `channel` is a channel family or the
    name of one in `CHANNELS`. Asks at epsilon = inf are allowed if the strategy is `noiseless`. `format` is a
    `GameFormat` or its text, such as "wordle:8". `game_seconds` is CPU seconds a game, above 0; inf is no limit.

    Raises `WordplError` for a strategy whose fields cannot be hashed or that cannot play in this setting, an unknown
    word list, rule, channel or format, and a seed or seconds out of range. In the format of Wordle the epsilon of a
    guess is that of the channel, so a strategy with another epsilon cannot play.
    """
    strategy = as_strategy(strategy)
    setting = Setting(as_words(words), rule, channel_family(channel), strategy.noiseless, GameFormat.parse(format))
    task = Task(strategy, setting, check_seed(seed), positive("game seconds", game_seconds))
    try:  # whether results can be filed under it
        hash(strategy)
        _ = strategy.identity, strategy.family
    except TypeError as error:
        raise WordplError(
            f"{type(strategy).__name__} cannot be told from other strategies ({error});"
            " write @dataclass(frozen=True, repr=False) above the class and give it hashable fields"
        ) from None
    epsilon = getattr(strategy, "epsilon", None)
    of_channel = getattr(setting.channel, "row_epsilon", None)
    fixed = of_channel is not None or setting.format.is_wordle
    if fixed and epsilon is not None and set(as_tuple(epsilon)) != {setting.row_epsilon}:
        game = f"channel {channel_name(setting.channel)}" if of_channel is not None else f"game {setting.format}"
        raise WordplError(
            f"{strategy.label} has epsilon {epsilon}, and each clue of {game} has epsilon {setting.row_epsilon:g};"
            f" write epsilon={setting.row_epsilon:g} in the strategy"
            + ("" if of_channel is not None else ", or name channel randomized_response:E for clues at epsilon E")
        )
    strategy.check(setting)
    return task


def as_task(task: Task | Strategy | str) -> Task:
    """Return the task, or that of a strategy or a spec with the defaults of `make_task`."""
    # A copy has an id of its own, for the code may have been loaded anew since the other was asked for.
    return replace(task) if isinstance(task, Task) else make_task(task)


def sweep(
    tasks: Sequence[Task | Strategy | str],
    trials: int = 1001,
    jobs: int = 1,
    *,
    first_trial: int = 0,
    until_width: float | None = None,
    batch: int | None = None,
    store: Sink | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Play every task up to `trials` trials, 1 or more, and evaluate each: results in the order of `tasks`.

    `jobs` is the number of worker processes, 1 or more, or -1 for one per core. A strategy or a spec, such as
    "TwoGuess(18)", stands for the task that `make_task` makes of it.

    Trials that `store` has are not played again. The trials are those from number `first_trial` on, 0 to 10**12: so
    several clients can each play a part of a run, and `Store.merge` puts the parts together. `until_width`, between 0
    and 1, stops a task early: as soon as the 95% interval of its win rate is no wider. It needs the trials from 0 on.
    `batch` is the number of trials in a batch, 1 or more; without it, batches are sized by time. `progress` is called
    after each batch. A task that loses its first ten trials by one and the same error is not played any further.

    In the main thread, Ctrl-C ends the sweep with `SweepInterruptedError`, a `KeyboardInterrupt`. No other thread hears
    it. With one job, native code that does not return cannot be cut short.

    Raises `WordplError` for arguments out of range, `UnfinishedTrialError` for a trial that would never end, and
    `WorkerLostError` if a worker process is killed. Whatever it raises, every trial that was finished is in the store,
    but for those of the batches that lost workers had.
    """
    trials = whole_number("trials", trials)
    batch = None if batch is None else whole_number("batch", batch)
    width = None if until_width is None else open_fraction("width", until_width)
    first, chosen = check_first_trial(first_trial, width), [as_task(task) for task in several("tasks", tasks)]
    sink = store if store is not None else Memory()

    def still_open(look: int, played: Sequence[Task]) -> list[Task]:
        return [task for task in played if width is not None and np.ptp(sink.evaluation(task, look).interval) > width]

    looks = [trials] if width is None else looks_up_to(trials)
    reached = play_to_looks(chosen, looks, still_open, jobs, first=first, sink=sink, batch=batch, progress=progress)
    return Comparison(sink.evaluation(task, reached[task.id], first) for task in chosen)


def useful_jobs(tasks: Sequence[Task], trials: int, jobs: int) -> int:
    """`jobs`, or 1 where workers would take longer to start than this process to play all: it plays a trial of each.

    It goes by CPU time, so that the load of the machine decides nothing.

    Only the library's strategies are tried here: others may do anything to the process that they are in.
    """
    start, seconds = process_time(), 0.0
    for task in tasks:
        if not type(task.strategy).__module__.startswith(LIBRARY):
            return jobs
        run_batch(task, 0, 1)  # makes ready what all trials need
        ready = process_time()
        run_batch(task, 0, 1)
        seconds += trials * (process_time() - ready)
        if max(seconds, process_time() - start) > _START_SECONDS:
            return jobs
    return 1


def check_first_trial(first_trial: object, until_width: float | None) -> int:
    """Return `first_trial` as an `int`. Raises `WordplError` if it is out of range or has no meaning."""
    first = whole_number("first_trial", first_trial, 0, _LAST_FIRST_TRIAL)
    if first and until_width is not None:
        raise WordplError(f"use either first_trial {first} or until_width, which looks at trials from 0 on")
    return first


def play_to_looks(
    tasks: Sequence[Task],
    looks: Sequence[int],
    still_open: Callable[[int, Sequence[Task]], Sequence[Task]],
    jobs: int = 1,
    *,
    first: int = 0,
    sink: Sink,
    batch: int | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Play tasks up to each of `looks` (numbers of trials from `first` on); return how many each has, by its id.

    After each look `still_open` gets it, with the tasks that have been played so far, and says which go on. A task of
    which the first trials `fail_alike` does not. Raises what `sweep` does.
    """
    distinct = {task.id: task for task in tasks}
    codes = {task.id: code_here(task.strategy, task.setting) for task in tasks}  # now, with the ids

    total = looks[-1] * len(distinct)
    ranges = (bounds for task in distinct.values() for bounds in sink.missing(task, looks[-1], first))
    if (missing := sum(end - begin for begin, end in ranges)) < total:
        _LOG.debug("%d of %d trials are there already", total - missing, total)

    def run() -> dict[str, int]:
        reached = dict.fromkeys(distinct, 0)
        open_tasks = list(distinct.values())
        workers = make_workers(jobs)
        with stoppable() as stop:
            runner = _Runner(workers, stop, sink, progress, batch, total, codes)
            alike = min(ALIKE, looks[0])
            runner.run(open_tasks, alike, first)
            reached.update((task.id, alike) for task in open_tasks)
            open_tasks = [
                task for task in open_tasks if not fail_alike(sink.evaluation(task, alike, first).reasons, first)
            ]
            for look in looks:
                runner.run(open_tasks, look, first)
                reached.update((task.id, look) for task in open_tasks)
                open_tasks = list({task.id: task for task in still_open(look, open_tasks)}.values())
        return reached

    try:
        return run()
    except OtherCodeError:  # of workers that are older than the code here; they have ended with it
        return run()


def looks_up_to(trials: int) -> list[int]:
    """The numbers of trials after which a run that may end early is looked at: fixed, the last one `trials`."""
    looks, look = [], float(_FIRST_LOOK)
    while look < trials:
        looks.append(round(look))
        look *= _LOOK_GROWTH
    return [*looks, trials]


@dataclass(eq=False)
class _Runner:
    """Cuts what is missing into batches sized by how fast their task has been, and collects them."""

    workers: Workers | None
    stop: Stop
    sink: Sink
    progress: Progress | None
    batch: int | None
    total: int
    codes: Mapping[str, Code]
    """Task id -> the code with which it is played (`same_code`)."""
    seconds_per_trial: dict[str, float] = field(default_factory=dict)
    running: dict[tuple[str, int], tuple[Task, int]] = field(default_factory=dict)
    """(task id, first trial) -> (task, end) of the batches that workers have, the oldest first."""
    ending: bool = False
    """Whether no more batches begin."""

    def run(self, tasks: Sequence[Task], trials: int, first: int) -> None:
        """Play what is missing of so many trials of each task, which are numbered from `first` on."""
        missing = [(task, *bounds) for task in tasks for bounds in self.sink.missing(task, trials, first)]
        by_id = {task.id: task for task in tasks}
        counts = dict.fromkeys(by_id, trials)
        for task, begin, end in missing:
            counts[task.id] -= end - begin
        if not missing:
            return
        if self.workers is not None:
            _LOG.debug("starting %d worker processes", self.workers.n_jobs)
        by_task: dict[str, list[Batch]] = {}
        last = perf_counter()
        given_up: tuple[Task, int] | None = None
        try:
            with self.stop.held():  # but while trials are played, or waited for
                try:
                    calls = (joblib.delayed(_run)(*batch) for batch in self._batches(missing))
                    with closing(results(self.workers, self.stop, calls, keep=True)) as found:
                        for task_id, begin, batch in found:
                            task = self._asked(task_id, begin, batch)
                            played = len(batch.results)
                            if played:
                                by_task.setdefault(task_id, []).append(batch)
                                self.seconds_per_trial[task_id] = batch.seconds / played
                            if batch.given_up is not None:
                                given_up = task, batch.given_up
                            self.ending |= batch.stopped or given_up is not None
                            counts[task_id] += played
                            if perf_counter() - last > _KEEP_SECONDS:
                                self._keep(by_id, by_task)
                                last = perf_counter()
                            if self.progress is not None:
                                self.progress(task, played, sum(counts.values()), self.total)
                finally:
                    self._keep(by_id, by_task)
        except KeyboardInterrupt:
            raise SweepInterruptedError from None
        except WorkerLostError as error:
            if self.stop.signum is not None:  # what ended this process may have ended the workers
                raise SweepInterruptedError from None
            if error.signum == signal.SIGPROF:  # see `watchdog`
                raise self._stuck(error.call) from None
            raise
        if given_up is not None:
            task, trial = given_up
            raise UnfinishedTrialError(f"{task} waits without end in trial {trial}, which has no verdict")
        if self.ending:
            raise SweepInterruptedError

    def _asked(self, task_id: str, begin: int, batch: Batch) -> Task:
        """The task of a batch, which lacks its last trials if it was cut short.

        Raises `WordplError` unless it is what was asked for: a worker may be somebody else's.
        """
        task, end = self.running.pop((task_id, begin), (None, begin))
        rows = batch.results
        asked = rows.dtype == RESULT and np.array_equal(rows["trial"], np.arange(begin, end)[: len(rows)])
        if task is None or not asked:
            raise WordplError("a worker has sent trials that it was not asked for; they are not kept")
        return task

    def _keep(self, tasks: Mapping[str, Task], by_task: dict[str, list[Batch]]) -> None:
        """Give the sink what is held, one batch for each task."""
        for task_id, batches in by_task.items():
            reasons = {trial: reason for batch in batches for trial, reason in batch.reasons.items()}
            results = np.concatenate([batch.results for batch in batches])
            self.sink.add(tasks[task_id], Batch(results, reasons))
        by_task.clear()

    def _batches(self, missing: Iterable[tuple[Task, int, int]]) -> Iterator[tuple[object, ...]]:
        """The arguments of `_run` for each batch."""
        here = (self.stop,) if self.workers is None else ()
        for task, at, end in missing:
            while at < end and not self.ending:
                size = min(self._size(task, end - at), end - at)
                self.running[task.id, at] = task, at + size
                yield task, at, at + size, self.codes[task.id], *here
                at += size

    def _size(self, task: Task, left: int) -> int:
        if self.batch is not None:
            return self.batch
        if task.id not in self.seconds_per_trial:
            return 1  # its trials may be slow
        seconds = self.workers.batch_seconds if self.workers else _BATCH_SECONDS
        by_time = int(seconds / max(self.seconds_per_trial[task.id], 1e-9))
        # Towards the end, small enough that all workers stay busy.
        share = -(-left // (2 * self.workers.n_jobs)) if self.workers else left
        return max(1, min(by_time, int(_LARGEST_BATCH * seconds), share))

    def _stuck(self, call: Call | None) -> UnfinishedTrialError:
        """What to say of a worker that was ended for native code without an end: its batch is the oldest, or known."""
        if call is None:
            (_, begin), (task, end) = next(iter(self.running.items()))
        else:
            task, begin, end, _ = call[1]
        trials = f"trial {begin}" if end == begin + 1 else f"one of trials {begin} to {end - 1}"
        return UnfinishedTrialError(f"{task!s} does not return from native code in {trials}, which has no verdict")


def _run(task: Task, begin: int, end: int, code: Code, stop: Stop | None = None) -> tuple[str, int, Batch]:
    check_code(code, task.strategy, task.setting)
    # By its id: a copy that has been to a worker need not equal the task it was made from.
    return task.id, begin, run_batch(task, begin, end, stop)
