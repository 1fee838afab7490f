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
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from time import CLOCK_BOOTTIME, clock_gettime, monotonic, perf_counter_ns
from typing import Any, NoReturn

from wordpl.contest.cage.payload import sealed_payload
from wordpl.contest.cage.sandbox import Core, Launcher, Sandbox
from wordpl.contest.cage.usage_watch import UsageWatch, tree
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.inside import protocol
from wordpl.contest.inside.protocol import ProtocolError, Reply
from wordpl.contest.limits import Limits
from wordpl.play.moves import Answer, Ask
from wordpl.play.referee import ForfeitError, Verdict
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player

_LOG = logging.getLogger(__name__)

KEPT_ERRORS = 2048
"""Bytes kept of what a contestant has written to stderr in a game: the last ones."""

AT_START = "at start: "
"""The reason for the loss of a game begins so if the contestant could not be started."""

_GRID = 60_000
"""Nanoseconds from a move to the clue that answers it; see `ContestantProcess._send_on_grid`."""
_CHUNK = 1 << 16
_MOVES: dict[str, Callable[..., object]] = {"pair": lambda *pair: pair, "ask": Ask, "answer": Answer}
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
    """One contestant process, started when first needed and again after each end.

    A context manager: it leaves no process behind.
    """

    def __init__(
        self,
        submission: Submission,
        setting: Setting,
        limits: Limits,
        launcher: Launcher,
        *,
        print_to_stderr: bool = False,
        tracebacks: bool = True,
        on_print: Callable[[bytes], None] | None = None,
    ) -> None:
        """`on_print` is given what the contestant writes to stderr, as it comes."""
        self._launcher, self._limits, self._on_print = launcher, limits, on_print
        self._payload = sealed_payload(submission, setting, limits, launcher, print_to_stderr, tracebacks)
        self.usage = UsageWatch(limits)
        self._process: subprocess.Popen[bytes] | None = None
        self.name, self.interface = "", ""
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
        self._core: Core | None = None

    def __enter__(self) -> ContestantProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the contestant. It cannot be started again."""
        self.stop()
        os.close(self._payload)

    # The life of the process.

    def ready(self) -> None:
        """Start the contestant unless it runs. Raises `ForfeitError` if it cannot be started."""
        if self._process is not None:
            return
        self._errors = b""
        begun = monotonic()
        _adopt_orphans()
        self._open()
        with self._ended_by_failure():
            if self._wait(0, self._limits.start_seconds, "start").kind != "up":
                raise ProtocolError("spoke before its turn")
            self._take_hold()
            self._turn = 1
            self._send(protocol.request(self._turn, "start"))
            reply = self._wait(self._turn, self._limits.start_seconds, "start")
            if reply.kind != "ready":
                self._fail(reply)
        self.name, self.interface = reply.values
        _LOG.debug("the contestant has started, %.2f s", monotonic() - begun)

    @contextmanager
    def _ended_by_failure(self) -> Iterator[None]:
        """End the contestant where the block fails, but for an illegal move: Ctrl-C, too, leaves things half done."""
        try:
            yield
        except BaseException as error:
            if not (isinstance(error, ForfeitError) and error.verdict is Verdict.INVALID):
                self.stop()
            if isinstance(error, ProtocolError):
                raise ForfeitError(Verdict.PROTOCOL, str(error)) from None
            raise

    def _open(self) -> None:
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        self._stderr, errors = os.pipe()
        theirs = (requests, replies, errors)
        # Without a sandbox the contestant is trusted with all cores.
        self._core = Core() if isinstance(self._launcher, Sandbox) else None
        try:
            with self._core.starting() if self._core else nullcontext():
                self._process = self._launcher.start(self._limits, self._payload, *theirs)
        except BaseException:
            if self._core:
                self._core.close()
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
        self.usage.start(self._process.pid)
        self._heard = perf_counter_ns()

    def _take_hold(self) -> None:
        """Take hold of what is inside. Nothing of the submission has run yet, so all is where it is looked for."""
        assert self._process is not None
        pids = list(tree(self._process.pid))
        scratch = None
        if isinstance(self._launcher, Sandbox) and len(pids) > 1:
            self._first = os.pidfd_open(pids[1])
            with suppress(OSError):
                self.namespaces[Path(f"/proc/{pids[1]}/ns/pid").stat().st_ino] = math.inf
            scratch = f"/proc/{pids[-1]}/root{self._launcher.scratch}"
        self.usage.hold(pids, scratch)

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
        self.usage.close()
        if self._core:
            self._core.close()
        if self._on_print is not None:
            self._drain()
        for end in (self._requests, self._replies, self._stderr, self._alive):
            os.close(end)

    # A game.

    def player(self, seed: int) -> Player:
        """A player for one game; `seed` is what the contestant may draw from."""
        return _SandboxedPlayer(self, seed)

    @property
    def errors(self) -> str:
        """The last of what was written to stderr since the game began, as printable ASCII and newlines."""
        text = self._errors.decode("ascii", "replace").replace("\t", " ")
        return "".join(letter if letter == "\n" or " " <= letter <= "~" else "?" for letter in text)

    def begin(self) -> None:
        """A new game: its clocks start at nothing."""
        self._left = self._limits.game_seconds
        self.usage.begin_game()
        if self._process is not None:
            self._drain()
            self._errors = b""

    def exchange(self, verb: str, *values: object) -> object:
        """Ask for a move and wait for it. Raises `ForfeitError`; but for an illegal move the contestant is ended."""
        if self._process is None:
            raise ForfeitError(Verdict.CRASH, "the contestant has ended")
        with self._ended_by_failure():
            self._check_silence()
            self._turn += 1
            self._send_on_grid(protocol.request(self._turn, verb, *values))
            self.usage.begin_turn()
            reply = self._wait(self._turn, min(self._left, self._limits.move_seconds), "move")
            if self.usage.due < 0.0:
                self.usage.look()
            else:
                self.usage.check_overrun()
            self._left -= self.usage.spent()
            # All that the contestant can draw out lies before: a long line, what it wrote to stderr, the look.
            self._heard = perf_counter_ns()
            if reply.kind == "invalid":
                raise ForfeitError(Verdict.INVALID, reply.values[0])
            if reply.kind not in _MOVES:
                self._fail(reply)
        return _MOVES[reply.kind](*reply.values)

    def _fail(self, reply: Reply) -> NoReturn:
        self._drain()
        if reply.kind in ("memory", "crash"):
            raise ForfeitError(Verdict(reply.kind.upper()), reply.values[0])
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

    def _wait(self, turn: int, seconds: float, phase: str) -> Reply:
        """The reply to `turn`. Raises `ForfeitError` or `ProtocolError`, after `seconds` of the turn at the latest.

        During a start, it also raises `NotWantedError`.
        """
        while True:
            if phase == "start" and not self.wanted():
                raise NotWantedError
            if self.usage.due < 0.0 or self.usage.spent() >= seconds:
                self.usage.look()
            left = seconds - self.usage.spent()
            if left <= 0.0:
                self._drain()
                raise self._timeout(phase)
            pause = min(left, self.usage.due)
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

    def _timeout(self, phase: str) -> ForfeitError:
        limits = self._limits
        if phase == "start":
            return ForfeitError(Verdict.TIMEOUT, f"took more than {limits.start_seconds:g} s to start")
        if limits.move_seconds < min(limits.game_seconds, self._left):
            return ForfeitError(Verdict.TIMEOUT, f"thought for more than {limits.move_seconds:g} s a move")
        return ForfeitError(Verdict.TIMEOUT, f"thought for more than {limits.game_seconds:g} s")

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
            self.usage.look()

    def _dead(self) -> NoReturn:
        """Raise the verdict on a contestant whose process has ended, or has closed its end."""
        assert self._process is not None
        self._drain()
        try:
            status: int | None = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            status = None
        self.usage.check_overrun()
        if status is None:
            raise ForfeitError(Verdict.CRASH, "closed its end of the line")
        number = -status if status < 0 else status - 128
        if number == signal.SIGXCPU:
            raise ForfeitError(Verdict.TIMEOUT, "used up all its CPU time")
        with suppress(ValueError):
            raise ForfeitError(Verdict.CRASH, f"died of {signal.Signals(number).name}")
        raise ForfeitError(Verdict.CRASH, f"exited with status {status}")


class _SandboxedPlayer:
    """A `Player` whose moves come from a contestant."""

    def __init__(self, contestant: ContestantProcess, seed: int) -> None:
        self._contestant, self._seed = contestant, seed

    def first_move(self) -> Any:
        self._contestant.begin()
        return self._contestant.exchange("first", self._seed)

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        return self._contestant.exchange("next", guess, epsilon, clues)


class RefusedPlayer:
    """The player of a contestant that cannot be started. It loses its game at the first move."""

    def __init__(self, error: ForfeitError) -> None:
        self._error = ForfeitError(error.verdict, AT_START + error.reason)

    def first_move(self) -> Any:
        raise self._error

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        raise self._error
