"""Attacks on the clocks: strategies that think, burn or sleep for too long."""

import ctypes
import os
import signal
import time
from contextlib import suppress


class BurnAtStart:
    """Burns all the CPU it can get while it starts, in processes that each have a session and a scheduler's group."""

    def __init__(self):
        for _ in range(24):
            if os.fork() == 0:
                os.setsid()
                while True:
                    pass
        time.sleep(1000)

    def first_move(self):
        return "aback", 0


class BurnInChildren:
    """Lets children think in its place, while it waits for them and uses no CPU itself."""

    def first_move(self):
        for _ in range(4):
            if os.fork() == 0:
                while True:
                    pass
        os.wait()


def think_a_little():
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass


class BurnInOrphans:
    """Lets short-lived grandchildren think, each for less time than there is between two looks."""

    def first_move(self):
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
        return "aback", 0


class BurnInUnwaitedChildren:
    """Ignores the end of its children, whose CPU time is then added to nobody's."""

    def first_move(self):
        libc = ctypes.CDLL(None, use_errno=True)
        action = (ctypes.c_long * 64)(0, *[2] * 63)  # SIG_DFL with SA_NOCLDWAIT, wherever the flags are
        gained = [libc.sigaction(signal.SIGCHLD, action, None) == 0]
        for handler in (signal.SIG_IGN, lambda *_: None):
            with suppress(OSError):
                signal.signal(signal.SIGCHLD, handler)
                gained.append(True)
        if any(gained):
            time.sleep(1000)
        return "aback", 0


class CancelAlarm:
    """Cancels every alarm, then thinks for ever, and catches whatever is raised to stop it."""

    def first_move(self):
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError):  # the one of children
                signal.signal(number, signal.SIG_IGN)
        while True:
            with suppress(BaseException):
                while True:
                    pass


class LoopInName:
    """Never says its name."""

    def __str__(self):
        while True:
            pass

    def first_move(self):
        return "aback", 0


class LoopInNextMove:
    """Never makes its second move."""

    def first_move(self):
        return "crate", 1.0

    def next_move(self, guess, epsilon, clues):
        while True:
            pass


class Sleep:
    """Sleeps, which costs no CPU."""

    def first_move(self):
        time.sleep(1000)


class SleepInPieces:
    """Stays below the limit of a move, but not below that of a game."""

    def first_move(self):
        time.sleep(0.2)
        return "crate", 1.0

    def next_move(self, guess, epsilon, clues):
        time.sleep(0.2)
        return "crate", 1.0


class StopItself:
    """Stops itself with a signal that cannot be caught."""

    def first_move(self):
        os.kill(os.getpid(), signal.SIGSTOP)
