"""Stores bytes in what devices that belong to the machine say of themselves."""

import os
import time


def stamps(place):
    found = os.stat(place)
    return found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


class Attack:
    def first_move(self):
        changes = [
            lambda: os.utime("/dev/null"),
            lambda: os.utime(0),
            lambda: os.utime("/dev/urandom", ns=(1, 2)),
            lambda: os.chmod("/dev/null", 0o666),
            lambda: os.chown("/dev/null", -1, os.getgid()),
            lambda: os.setxattr("/dev/null", "user.wordpl", b"x"),
        ]
        before = [stamps("/dev/null"), stamps("/dev/urandom"), stamps(0)]
        for change in changes:
            try:
                change()
            except OSError:
                continue
        if [stamps("/dev/null"), stamps("/dev/urandom"), stamps(0)] != before:
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
