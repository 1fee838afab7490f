"""Says a line of 100 MB."""

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
        os.write(reply_end(), b'["pair", 2, "')
        for _ in range(1600):
            os.write(reply_end(), b"a" * 65536)
        os.write(reply_end(), b'", 0]\n')

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
