"""Attacks on the clocks: strategies that think, burn or sleep for too long."""

import ctypes
import os
import signal
import time
from contextlib import suppress


class BurnAtStart:
    def __init__(self):
        """TIMEOUT (at start: took more than 1 s to start): burns all the CPU it can get, in processes with sessions."""
        for _ in range(24):
            if os.fork() == 0:
                os.setsid()
                while True:
                    pass
        time.sleep(1000)

    def first_move(self):
        return "aback", 0


def think_a_little():
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass


class BurnInOrphans:
    def first_move(self):
        """TIMEOUT (CPU): lets short-lived grandchildren think, each for less time than there is between two looks."""
        while True:
            # On a busy machine grandchildren pile up until there may be no more of them.
            with suppress(BlockingIOError):
                if os.fork() == 0:
                    try:
                        if os.fork() == 0:
                            think_a_little()
                    finally:
                        os._exit(0)
                os.wait()


class BurnInUnwaitedChildren:
    def first_move(self):
        """LOSS: ignores the end of its children, whose CPU time is then added to nobody's."""
        libc = ctypes.CDLL(None, use_errno=True)
        action = (ctypes.c_long * 64)(0, *[2] * 63)  # SIG_DFL with SA_NOCLDWAIT, wherever the flags are
        gained = [libc.sigaction(signal.SIGCHLD, action, None) == 0]
        for handler in (signal.SIG_IGN, lambda *_: None):
            with suppress(OSError):
                signal.signal(signal.SIGCHLD, handler)
                gained.append(True)
        return "crate" if any(gained) else "aback", 0


class CancelAlarm:
    def first_move(self):
        """TIMEOUT: cancels every alarm, then thinks for ever, and catches whatever is raised to stop it."""
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError):  # the one of children
                signal.signal(number, signal.SIG_IGN)
        while True:
            with suppress(BaseException):
                while True:
                    pass


class Sleep:
    def first_move(self):
        """TIMEOUT (thought for more than 0.5 s a move): sleeps, which costs no CPU."""
        time.sleep(1000)


class SleepInPieces:
    def first_move(self):
        """TIMEOUT (thought for more than 1 s): stays below the limit of a move, but not below that of a game."""
        time.sleep(0.2)
        return "crate", 1.0

    def next_move(self, guess, epsilon, clues):
        time.sleep(0.2)
        return "crate", 1.0


class StopItself:
    def first_move(self):
        """TIMEOUT: stops itself with a signal that cannot be caught."""
        os.kill(os.getpid(), signal.SIGSTOP)
