"""Cancels every alarm, then thinks for ever."""

import signal
from contextlib import suppress


class Attack:
    def first_move(self):
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError):  # the one of children
                signal.signal(number, signal.SIG_IGN)
        while True:
            pass

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
