"""The referee's handle of a contestant: starts it, exchanges lines with it, holds it to its limits, ends it.

Every wait has an end, every buffer a bound, and what goes wrong is a `ForfeitError` with its verdict.
"""

import logging
import math
import os
import re
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from copy import copy
from time import monotonic, perf_counter_ns
from typing import Any, NoReturn

from wordpl.base.errors import WordplError
from wordpl.contest import inside
from wordpl.contest.inside import ProtocolError, Reply
from wordpl.contest.limits import Limits, UsageWatch
from wordpl.contest.sandbox import Launcher, Process, sealed_payload
from wordpl.contest.submission import Submission
from wordpl.play.moves import Answer, Ask
from wordpl.play.referee import ForfeitError, Verdict
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player

_LOG = logging.getLogger(__name__)

AT_START = "at start: "
"""The reason for the loss of a game begins so if the contestant could not be started."""

_MOVES: dict[str, Callable[..., object]] = {"pair": lambda *pair: pair, "ask": Ask, "answer": Answer}
KEPT_ERRORS = 2048
"""Bytes kept of what a contestant has written to stderr in a game: the last ones."""
_GRID = 60_000
"""Nanoseconds from a move to the clue that answers it; see `Pipe.send_on_grid`."""
_CHUNK = 1 << 16


class HungUpError(Exception):
    """The contestant has ended, or has closed its connection."""


class Printed:
    """Bytes that a contestant has written to stderr, over all its starts."""

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
        """The last bytes, as printable ASCII and newlines."""
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
        if len(line) >= inside.MAX_LINE:
            raise ProtocolError(f"sent a line of more than {inside.MAX_LINE} bytes")
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
        self._launcher, self._limits = launcher, limits
        self._payload = sealed_payload(submission, setting, limits, launcher, print_to_stderr, on_print is None)
        self.printed = Printed(on_print)
        self._process: Process | None = None
        self._pipe: Pipe
        self.usage: UsageWatch
        self._turn = 0
        self._left: float
        """Seconds of wall clock that are left of the game."""
        self.name, self.interface = "", ""
        self.wanted: Callable[[], bool] = lambda: True
        """Asked during a start; once it says no, the start ends with `NotWantedError`."""
        self.start_seconds = 0.0
        """Seconds of all starts together."""
        self.failed_starts = 0
        """Number of starts that have failed since the last that did not."""

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
        self.printed.kept = b""
        start = monotonic()
        with ExitStack() as on_failure:
            self._pipe = Pipe(self.printed)
            on_failure.callback(self._pipe.close)
            self._process = Process(self._launcher, self._limits, self._payload, self._pipe.given)
            self._pipe.follow(self._process.pid)
            on_failure.pop_all()
        self.usage = UsageWatch(self._limits, self._process.pid)
        self.failed_starts += 1
        try:
            with self._ended_by_failure():
                self._start()
        finally:
            self.start_seconds += monotonic() - start
        self.failed_starts = 0
        self._pipe.drain()
        _LOG.debug("the contestant has started, %.2f s", monotonic() - start)

    def _start(self) -> None:
        assert self._process is not None
        limit = self._limits.start_seconds, f"took more than {self._limits.start_seconds:g} s to start"
        self._turn = 0
        up = False
        with suppress(HungUpError, ForfeitError):
            up = self._wait(*limit, starting=True).kind == "up"
        if not up:
            # Nothing of the submission has run by then, so this is not the contestant's doing.
            self._pipe.drain()
            last = self.printed.text.strip().splitlines()[-1:] or ["it ended at once"]
            raise WordplError(f"this machine could not start the sandbox: {last[0]}")
        self.usage.hold(*self._process.take_hold())
        self._turn = 1
        self._pipe.send(inside.request(self._turn, "start"))
        reply = self._wait(*limit, starting=True)
        if reply.kind != "ready":
            self._fail(reply)
        self.name, ours = reply.values
        self.interface = "wordpl" if ours else "contest"

    @contextmanager
    def _ended_by_failure(self) -> Iterator[None]:
        """End the contestant where the block fails, but for an illegal move: Ctrl-C, too, leaves things half done."""
        try:
            try:
                yield
            except HungUpError:
                self._raise_verdict_on_the_dead()
            except ProtocolError as error:
                raise ForfeitError(Verdict.PROTOCOL, str(error)) from None
        except BaseException as error:
            if not (isinstance(error, ForfeitError) and error.verdict is Verdict.INVALID):
                self.stop()
            raise

    def _raise_verdict_on_the_dead(self) -> NoReturn:
        assert self._process is not None
        self._pipe.drain()
        status = self._process.status()
        self.usage.check_memory()
        if status is None:
            raise ForfeitError(Verdict.CRASH, "closed its connection to the referee") from None
        number = -status if status < 0 else status - 128
        if number == signal.SIGXCPU:
            raise ForfeitError(Verdict.TIMEOUT, "used up all its CPU time") from None
        with suppress(ValueError):
            raise ForfeitError(Verdict.CRASH, f"died of {signal.Signals(number).name}") from None
        raise ForfeitError(Verdict.CRASH, f"exited with status {status}") from None

    def stop(self) -> None:
        """End the contestant and everything it has started, and wait until that is so."""
        process, self._process = self._process, None
        if process is None:
            return
        process.stop()
        self.usage.close()
        self._pipe.drain()
        process.close()
        self._pipe.close()

    def start_anew(self, hash_seed: int) -> None:
        """End the contestant. In its next process sets have the order of this hash seed."""
        self.stop()
        self._launcher = copy(self._launcher)
        self._launcher.hash_seed = hash_seed

    # A game.

    def player(self, seed: int, refused: ForfeitError | None = None) -> Player:
        """A player for one game, who may draw from `seed`. Starts the contestant unless it runs.

        If it cannot be started, or `refused` says that it could not, the game is lost at the first move.
        """
        try:
            if refused is None:
                self.ready()
        except ForfeitError as error:
            refused = error
        return _SandboxedPlayer(self, seed, refused)

    def exchange(self, verb: str, *values: object) -> object:
        """Ask for a move and wait for it; `first` begins a game, and its clocks.

        Raises `ForfeitError`; but for an illegal move the contestant is ended.
        """
        if self._process is None:
            raise ForfeitError(Verdict.CRASH, "the contestant has ended")
        if verb == "first":
            self._left = self._limits.game_seconds
            self.usage.begin_game()
            self._pipe.drain()
            self.printed.kept = b""
        with self._ended_by_failure():
            self._pipe.check_silence()
            self._turn += 1
            # Without a sandbox the contestant is trusted, and the request leaves at once.
            send = self._pipe.send_on_grid if self._launcher.ranked else self._pipe.send
            send(inside.request(self._turn, verb, *values))
            self.usage.begin_turn()
            move, game = self._limits.move_seconds, self._limits.game_seconds
            limit = f"{move:g} s a move" if move < min(game, self._left) else f"{game:g} s"
            reply = self._wait(min(self._left, move), f"thought for more than {limit}")
            if self.usage.due < 0.0:
                self.usage.look()
            else:
                self.usage.check_memory()
            self._left -= self.usage.spent()
            # All that the contestant can draw out lies before: a long line, what it wrote to stderr, the look.
            self._pipe.heard()
            if reply.kind == "invalid":
                raise ForfeitError(Verdict.INVALID, reply.values[0])
            if reply.kind not in _MOVES:
                self._fail(reply)
        return _MOVES[reply.kind](*reply.values)

    def _fail(self, reply: Reply) -> NoReturn:
        self._pipe.drain()
        if reply.kind in ("memory", "crash"):
            raise ForfeitError(Verdict(reply.kind.upper()), reply.values[0])
        raise ProtocolError(f"sent {reply.kind} where a move was asked for")

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
                self._pipe.drain()
                raise ForfeitError(Verdict.TIMEOUT, limit)
            line = self._pipe.wait(min(left, self.usage.due))
            if line is not None:
                reply = inside.read_reply(line)
                if reply.turn != self._turn:
                    raise ProtocolError("answered another question than the last one")
                return reply

    def game_cpu(self) -> float:
        """CPU seconds in the last game, as of now. What it prints is taken, too."""
        if self._process is not None:
            self._pipe.drain()
            with suppress(ForfeitError):  # whether it uses too much of anything is not judged here
                self.usage.look()
        return self.usage.game_cpu


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
