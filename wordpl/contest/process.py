"""The process of a contestant with everything that it starts, and the pipes to it. Every buffer has a bound."""

import ctypes
import math
import os
import re
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from time import perf_counter_ns

from wordpl.contest import protocol
from wordpl.contest.limits import Limits, tree
from wordpl.contest.protocol import ProtocolError
from wordpl.contest.sandbox import Launcher, Sandbox

KEPT_ERRORS = 2048
"""Bytes kept of what a contestant has written to stderr in a game: the last ones."""
_GRID = 60_000
"""Nanoseconds from a move to the clue that answers it; see `Pipe.send_on_grid`."""
_CHUNK = 1 << 16
_END_SECONDS = 30.0


class HungUpError(Exception):
    """The contestant has ended, or has closed its connection."""


class Printed:
    """What a contestant has written to stderr, over all its starts."""

    def __init__(self, on_print: Callable[[bytes], None] | None) -> None:
        self._on_print = on_print
        self.count = self.at_start = 0
        """Bytes, in all and in starts."""
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
            raise ProtocolError("does not read what it is asked")

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
            raise ProtocolError("sent a message that it was not asked for")

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
            raise ProtocolError("sent a message that it was not asked for")
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


class Process:
    """A started contestant, which reads its `payload` and then the requests of a `pipe`."""

    def __init__(self, launcher: Launcher, limits: Limits, payload: int, pipe: Pipe) -> None:
        self._launcher = launcher
        self._first: int | None = None
        """A descriptor of the first process of its PID namespace."""
        # bwrap may end before the process it has started, which would stay a zombie where no init takes care. So this
        # process gets to wait for what its children leave (PR_SET_CHILD_SUBREAPER).
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        with ExitStack() as resources:
            resources.callback(pipe.close)
            self._popen = launcher.start(limits, payload, *pipe.given, resources)
            pipe.follow(self.pid)
            self._resources = resources.pop_all()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def take_hold(self) -> tuple[list[int], str | None]:
        """Take hold of what is inside: its processes, and the path of its scratch folder from here, in a sandbox.

        Nothing of the submission has run yet, so nothing can have been moved or hidden.
        """
        pids = list(tree(self.pid))
        if not isinstance(self._launcher, Sandbox) or len(pids) == 1:
            return pids, None
        self._first = os.pidfd_open(pids[1])
        self._resources.callback(os.close, self._first)
        return pids, f"/proc/{pids[-1]}/root{self._launcher.scratch}"

    def status(self) -> int | None:
        """Its exit status, None if it has not ended within half a second."""
        with suppress(subprocess.TimeoutExpired):
            return self._popen.wait(0.5)
        return None

    def stop(self) -> None:
        """End it and everything it has started, and wait until that is so. The pipe stays open until `close`."""
        process = self._popen
        if self._first is not None:
            # The end of the first process of a PID namespace is the end of them all, at once.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            # Its parent, outside, then ends of itself; killed first, it would leave a zombie to the machine.
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
        if not isinstance(self._launcher, Sandbox):
            for pid in list(tree(process.pid)):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if self._first is not None:
            # Where bwrap ended first, the process it had started is this one's now, and to be waited for.
            with suppress(ChildProcessError):
                os.waitid(os.P_PIDFD, self._first, os.WEXITED)
            poll = select.poll()
            poll.register(self._first, select.POLLIN)
            poll.poll(1000 * _END_SECONDS)

    def close(self) -> None:
        self._resources.close()
