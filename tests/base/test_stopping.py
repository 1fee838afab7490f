"""How a run is asked to stop, and what becomes of its workers."""

import os
import signal
import time

import pytest
from joblib import delayed

from tests.support.refusals import refusal
from wordpl.base.stopping import stoppable
from wordpl.base.workers.pool import run_calls
from wordpl.base.workers.processes import WorkerLostError
from wordpl.scoring.threads import thread_count


def test_each_signal_raises_and_the_first_is_named():
    with stoppable(signals=(signal.SIGINT, signal.SIGTERM)) as stop:
        for signum in (signal.SIGTERM, signal.SIGINT):
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signum)
        assert stop.signum == signal.SIGTERM


def test_a_stop_that_is_held_comes_where_it_is_let_go():
    done = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_in_bookkeeping(done)
    assert done == ["bookkeeping"]


def interrupted_in_bookkeeping(done):
    with stoppable() as stop, stop.held():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("bookkeeping")


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
            assert stop.signum is None
    finally:
        signal.signal(signal.SIGINT, before)


def square(x):
    return x * x


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs):
    assert list(run_calls(jobs, (delayed(square)(x) for x in range(30)), ordered=True)) == [x * x for x in range(30)]
    assert sorted(run_calls(jobs, (delayed(square)(x) for x in range(30)))) == [x * x for x in range(30)]
    assert "jobs 0 is not allowed" in refusal(lambda: list(run_calls(0, [delayed(square)(1)], ordered=True)))


def test_a_result_does_not_wait_for_one_before_it(tmp_path):
    """The first call ends only after the result of the second was seen."""
    results = run_calls(2, [delayed(wait_for)(tmp_path / "seen"), delayed(square)(3)])
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
    assert list(run_calls(2, (delayed(hears_interrupts)() for _ in range(4)), ordered=True)) == [False] * 4
    assert hears_interrupts()


def test_a_worker_does_not_multiply_threads():
    """It uses one, however many cores there are."""
    assert list(run_calls(2, (delayed(thread_count)() for _ in range(4)))) == [1] * 4


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
        list(run_calls(2, [delayed(square)(1), delayed(end)(signum)], ordered=True))
    assert list(run_calls(2, [delayed(square)(3)], ordered=True)) == [9]
