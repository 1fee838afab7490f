"""Types into the terminal of the referee."""

import fcntl
import os
import termios
import time


class Attack:
    def first_move(self):
        for path in ("/dev/tty", "/dev/console", "/dev/pts/0", 0, 1, 2):
            try:
                end = os.open(path, os.O_RDWR) if isinstance(path, str) else path
                fcntl.ioctl(end, termios.TIOCSTI, b"x")
                time.sleep(1000)
            except OSError:
                continue
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
