"""Attacks on the line to the referee."""

import fcntl
import os
import stat
import time
from contextlib import suppress


def reply_end():
    """The descriptor of the replies: the last pipe that can be written."""
    found = None
    for end in range(3, 64):
        with suppress(OSError):
            if stat.S_ISFIFO(os.fstat(end).st_mode) and fcntl.fcntl(end, fcntl.F_GETFL) & os.O_WRONLY:
                found = end
    return found


class AnswerBeforeAsked:
    def __init__(self):
        """PROTOCOL: proposes an answer before it is asked anything."""
        os.write(reply_end(), b'["answer", 2, "aback"]\n')

    def first_move(self):
        return "aback", 0


class LongLine:
    def first_move(self):
        """PROTOCOL: says a line of 100 MB."""
        os.write(reply_end(), b'["pair", 2, "')
        for _ in range(1600):
            os.write(reply_end(), b"a" * 65536)
        os.write(reply_end(), b'", 0]\n')


class SlowLine:
    def first_move(self):
        """TIMEOUT: says a line one byte at a time, slower than its time allows."""
        for byte in b'["pair", 2, "aback", 0                                                                ':
            os.write(reply_end(), bytes([byte]))
            time.sleep(0.1)
        time.sleep(1000)


class StderrFlood:
    def first_move(self):
        """TIMEOUT: prints without end to stderr."""
        while True:
            os.write(2, b"\x1b[2J owned " * 5000)


class StdoutFlood:
    def first_move(self):
        """LOSS: prints without end to stdout, and a move among it."""
        for _ in range(20):
            print('["pair", 2, "crate", 0]' * 10000)
            os.write(1, bytes(1 << 20))
        return "aback", 0
