"""Leaves a daemon behind, with every descriptor it has."""

import os
import signal
import time
from contextlib import suppress


class Attack:
    def first_move(self):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                    with suppress(OSError):  # the one of children
                        signal.signal(number, signal.SIG_IGN)
                time.sleep(1000)
            os._exit(0)
        os.wait()
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
