"""The referee's handle of a contestant: starts it, exchanges lines with it, holds it to its limits, ends it.

Every wait has an end, every buffer a bound, and what goes wrong is a `ForfeitError` with its verdict.
"""

from __future__ import annotations

import ctypes
import logging
import math
import os
import re
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from time import monotonic, perf_counter_ns
from typing import Any, NoReturn

from wordpl.contest.cage import sandbox
from wordpl.contest.cage.payload import sealed_payload
from wordpl.contest.cage.sandbox import Launcher, Sandbox
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


class NotWantedError(Exception):
    """A start was given up, because nothing is left to play."""


class ContestantProcess(AbstractContextManager["ContestantProcess"]):
    """A contestant process, started when first needed and again after each end. As a context manager it leaves none."""

    def __init__(
        self,
        submission: Submission,
        setting: Setting,
        limits: Limits,
        launcher: Launcher,
        *,
        print_to_stderr: bool = False,
        on_print: Callable[[bytes], None] | None = None,
    ) -> None:
        """`on_print` is given what the contestant writes to stderr, as it comes, without the tracebacks of errors."""
        self._launcher, self._limits, self._on_print = launcher, limits, on_print
        self._payload = sealed_payload(submission, setting, limits, launcher, print_to_stderr, on_print is None)
        self._process: subprocess.Popen[bytes] | None = None
        self.usage: UsageWatch
        self.name, self.interface = "", ""
        self.wanted: Callable[[], bool] = lambda: True
        """Asked during a start; once it says no, the start ends with `NotWantedError`."""
        self.starts = 0
        self.printed = 0
        """Bytes written to stderr, in all."""
        self._errors = b""
        self._first: int | None = None

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
        start = monotonic()
        # bwrap may end before the process it has started, which would stay a zombie where no init takes care. So this
        # process gets to wait for what its children leave (PR_SET_CHILD_SUBREAPER).
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        self._open()
        with self._ended_by_failure():
            limit = self._limits.start_seconds, f"took more than {self._limits.start_seconds:g} s to start"
            self._turn = 0
            if self._wait(*limit, starting=True).kind != "up":
                raise ProtocolError("spoke before its turn")
            self._take_hold()
            self._turn = 1
            self._send(protocol.request(self._turn, "start"))
            reply = self._wait(*limit, starting=True)
            if reply.kind != "ready":
                self._fail(reply)
        self.name, self.interface = reply.values
        _LOG.debug("the contestant has started, %.2f s", monotonic() - start)

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
        with ExitStack() as own_ends, ExitStack() as child_ends:
            requests, self._requests = os.pipe()
            self._replies, replies = os.pipe()
            self._stderr, errors = os.pipe()
            for end in (requests, replies, errors):
                child_ends.callback(os.close, end)
            for end in (self._requests, self._replies, self._stderr):
                os.set_blocking(end, False)
                own_ends.callback(os.close, end)
            given = self._limits, self._payload, requests, replies, errors
            if isinstance(self._launcher, Sandbox):
                core, user = own_ends.enter_context(self._launcher.claimed())
                child_ends.enter_context(sandbox.running_on(core))
                self._process = self._launcher.start(*given, user)
            else:  # trusted with all cores
                self._process = self._launcher.start(*given)
            self._alive = os.pidfd_open(self._process.pid)
            own_ends.callback(os.close, self._alive)
            self._resources = own_ends.pop_all()
        self.usage = UsageWatch(self._limits, self._process.pid, self.usage.peak if self.starts else 0)
        self.starts += 1
        self._first = None
        self._poll = select.poll()
        for end in (self._replies, self._stderr, self._alive):
            self._poll.register(end, select.POLLIN)
        self._buffer = b""
        self._heard = perf_counter_ns()

    def _take_hold(self) -> None:
        """Take hold of what is inside. Nothing of the submission has run yet, so all is where it is looked for."""
        assert self._process is not None
        pids = list(tree(self._process.pid))
        scratch = None
        if isinstance(self._launcher, Sandbox) and len(pids) > 1:
            self._first = os.pidfd_open(pids[1])
            self._resources.callback(os.close, self._first)
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
            poll = select.poll()
            poll.register(self._first, select.POLLIN)
            poll.poll(1000 * _END_SECONDS)
        self.usage.close()
        if self._on_print is not None:
            self._drain()
        self._resources.close()

    # A game.

    def player(self, seed: int, refused: ForfeitError | None = None) -> Player:
        """A player for one game, who may draw from `seed`. `refused`, why there is none, loses it at the first move."""
        return _SandboxedPlayer(self, seed, refused)

    @property
    def errors(self) -> str:
        """The last of what was written to stderr since the game began, as printable ASCII and newlines."""
        return re.sub(r"[^\n -~]", "?", self._errors.decode("ascii", "replace").replace("\t", " "))

    def exchange(self, verb: str, *values: object) -> object:
        """Ask for a move and wait for it; `first` begins a game, and its clocks.

        Raises `ForfeitError`; but for an illegal move the contestant is ended.
        """
        if self._process is None:
            raise ForfeitError(Verdict.CRASH, "the contestant has ended")
        if verb == "first":
            self._left = self._limits.game_seconds
            self.usage.begin_game()
            self._drain()
            self._errors = b""
        with self._ended_by_failure():
            if self._read_line() is not None or self._buffer:
                raise ProtocolError("spoke out of turn")
            self._turn += 1
            self._send_on_grid(protocol.request(self._turn, verb, *values))
            self.usage.begin_turn()
            move, game = self._limits.move_seconds, self._limits.game_seconds
            limit = f"{move:g} s a move" if move < min(game, self._left) else f"{game:g} s"
            reply = self._wait(min(self._left, move), f"thought for more than {limit}")
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
            size = os.write(self._requests, line)
        except BlockingIOError:
            size = 0
        except BrokenPipeError:
            self._dead()
        if size != len(line):
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

    def _wait(self, seconds: float, limit: str, *, starting: bool = False) -> Reply:
        """The reply to this turn. Raises `ForfeitError` or `ProtocolError`, after `seconds` of it at the latest.

        `limit` is what to say then. During a start, it also raises `NotWantedError`.
        """
        while True:
            if starting and not self.wanted():
                raise NotWantedError
            if self.usage.due < 0.0 or self.usage.spent() >= seconds:
                self.usage.look()
            left = seconds - self.usage.spent()
            if left <= 0.0:
                self._drain()
                raise ForfeitError(Verdict.TIMEOUT, limit)
            ready = {end for end, _ in self._poll.poll(max(0.0, math.ceil(1000 * min(left, self.usage.due))))}
            if self._stderr in ready:
                self._drain(max_chunks=1)
            if self._replies in ready:
                line = self._read_line()
                if line is not None:
                    reply = protocol.read_reply(line)
                    if reply.turn != self._turn:
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

    def __init__(self, contestant: ContestantProcess, seed: int, refused: ForfeitError | None) -> None:
        self._contestant, self._seed, self._refused = contestant, seed, refused

    def first_move(self) -> Any:
        if self._refused:
            raise ForfeitError(self._refused.verdict, AT_START + self._refused.reason)
        return self._contestant.exchange("first", self._seed)

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        return self._contestant.exchange("next", guess, epsilon, clues)
