"""Ignores the end of its children, whose CPU time is then added to nobody's."""

import ctypes
import signal
import time


class Attack:
    def first_move(self):
        libc = ctypes.CDLL(None, use_errno=True)
        action = (ctypes.c_long * 64)(0, *[2] * 63)  # SIG_DFL with SA_NOCLDWAIT, wherever the flags are
        gained = [libc.sigaction(signal.SIGCHLD, action, None) == 0]
        for handler in (signal.SIG_IGN, lambda *_: None):
            try:
                signal.signal(signal.SIGCHLD, handler)
                gained.append(True)
            except OSError:
                continue
        if any(gained):
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
