"""Calls in worker processes: their results, their errors, how they start, are lost and are asked to stop."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from joblib import cpu_count, delayed
from joblib.externals.loky import process_executor

from tests.support.helpers import THREE, TINY
from wordpl import Setting, WordplError, compare, evaluate, limits, wordle
from wordpl.base import WorkerLostError, run_calls, workers
from wordpl.base.stopping import ENDINGS, stoppable
from wordpl.scoring.threads import thread_count


def square(x):
    return x * x


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs):
    assert list(run_calls(jobs, (delayed(square)(x) for x in range(30)), ordered=True)) == [x * x for x in range(30)]
    assert sorted(run_calls(jobs, (delayed(square)(x) for x in range(30)))) == [x * x for x in range(30)]


def conditions():
    heard = signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return heard, not sys.flags.safe_path, os.environ.get("WORDPL_NUM_THREADS"), thread_count()


def test_a_worker_hears_no_interrupt_has_one_thread_and_no_modules_of_its_folder(monkeypatch):
    assert set(run_calls(2, (delayed(conditions)() for _ in range(4)))) == {(False, False, "1", 1)}
    assert conditions()[0]
    monkeypatch.delenv("WORDPL_NUM_THREADS", raising=False)
    for limit, threads in (("1", 1), ("0", 1), ("many", cpu_count()), ("999", cpu_count())):
        monkeypatch.setenv("NUMBA_NUM_THREADS", limit)
        assert thread_count.__wrapped__() == threads


def end(signum):
    os.kill(os.getpid(), signum)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("signum", "said"),
    [
        (signal.SIGKILL, r"a worker process ended \(SIGKILL\), probably because memory ran out"),
        (signal.SIGSEGV, r"a worker process ended \(SIGSEGV\), probably because native code crashed"),
    ],
)
def test_a_worker_that_is_killed_is_named_and_the_next_run_has_new_ones(signum, said):
    with pytest.raises(WorkerLostError, match=said):
        list(run_calls(2, [delayed(square)(1), delayed(end)(signum)], ordered=True))
    assert list(run_calls(2, [delayed(square)(3)], ordered=True)) == [9]


def fails(x):
    if x == 3:
        raise OddError(x, "odd")
    return x


class OddError(Exception):
    """An error that pickle cannot make again."""

    def __init__(self, one, two):
        super().__init__(f"{one} is {two}")


def test_an_error_is_raised_after_the_results_of_what_runs():
    given, seen = [], []

    def calls():
        for x in range(100):
            given.append(x)
            yield delayed(fails)(x)

    with pytest.raises(WordplError, match="OddError: 3 is odd"):
        seen.extend(run_calls(2, calls()))
    assert {0, 1, 2} <= set(seen) and len(given) < 20


def test_calls_that_raise_themselves_end_the_run():
    def calls():
        yield delayed(square)(3)
        raise ZeroDivisionError

    results = run_calls(2, calls())
    assert next(results) == 9
    with pytest.raises(ZeroDivisionError):
        next(results)


@dataclass(frozen=True)
class Held:
    """Holds anything."""

    value: object


def doubled(values):
    values *= 2
    return values


@pytest.mark.heavy
def test_arguments_and_results_arrive():
    array = np.arange(10)
    calls = [delayed(doubled)(array), delayed(doubled)([1]), delayed(Held)(value=Held("x")), delayed(len)(b"abc")]
    found = list(run_calls(2, calls * 2, ordered=True))
    assert [one.tolist() for one in (found[0], found[4])] == [(2 * array).tolist()] * 2
    assert found[1] == found[5] == [1, 1] and found[2] == Held(Held("x")) and found[3] == 3


def test_what_cannot_be_sent():
    with pytest.raises(WordplError, match=r"a call cannot be sent to a worker process: TypeError: cannot pickle"):
        list(run_calls(2, [delayed(divmod)(Held(threading.Lock()), 1)]))


def test_a_run_may_end_before_loky_has_taken_up_its_calls(monkeypatch):
    """With a thread of loky's that is late, as on a busy machine; pytest fails if it ends with an error."""
    kind, name = process_executor._ExecutorManagerThread, "wait_result_broken_or_wakeup"
    wait = getattr(kind, name)
    monkeypatch.setattr(kind, name, lambda thread: (wait(thread), time.sleep(0.1))[0])

    def calls():
        yield from [delayed(time.sleep)(1000)] * 3
        raise KeyboardInterrupt

    assert list(run_calls(2, [delayed(square)(3)])) == [9]
    with pytest.raises(KeyboardInterrupt):
        list(run_calls(2, calls()))


def test_each_signal_raises_and_the_handlers_are_as_they_were_afterwards():
    """One that was ignored stays so: a shell starts what runs in the background without Ctrl-C."""
    before = [signal.getsignal(signum) for signum in ENDINGS]
    hung_up = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stoppable() as came:
            os.kill(os.getpid(), signal.SIGHUP)
            for signum in (signal.SIGTERM, signal.SIGINT):
                with pytest.raises(KeyboardInterrupt):
                    os.kill(os.getpid(), signum)
            assert came == [signal.SIGTERM, signal.SIGINT]
    finally:
        signal.signal(signal.SIGHUP, hung_up)
    assert [signal.getsignal(signum) for signum in ENDINGS] == before


def win_rate(exact, folder):
    return limits.compute_win_rate("NGuess(2, 5)", Setting(TINY), exact=exact, standard_error=0.3, jobs=7)


LONG: dict[str, Callable[[Path], object]] = {
    "games": lambda _: evaluate("TwoGuess(9)", 20, jobs=7, words=TINY),
    "pairs": lambda _: compare("TwoGuess(9)", "TwoGuess(8)", trials=20, jobs=7, words=TINY),
    "all histories": partial(win_rate, True),
    "some histories": partial(win_rate, False),
    "a table": lambda _: limits.win_rates(["NGuess(2, 5)"], jobs=7, words=TINY),
    "a proof": lambda folder: wordle.prove(THREE, folder / "proof.txt", jobs=7),
}


@pytest.mark.parametrize("job", LONG)
def test_what_takes_long_has_as_many_workers_as_it_is_told(job, monkeypatch, tmp_path):
    """Its results do not tell: they are the same with one."""
    counts = set()
    monkeypatch.setattr(workers, "worker_count", lambda jobs: counts.add(jobs) or 1)
    LONG[job](tmp_path)
    assert counts == {7}
