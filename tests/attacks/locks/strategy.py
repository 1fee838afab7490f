"""Locks and leases files that every contestant sees, and asks to be told of what is done to them."""

import fcntl
import os
import time


class Attack:
    def first_move(self):
        shared = os.open(os.__file__, os.O_RDONLY)
        changes = [
            lambda: fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB),
            lambda: fcntl.lockf(shared, fcntl.LOCK_SH | fcntl.LOCK_NB),
            lambda: fcntl.fcntl(shared, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            lambda: fcntl.fcntl(os.open(os.path.dirname(os.__file__), os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS),
            lambda: fcntl.fcntl(shared, fcntl.F_GETLK, bytes(32)),
        ]
        for change in changes:
            try:
                change()
            except OSError:
                continue
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
