"""The referee's handle of a contestant: starts it, exchanges lines with it, holds it to its limits, ends it.

Every wait has an end, every buffer a bound, and what goes wrong is a `ForfeitError` with its verdict.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import math
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import CLOCK_BOOTTIME, clock_gettime, monotonic, perf_counter_ns
from typing import Any, NoReturn

from wordpl.contest import protocol
from wordpl.contest.limits import Limits
from wordpl.contest.payload import Payload
from wordpl.contest.protocol import ProtocolError, Reply
from wordpl.contest.sandbox import Launcher, Sandbox
from wordpl.contest.usage import tree
from wordpl.contest.usage_watch import UsageWatch
from wordpl.play.moves import Answer, Ask
from wordpl.play.referee import ForfeitError, Verdict

_LOG = logging.getLogger(__name__)

KEPT_ERRORS = 2048
"""Bytes kept of what a contestant has written to stderr in a game: the last ones."""

_GRID = 60_000
"""Nanoseconds from a move to the clue that answers it; see `ContestantProcess._send_on_grid`."""
_CHUNK = 1 << 16
_END_SECONDS = 30.0


@functools.cache
def _adopt_orphans() -> None:
    """Make this process the one that gets to wait for what its children leave (PR_SET_CHILD_SUBREAPER).

    bwrap may end before the process it has started: that would stay a zombie where no init takes care.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


class NotWantedError(Exception):
    """A start was given up, because nothing is left to play."""


class ContestantProcess:
    """One contestant process, started when first needed and again after each end."""

    def __init__(
        self,
        launcher: Launcher,
        payload: Payload,
        limits: Limits,
        on_print: Callable[[bytes], None] | None = None,
    ) -> None:
        """`on_print` is given what the contestant writes to stderr, as it comes."""
        self._launcher, self._payload, self._limits = launcher, payload, limits
        self._on_print = on_print
        self._watch = UsageWatch(limits)
        self._process: subprocess.Popen[bytes] | None = None
        self.name, self.interface = "", ""
        self.built: Path | None = None
        """A folder whose files the next starts find beside the submission's; see `StartFiles`."""
        self.wanted: Callable[[], bool] = lambda: True
        """Asked during a start; once it says no, the start ends with `NotWantedError`."""
        self.starts = 0
        self.printed = 0
        """Bytes written to stderr, in all."""
        self.namespaces: dict[int, float] = {}
        """Of every start: the inode of its PID namespace, and when it ended, in seconds since the machine booted.

        They identify the processes that belong to it. The kernel may reuse an inode number later.
        """
        self._errors = b""
        self._first: int | None = None

    @property
    def peak(self) -> int:
        """The most memory seen in use, in bytes, in all."""
        return self._watch.peak

    @property
    def game_cpu(self) -> float:
        """CPU seconds in the last game, as of the last look."""
        return self._watch.game_cpu

    @property
    def given(self) -> str:
        """A digest of what a start is given."""
        return self._payload.digest

    # The life of the process.

    @property
    def running(self) -> bool:
        return self._process is not None

    def ready(self, laid_out: Callable[[int], None] | None = None) -> None:
        """Start the contestant unless it runs. Raises `ForfeitError` if it cannot be started.

        `laid_out` is given a descriptor of the folder with the submission's files, before anything in it has run; it
        has to close it.
        """
        if self._process is not None:
            return
        self._errors = b""
        begun = monotonic()
        deadline = begun + self._limits.start_seconds
        _adopt_orphans()
        self._open()
        with self._ended_by_failure():
            if self._wait(0, deadline, "start").kind != "up":
                raise ProtocolError("spoke before its turn")
            self._take_hold(laid_out)
            self._turn = 0
            reply = self._answer("start", "ready", deadline)
        self.name, self.interface = reply.values
        _LOG.debug("the contestant has started, %.2f s", monotonic() - begun)

    def state(self) -> str:
        """A digest of what the strategy is after its start, "" if that cannot be told; before the first game.

        Raises `ForfeitError`; then the contestant is ended.
        """
        with self._ended_by_failure():
            return str(self._answer("state", "state", monotonic() + self._limits.start_seconds).values[0])

    def _answer(self, request: str, kind: str, deadline: float) -> Reply:
        """The reply to a request before the first game, if it is of that kind."""
        self._turn += 1
        self._send(protocol.request(self._turn, request))
        reply = self._wait(self._turn, deadline, "start")
        if reply.kind != kind:
            self._fail(reply)
        return reply

    @contextmanager
    def _ended_by_failure(self) -> Iterator[None]:
        """End the contestant where the block fails."""
        try:
            yield
        except BaseException as error:
            self.stop()
            if isinstance(error, ProtocolError):
                raise ForfeitError(Verdict.PROTOCOL, str(error)) from None
            raise

    def _open(self) -> None:
        limits = self._limits
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        self._stderr, errors = os.pipe()
        theirs = (requests, replies, errors)
        try:
            self._process = self._launcher.start(limits, self._payload.descriptor, *theirs, self.built)
        except BaseException:
            for end in (self._requests, self._replies, self._stderr):
                os.close(end)
            raise
        finally:
            for end in theirs:
                os.close(end)
        self.starts += 1
        for end in (self._requests, self._replies, self._stderr):
            os.set_blocking(end, False)
        self._alive = os.pidfd_open(self._process.pid)
        self._first = None
        self._poll = select.poll()
        for end in (self._replies, self._stderr, self._alive):
            self._poll.register(end, select.POLLIN)
        self._buffer = b""
        self._watch.start(self._process.pid)
        self._heard = perf_counter_ns()

    def _take_hold(self, laid_out: Callable[[int], None] | None) -> None:
        """Take hold of what is inside. Nothing of the submission has run yet, so all is where it is looked for."""
        assert self._process is not None
        pids = list(tree(self._process.pid))
        scratch = None
        if isinstance(self._launcher, Sandbox) and len(pids) > 1:
            self._first = os.pidfd_open(pids[1])
            with suppress(OSError):
                self.namespaces[Path(f"/proc/{pids[1]}/ns/pid").stat().st_ino] = math.inf
            scratch = f"/proc/{pids[-1]}/root{self._launcher.scratch}"
        self._watch.hold(pids, scratch)
        if laid_out is not None:
            with suppress(OSError):
                laid_out(os.open(f"/proc/{pids[-1]}/cwd", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))

    def stop(self) -> None:
        """End the contestant and everything it has started, and wait until that is so."""
        process, self._process = self._process, None
        if process is None:
            return
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
            ended = select.poll()
            ended.register(self._first, select.POLLIN)
            ended.poll(1000 * _END_SECONDS)
            os.close(self._first)
        now = clock_gettime(CLOCK_BOOTTIME)
        self.namespaces = {inode: min(ended, now) for inode, ended in self.namespaces.items()}
        self._watch.close()
        if self._on_print is not None:
            self._drain()
        for end in (self._requests, self._replies, self._stderr, self._alive):
            os.close(end)

    # A game.

    def player(self, seed: int) -> SandboxedPlayer:
        """A player for one game; `seed` is what the contestant may draw from."""
        return SandboxedPlayer(self, seed)

    @property
    def errors(self) -> str:
        """The last of what was written to stderr since the game began, as printable ASCII and newlines."""
        text = self._errors.decode("ascii", "replace").replace("\t", " ")
        return "".join(letter if letter == "\n" or " " <= letter <= "~" else "?" for letter in text)

    def begin(self) -> None:
        """A new game: its clocks start at nothing."""
        self._left = self._limits.game_seconds
        self._watch.begin_game()
        if self._process is not None:
            self._drain()
            self._errors = b""

    def exchange(self, verb: str, *values: object) -> object:
        """Ask for a move and wait for it. Raises `ForfeitError`; but for an illegal move the contestant is ended."""
        if self._process is None:
            raise ForfeitError(Verdict.CRASH, "the contestant has ended")
        limits = self._limits
        try:
            self._check_silence()
            self._turn += 1
            self._send_on_grid(protocol.request(self._turn, verb, *values))
            begun = monotonic()
            reply = self._wait(self._turn, begun + min(self._left, limits.move_seconds), "move")
            now = monotonic()
            self._left -= now - begun
            if self._watch.due(now) < 0.0:
                self._watch.look(now)
            # All that the contestant can draw out lies before: a long line, what it wrote to stderr, the look.
            self._heard = perf_counter_ns()
            if reply.kind == "pair":
                return reply.values
            if reply.kind == "ask":
                return Ask(*reply.values)
            if reply.kind == "answer":
                return Answer(*reply.values)
            if reply.kind == "invalid":
                raise ForfeitError(Verdict.INVALID, reply.values[0])
            self._fail(reply)
        except ProtocolError as error:
            self.stop()
            raise ForfeitError(Verdict.PROTOCOL, str(error)) from None
        except ForfeitError as lost:
            if lost.verdict is not Verdict.INVALID:
                self.stop()
            raise
        except BaseException:  # Ctrl-C: what is half done cannot be gone on with
            self.stop()
            raise

    def _fail(self, reply: Reply) -> NoReturn:
        self._drain()
        if reply.kind == "memory":
            raise ForfeitError(Verdict.MEMORY, reply.values[0])
        if reply.kind == "crash":
            raise ForfeitError(Verdict.CRASH, reply.values[0])
        raise ProtocolError(f"sent {reply.kind} where a move was asked for")

    # Lines.

    def _send(self, line: bytes) -> None:
        try:
            sent = os.write(self._requests, line)
        except BlockingIOError:
            raise ProtocolError("answers without reading what it is asked") from None
        except BrokenPipeError:
            self._dead()
        if sent != len(line):
            raise ProtocolError("answers without reading what it is asked")

    def _send_on_grid(self, line: bytes) -> None:
        """Send what has been worked out since the last reply, a whole number of `_GRID` after that reply was read.

        How long the referee takes over a clue may depend on the answer and the noise by some nanoseconds, and asks
        are many. So the clue leaves not when it is ready but at a time that depends on neither. The work takes
        a fraction of `_GRID`, and the contestant cannot stretch it to the next boundary. This spins because a sleep
        ends late by a varying time. Meanwhile the thread keeps the interpreter's lock, so no other thread delays it.
        Without a sandbox the contestant is trusted, and the request leaves at once.
        """
        if self._launcher.ranked:
            due = self._heard - (self._heard - perf_counter_ns()) // _GRID * _GRID
            while perf_counter_ns() < due:
                pass
        self._send(line)

    def _check_silence(self) -> None:
        """Raise `ProtocolError` if there is a word from the contestant that nobody asked for."""
        try:
            early = os.read(self._replies, _CHUNK)
        except BlockingIOError:
            return
        if early or self._buffer:
            raise ProtocolError("spoke out of turn")
        self._dead()

    def _wait(self, turn: int, deadline: float, phase: str) -> Reply:
        """The reply to `turn`. Raises `ForfeitError` or `ProtocolError`, at the deadline at the latest.

        During a start, it also raises `NotWantedError`.
        """
        while True:
            if phase == "start" and not self.wanted():
                raise NotWantedError
            now = monotonic()
            if now >= deadline:
                self._drain()
                seconds = {"start": self._limits.start_seconds}.get(phase, self._limits.game_seconds)
                if phase == "move" and self._limits.move_seconds < seconds and self._left > self._limits.move_seconds:
                    raise ForfeitError(Verdict.TIMEOUT, f"thought for more than {self._limits.move_seconds:g} s a move")
                doing = "took" if phase == "start" else "thought for"
                raise ForfeitError(
                    Verdict.TIMEOUT, f"{doing} more than {seconds:g} s{' to start' * (phase == 'start')}"
                )
            if self._watch.due(now) < 0.0:
                self._watch.look(now)
            pause = min(deadline - now, self._watch.due(now))
            ready = {end for end, _ in self._poll.poll(max(0.0, math.ceil(1000 * pause)))}
            if self._stderr in ready:
                self._drain(max_chunks=1)
            if self._replies in ready:
                line = self._read_line()
                if line is not None:
                    reply = protocol.read_reply(line)
                    if reply.turn != turn:
                        raise ProtocolError("answered another turn than the one asked")
                    return reply
            elif self._alive in ready:
                self._dead()

    def _read_line(self) -> bytes | None:
        """The line that has come, None if it is not complete."""
        try:
            chunk = os.read(self._replies, _CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            self._dead()
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

    def _drain(self, max_chunks: int = 16) -> None:
        """Take what has come on stderr, a bounded number of chunks, and keep the end of it."""
        for _ in range(max_chunks):
            try:
                chunk = os.read(self._stderr, _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                with suppress(KeyError):
                    self._poll.unregister(self._stderr)
                return
            self.printed += len(chunk)
            self._errors = (self._errors + chunk)[-KEPT_ERRORS:]
            if self._on_print is not None:
                self._on_print(chunk)

    # Limits.

    def look(self) -> None:
        """Measure what a running contestant uses. Raises `ForfeitError` if it exceeds its limits."""
        if self._process is not None:
            self._drain()
            self._watch.look(monotonic())

    def _dead(self) -> NoReturn:
        """Raise the verdict on a contestant whose process has ended, or has closed its end."""
        assert self._process is not None
        self._drain()
        try:
            status: int | None = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            status = None
        self._watch.check_overrun()
        if status is None:
            raise ForfeitError(Verdict.CRASH, "closed its end of the line")
        number = -status if status < 0 else status - 128
        if number == signal.SIGXCPU:
            raise ForfeitError(Verdict.TIMEOUT, "used up all its CPU time")
        with suppress(ValueError):
            raise ForfeitError(Verdict.CRASH, f"died of {signal.Signals(number).name}")
        raise ForfeitError(Verdict.CRASH, f"exited with status {status}")


class SandboxedPlayer:
    """A `Player` whose moves come from a contestant."""

    def __init__(self, contestant: ContestantProcess, seed: int) -> None:
        self._contestant, self._seed = contestant, seed

    def first_move(self) -> Any:
        self._contestant.begin()
        return self._contestant.exchange("first", self._seed)

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        return self._contestant.exchange("next", guess, epsilon, clues)
