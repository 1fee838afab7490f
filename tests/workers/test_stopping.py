"""How a run is asked to stop, and what becomes of its workers."""

import ctypes
import os
import signal
import sys
import threading
import time
from functools import partial

import joblib
import pytest
from joblib import delayed
from joblib.externals.loky.process_executor import _ExecutorManagerThread

from wordpl import WordplError
from wordpl.workers.pool import WorkerLostError, _manager_may_fail, run_in_order, run_unordered
from wordpl.workers.stopping import stoppable


def test_the_first_signal_asks_for_the_end_and_is_told_and_the_second_raises():
    told = []
    with stoppable(lambda: told.append(1), signals=(signal.SIGINT, signal.SIGTERM)) as stop:
        assert not stop.ending and not told
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.ending and told == [1] and stop.file.exists()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        for _ in range(5):
            os.kill(os.getpid(), signal.SIGINT)  # must not disturb the clearing up
        assert stop.signum == signal.SIGTERM, "the first is the one that is named"
    assert told == [1]
    assert not stop.file.exists()


def test_at_once_is_at_the_first_signal():
    with stoppable(at_once=True) as stop:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert not stop.file.exists()


@ctypes.CFUNCTYPE(None)
def called_by_native_code():
    """Is interrupted, as numba's compiler may be when it calls back; Python drops what is raised here."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0)


def interrupted_in_native_code(times):
    with stoppable(at_once=True):
        for _ in range(times):
            called_by_native_code()
        time.sleep(60)


@pytest.mark.parametrize("times", [1, 3])
def test_a_stop_that_native_code_drops_comes_again(times, capsys):
    before = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        interrupted_in_native_code(times)
    assert "Traceback" not in capsys.readouterr().err
    assert sys.unraisablehook is before


def test_another_error_that_nobody_hears_is_shown_as_ever(monkeypatch):
    shown = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)

    @ctypes.CFUNCTYPE(None)
    def fail():
        raise ValueError("not ours")

    with stoppable(at_once=True):
        fail()
    assert [error.exc_type for error in shown] == [ValueError]


def test_the_handlers_are_as_they_were_afterwards():
    before = [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)]
    with stoppable(signals=(signal.SIGINT, signal.SIGTERM)) as outer:
        assert signal.getsignal(signal.SIGTERM) is outer
        with stoppable() as inner:
            assert inner is outer
        assert signal.getsignal(signal.SIGINT) is outer
    assert [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_signal_that_is_ignored_stays_so():
    """A shell starts what runs in the background so."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable() as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert not stop.ending
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_hears_no_signal():
    handler = signal.getsignal(signal.SIGINT)
    found = []

    def run():
        with stoppable() as stop:
            found.append((stop.ending, signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [(False, handler)]


def square(x):
    return x * x


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs):
    assert list(run_in_order(jobs, (delayed(square)(x) for x in range(30)))) == [x * x for x in range(30)]
    assert sorted(run_unordered(jobs, (delayed(square)(x) for x in range(30)))) == [x * x for x in range(30)]


def test_a_result_does_not_wait_for_one_before_it(tmp_path):
    """The first call ends only after the result of the second was seen."""
    results = run_unordered(2, [delayed(wait_for)(tmp_path / "seen"), delayed(square)(3)])
    assert next(results) == 9
    (tmp_path / "seen").touch()
    assert list(results) == ["waited"]


def wait_for(path):
    end = time.monotonic() + 60
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return "waited"


def hears_interrupts():
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return not blocked and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_a_worker_hears_no_interrupt():
    assert list(run_in_order(2, (delayed(hears_interrupts)() for _ in range(4)))) == [False] * 4
    assert hears_interrupts()


def end(signum):
    os.kill(os.getpid(), signum)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("signum", "said"),
    [
        (signal.SIGKILL, r"a worker process ended \(SIGKILL\), probably because memory ran out"),
        (signal.SIGSEGV, r"a worker process ended \(SIGSEGV\): native code crashed, perhaps code that a strategy uses"),
    ],
)
def test_a_worker_that_is_killed_is_named_and_the_next_run_has_new_ones(signum, said):
    with pytest.raises(WorkerLostError, match=said):
        list(run_in_order(2, [delayed(square)(1), delayed(end)(signum)]))
    assert list(run_in_order(2, [delayed(square)(3)])) == [9]


def test_no_workers():
    with pytest.raises(WordplError, match="jobs 0 is not allowed"):
        list(run_in_order(0, [delayed(square)(1)]))


def test_a_backend_that_cannot():
    with (
        joblib.parallel_config(backend="multiprocessing"),
        pytest.raises(WordplError, match="the backend that joblib is set to does not return results as they come"),
    ):
        list(run_in_order(2, [delayed(square)(1)]))


def test_only_the_manager_of_a_pool_that_is_ended_may_fail(capsys):
    class Manager(_ExecutorManagerThread):
        def __init__(self) -> None:
            threading.Thread.__init__(self)

        def run(self) -> None:
            raise RuntimeError("of the manager")

    def run(thread: threading.Thread) -> str:
        thread.start()
        thread.join()
        return capsys.readouterr().err

    other = partial(threading.Thread, target=lambda: 1 / 0)
    hook, threading.excepthook = threading.excepthook, threading.__excepthook__
    try:
        with _manager_may_fail():
            assert run(Manager()) == ""
            assert "ZeroDivisionError" in run(other())
        assert "of the manager" in run(Manager())
    finally:
        threading.excepthook = hook
