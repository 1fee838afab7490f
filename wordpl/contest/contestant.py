"""The referee's handle of a contestant: starts it, exchanges lines with it, holds it to its limits, ends it.

Every wait has an end, every buffer a bound, and what goes wrong is a `ForfeitError` with its verdict.
"""

import logging
import marshal
import math
import os
import platform
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import resources
from time import monotonic
from typing import Any, NoReturn

from wordpl.contest import protocol
from wordpl.contest.limits import Limits, UsageWatch
from wordpl.contest.process import HungUpError, Pipe, Printed, Process
from wordpl.contest.protocol import ProtocolError, Reply
from wordpl.contest.sandbox import Launcher, Sandbox
from wordpl.contest.submission import Submission, check_lists
from wordpl.model.channel import channel_name, is_named
from wordpl.model.words import WordList
from wordpl.play.moves import Answer, Ask
from wordpl.play.referee import ForfeitError, Verdict
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player

_LOG = logging.getLogger(__name__)

AT_START = "at start: "
"""The reason for the loss of a game begins so if the contestant could not be started."""

_MOVES: dict[str, Callable[..., object]] = {"pair": lambda *pair: pair, "ask": Ask, "answer": Answer}
_IMPORTS_OURS = re.compile(
    rb"^[ \t]*(?:from|import)\b[^#\n]*\b(?:wordpl\b|strategies\b(?!\.utils\b))|import_module|__import__", re.MULTILINE
)
"""Where a file may import more of ours than the contest's `strategies.utils`. A miss costs a slower start, no more."""


def sealed_payload(
    submission: Submission,
    setting: Setting,
    limits: Limits,
    launcher: Launcher,
    print_to_stderr: bool = False,
    tracebacks: bool = True,
) -> int:
    """Submission, word lists and limits, in a sealed file in memory that can only be read: its descriptor."""
    check_lists(submission.companions, submission.checkout, setting.words)
    if any(_IMPORTS_OURS.search(content) for content in submission.files.values()):
        from wordpl.simulation.warmup import prepare

        prepare(setting)  # a contestant finds the kernels compiled
    # Whether RLIMIT_NPROC counts the sandbox's tasks alone, and not all of the user's.
    release = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    tasks_apart = isinstance(launcher, Sandbox) and (launcher.own_user or release >= (5, 14))
    content = {
        "files": submission.files,
        "main": submission.main,
        "maker": submission.maker,
        "lists": {**word_files(setting.words), **submission.companions},
        "words": (setting.words.name, setting.words.answers, setting.words.guesses),
        "rule": setting.rule,
        "channel": channel_name(setting.channel) if is_named(setting.channel) else "",
        "format": str(setting.format),
        "print_to_stderr": print_to_stderr,
        "tracebacks": tracebacks,
        "limits": {
            **vars(limits),
            # The clocks of games are the referee's; this ends what has got out of its sight.
            "cpu": math.ceil(min(limits.start_seconds + 10_000 * limits.cpu_seconds, 1 << 40)),
            "tasks": limits.tasks if tasks_apart else 0,
        },
    }
    import fcntl  # not on Windows

    descriptor = os.memfd_create("wordpl-payload", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    view = memoryview(marshal.dumps(content))
    while view:
        view = view[os.write(descriptor, view) :]
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def word_files(words: WordList) -> dict[str, bytes]:
    """Name -> content of the word files of the contest's repository, as its strategies read them.

    Easy are the answers that the optimal tree finds in three guesses; all of them where no tree is bundled.
    """
    easy: set[str] = set()
    tree = resources.files("wordpl.model") / "data" / f"{words.name}_salet.tree"
    if tree.is_file():
        # Each line is the path of an answer: guess and clue by turns.
        paths = [line.split() for line in tree.read_text("utf-8").splitlines()]
        easy = {path[-2] for path in paths if len(path) in (4, 6)}.intersection(words.answers)
    lists = {"answers.txt": words.answers, "valid.txt": words.guesses, "easy_words.txt": sorted(easy) or words.answers}
    return {name: "".join(f"{word}\n" for word in group).encode() for name, group in lists.items()}


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
        self._drains_at_end = on_print is not None
        self._process: Process | None = None
        self._pipe: Pipe
        self.usage: UsageWatch
        self._turn = 0
        self._left = limits.game_seconds
        """Seconds of wall clock that are left of the game."""
        self.name, self.interface = "", ""
        self.wanted: Callable[[], bool] = lambda: True
        """Asked during a start; once it says no, the start ends with `NotWantedError`."""
        self.starts, self.start_seconds = 0, 0.0
        """Of all starts."""
        self.failed_starts = 0
        """How many starts have failed since the last that did not."""

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
        start, printed = monotonic(), self.printed.count
        self._pipe = Pipe(self.printed)
        self._process = Process(self._launcher, self._limits, self._payload, self._pipe)
        self.usage = UsageWatch(self._limits, self._process.pid)
        self.starts += 1
        self.failed_starts += 1
        try:
            with self._ended_by_failure():
                self._start()
        finally:
            self.start_seconds += monotonic() - start
        self.failed_starts = 0
        self._pipe.drain()
        self.printed.at_start += self.printed.count - printed
        _LOG.debug("the contestant has started, %.2f s", monotonic() - start)

    def _start(self) -> None:
        assert self._process is not None
        limit = self._limits.start_seconds, f"took more than {self._limits.start_seconds:g} s to start"
        self._turn = 0
        if self._wait(*limit, starting=True).kind != "up":
            raise ProtocolError("sent a message that it was not asked for")
        self.usage.hold(*self._process.take_hold())
        self._turn = 1
        self._pipe.send(protocol.request(self._turn, "start"))
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
        if self._drains_at_end:
            self._pipe.drain()
        process.close()

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
            send(protocol.request(self._turn, verb, *values))
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
                reply = protocol.read_reply(line)
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
