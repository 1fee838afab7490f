"""How a command is asked to stop."""

import os
import signal

import pytest

from wordpl.base.stopping import ENDINGS, stoppable


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
