"""How a run is asked to stop, and what becomes of its workers."""

import os
import signal

import pytest

from wordpl.base.stopping import stoppable


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
