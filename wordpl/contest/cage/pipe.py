"""The lines between the referee and a contestant, and what that writes to stderr. Every buffer has a bound."""

from __future__ import annotations

import math
import os
import re
import select
from collections.abc import Callable
from contextlib import ExitStack, suppress
from time import perf_counter_ns

from wordpl.contest.inside import protocol
from wordpl.contest.inside.protocol import ProtocolError

KEPT_ERRORS = 2048
"""Bytes kept of what a contestant has written to stderr in a game: the last ones."""
_GRID = 60_000
"""Nanoseconds from a move to the clue that answers it; see `Pipe.send_on_grid`."""
_CHUNK = 1 << 16


class HungUpError(Exception):
    """The contestant has ended, or has closed its end of the line."""


class Printed:
    """What a contestant has written to stderr, over all its starts."""

    def __init__(self, on_print: Callable[[bytes], None] | None) -> None:
        self._on_print = on_print
        self.count = 0
        """Bytes, in all."""
        self.kept = b""
        """The last ones since the game began."""

    def take(self, chunk: bytes) -> None:
        self.count += len(chunk)
        self.kept = (self.kept + chunk)[-KEPT_ERRORS:]
        if self._on_print is not None:
            self._on_print(chunk)

    @property
    def text(self) -> str:
        """What is kept as printable ASCII and newlines."""
        return re.sub(r"[^\n -~]", "?", self.kept.decode("ascii", "replace").replace("\t", " "))


class Pipe:
    """This side's ends of the three pipes of a contestant: requests, replies, stderr."""

    def __init__(self, printed: Printed) -> None:
        self._printed = printed
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        self._stderr, errors = os.pipe()
        self.given = requests, replies, errors
        """The contestant's ends, which are closed here as soon as it is there: `follow`."""
        self._alive = -1
        self._poll = select.poll()
        self._given_ends, self._own_ends = ExitStack(), ExitStack()
        for end in self.given:
            self._given_ends.callback(os.close, end)
        for end in (self._requests, self._replies, self._stderr):
            os.set_blocking(end, False)
            self._own_ends.callback(os.close, end)
        for end in (self._replies, self._stderr):
            self._poll.register(end, select.POLLIN)
        self._buffer = b""
        self._heard = perf_counter_ns()

    def follow(self, pid: int) -> None:
        """Wake up as well when the process with this number ends, which has its own ends by now."""
        self._given_ends.close()
        self._alive = os.pidfd_open(pid)
        self._own_ends.callback(os.close, self._alive)
        self._poll.register(self._alive, select.POLLIN)

    def close(self) -> None:
        self._given_ends.close()
        self._own_ends.close()

    def send(self, line: bytes) -> None:
        """Send a line. Raises `ProtocolError` if earlier ones were not read, and `HungUpError`."""
        try:
            size = os.write(self._requests, line)
        except BlockingIOError:
            size = 0
        except BrokenPipeError:
            raise HungUpError from None
        if size != len(line):
            raise ProtocolError("answers without reading what it is asked")

    def send_on_grid(self, line: bytes) -> None:
        """Send what has been worked out since the last reply, a whole number of `_GRID` after that reply was read.

        How long the referee takes over a clue may depend on the answer and the noise by some nanoseconds, and asks
        are many. So the clue leaves not when it is ready but at a time that depends on neither. The work takes
        a fraction of `_GRID`, and the contestant cannot stretch it to the next boundary. This spins because a sleep
        ends late by a varying time. Meanwhile the thread keeps the interpreter's lock, so no other thread delays it.
        """
        due = self._heard - (self._heard - perf_counter_ns()) // _GRID * _GRID
        while perf_counter_ns() < due:
            pass
        self.send(line)

    def heard(self) -> None:
        """The last reply was read, and all was done that the contestant can draw out."""
        self._heard = perf_counter_ns()

    def wait(self, seconds: float) -> bytes | None:
        """The line that comes within some seconds, None if it does not. Raises `ProtocolError` and `HungUpError`."""
        ready = {end for end, _ in self._poll.poll(max(0.0, math.ceil(1000 * seconds)))}
        if self._stderr in ready:
            self.drain(max_chunks=1)
        if self._replies in ready:
            return self._read()
        if self._alive in ready:
            raise HungUpError
        return None

    def check_silence(self) -> None:
        """Raise `ProtocolError` if anything has come that was not asked for."""
        if self._read() is not None or self._buffer:
            raise ProtocolError("spoke out of turn")

    def _read(self) -> bytes | None:
        """The line that has come, None if it is not complete."""
        try:
            chunk = os.read(self._replies, _CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            raise HungUpError
        line, newline, rest = (self._buffer + chunk).partition(b"\n")
        if len(line) >= protocol.MAX_LINE:
            raise ProtocolError(f"sent a line of more than {protocol.MAX_LINE} bytes")
        if not newline:
            self._buffer = line
            return None
        if rest:
            raise ProtocolError("spoke out of turn")
        self._buffer = b""
        return line

    def drain(self, max_chunks: int = 16) -> None:
        """Take what has come on stderr, a bounded number of chunks."""
        for _ in range(max_chunks):
            try:
                chunk = os.read(self._stderr, _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                with suppress(KeyError):
                    self._poll.unregister(self._stderr)
                return
            self._printed.take(chunk)
