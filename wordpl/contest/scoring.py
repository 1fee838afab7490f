"""Play the trials of a submission, with one contestant process for each job."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.contestant_process import ContestantProcess, NotWantedError
from wordpl.contest.evidence import Figures, figures
from wordpl.contest.limits import Limits
from wordpl.contest.machines import Machine
from wordpl.contest.payload import Payload
from wordpl.contest.remote import Remote
from wordpl.contest.sandbox import Launcher
from wordpl.contest.start_files import StartFiles
from wordpl.contest.submission import Submission
from wordpl.displays import line_of
from wordpl.errors import WordplError
from wordpl.play.referee import ForfeitError, Game, Referee
from wordpl.play.seeds import Seeds
from wordpl.play.strategy import Setting

STARTS = 3
"""A run ends when its contestant fails to start this many times in a row."""
IDENTITY = "submission"
"""The strategy's name in the seeds of players, which so do not depend on what it calls itself."""

_KEEP_SECONDS = 0.25

OnPlayed = Callable[[Sequence["Played"]], "bool | None"]
"""Takes finished trials, in any order; returns True if no more are needed, which ends the run."""
OnStarted = Callable[[str, str], None]
"""Takes the name and the interface of the strategy."""


@dataclass(frozen=True)
class ContestRun:
    """What all games of a run share: who plays, by which rules, from which root seed, and where."""

    submission: Submission
    setting: Setting
    seed: int
    limits: Limits
    launcher: Launcher

    def __repr__(self) -> str:
        return line_of(self, f"{self.submission!r} on {self.setting!r}")


class OutOfTimeError(WordplError):
    """A ranked run has lasted as long as it may at a time. It can be resumed."""


class RunEndedError(Exception):
    """The contestant could not be started, or exceeded the budget of a run. The message says why, on one line."""

    def __init__(self, reason: str, errors: str) -> None:
        super().__init__(reason)
        self.errors = errors


@dataclass(frozen=True)
class Played:
    """A finished trial: the game, the referee's figures, and the end of what the contestant wrote to stderr."""

    game: Game
    figures: Figures
    errors: str = ""
    machine: Machine | None = None
    """The worker of a cluster that has played it; None for this machine."""

    @property
    def log_bytes(self) -> int:
        """Roughly the bytes stored of a trial: its asks, a few numbers each, and its texts."""
        game = self.game
        return sum(len(guess) + 32 for guess, _, _ in game.history) + len(game.reason) + len(self.errors)

    def __repr__(self) -> str:
        return line_of(self, f"{self.game!r}")


class RefusedPlayer:
    """The player of a contestant that cannot be started. It loses its game at the first move."""

    def __init__(self, error: ForfeitError) -> None:
        self._error = ForfeitError(error.verdict, f"at start: {error.reason}")

    def first_move(self) -> Any:
        raise self._error

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        raise self._error


class Table:
    """A referee and one contestant. A context manager: it leaves no process behind."""

    def __init__(self, run: ContestRun, tally: Tally | None = None, start_files: StartFiles | None = None) -> None:
        limits = run.limits
        self._tally = Tally(RunBudget()) if tally is None else tally
        # The clocks of a contestant are the host's; the referee's thread only waits for it.
        self._referee = Referee(run.setting, run.seed, math.inf, limits.asks, limits.min_epsilon)
        self._payload = Payload(run.submission, run.setting, limits, run.launcher)
        self._own = StartFiles(limits)
        self._start_files = start_files or self._own
        self.contestant = ContestantProcess(run.launcher, self._payload, limits)
        self.failed_starts = 0
        self.reason = ""
        self._refused: ForfeitError | None = None

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.contestant.stop()
        self._own.close()
        self._payload.close()

    def deal(self, seeds: Seeds) -> None:
        """Take the answers and the noise of the next trials from these seeds, not from the run's."""
        self._referee.seeds = seeds

    def play(self, trial: int) -> Played:
        """Play one trial and return its record, whatever the contestant does."""
        record = self._play(trial)
        self._tally.add(log_bytes=record.log_bytes)
        return record

    def ready(self) -> bool:
        """Start the contestant unless it runs, outside the clock of a game; whether there is a trial to be played.

        If it cannot be started, the next trial is lost to that.
        """
        starts, begun = self.contestant.starts, monotonic()
        try:
            self._start_files.ready(self.contestant)
            self.failed_starts = 0
        except ForfeitError as error:
            self.failed_starts += 1
            self._refused = error
        except NotWantedError:
            return False
        finally:
            if self.contestant.starts > starts:
                self._tally.add(restarts=int(starts > 0), start_seconds=monotonic() - begun)
        return True

    def _play(self, trial: int) -> Played:
        if self._refused is None:
            self.ready()
        refused, self._refused = self._refused, None
        if refused is not None:
            game = self._referee.play(trial, RefusedPlayer(refused))
            self.reason = game.reason
            return Played(game, figures(self._referee.setting, game), self.contestant.errors)
        game = self._referee.play(trial, self.contestant.player(self._referee.seeds.player(trial, IDENTITY)))
        # After the last reply of the game, so that the time they take tells nothing of its answer while that counts.
        return Played(game, figures(self._referee.setting, game), self.contestant.errors)


def play_trials(
    run: ContestRun,
    trials: Iterable[int],
    on_played: OnPlayed,
    *,
    jobs: int = 1,
    on_started: OnStarted | None = None,
    tally: Tally | None = None,
) -> None:
    """Play trials in this order, and give them to `on_played`, a few at a time, in the calling thread.

    Each of the `jobs` contestants starts once, and again only after a failure. What the first start writes beside the
    submission is there at all later ones, if they then are as the first one was (`StartFiles`). The games end with the
    last trial, or as soon as `on_played` returns True. Games that are being played then are finished and given to it,
    too.

    Raises `RunEndedError` if the contestant fails to start three times in a row, or if a ranked run exceeds the
    budget of `tally`. Raises `OutOfTimeError` if a ranked run lasts too long: a slow machine may be the reason, so the
    run can be resumed. Trials that were finished by then have been given to `on_played`; if that returns True, the run
    has what it needs and nothing is raised.
    """
    tally = Tally(RunBudget()) if tally is None else tally
    if isinstance(run.launcher, Remote):
        from wordpl.contest.remote_run import RemoteRun

        RemoteRun(run, run.launcher, trials, on_played, on_started, tally).play()
        return
    with StartFiles(run.limits) as start_files:
        queue = _TrialQueue(
            partial(Table, run, tally, start_files),
            trials,
            on_played,
            on_started,
            tally if run.launcher.ranked else None,
        )
        if jobs == 1:
            queue.play_here()
        else:
            queue.play_in_threads(jobs, min(run.limits.game_seconds + 60, threading.TIMEOUT_MAX))


class _TrialQueue:
    """Trials that wait to be played, and finished ones on their way from the threads that play them to the caller.

    `tally` is that of a ranked run; None lifts the budget.
    """

    def __init__(
        self,
        open_table: Callable[[], Table],
        trials: Iterable[int],
        on_played: OnPlayed,
        on_started: OnStarted | None,
        tally: Tally | None,
    ) -> None:
        self._open_table, self._on_played, self._on_started, self._tally = open_table, on_played, on_started, tally
        self._waiting = deque(trials)
        self._played: deque[Played] = deque()
        self._names: list[tuple[str, str]] = []
        self._told = threading.Event()
        self._stop = threading.Event()
        self._enough = False
        self._ended: list[BaseException] = []
        self._kept_at = monotonic()

    def play_here(self) -> None:
        """Play all trials in this thread. Raises what ended the run early, after what was played is kept."""
        self._work(lambda: self._hand_over(_KEEP_SECONDS))
        self._hand_over()
        self._raise()

    def play_in_threads(self, jobs: int, end_seconds: float) -> None:
        """The same in `jobs` threads, each with a contestant; they get `end_seconds` to end after a failure.

        Threads wait for their contestants most of the time. A contestant dies with the thread that started it.
        """
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                self._hand_over()
                threads[0].join(_KEEP_SECONDS) if threads[0].is_alive() else self._stop.wait(_KEEP_SECONDS / 10)
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(end_seconds)
            self._hand_over()
        self._raise()

    def _work(self, after_trial: Callable[[], None] = lambda: None) -> None:
        """Play trials at a table of its own until none waits or the run has ended."""
        try:
            with self._open_table() as table:
                table.contestant.wanted = self._more
                # A trial is taken by a contestant that can play it: others may have played them all by then.
                while self._more() and table.ready():
                    try:
                        trial = self._waiting.popleft()
                    except IndexError:
                        return
                    record = table.play(trial)
                    # Also if the run ends meanwhile: trials are taken in order, so none is missing before the last one.
                    self._played.append(record)
                    self._note_name(table)
                    self._check(table, record)
                    after_trial()
        except BaseException as error:
            self._ended.append(error)
            self._stop.set()

    def _more(self) -> bool:
        """Whether there are trials to be played."""
        return bool(self._waiting) and not self._stop.is_set()

    def _note_name(self, table: Table) -> None:
        started = table.contestant.starts and not table.failed_starts
        if self._on_started is not None and started and not self._told.is_set():
            self._names.append((table.contestant.name, table.contestant.interface))
            self._told.set()

    def _check(self, table: Table, record: Played) -> None:
        """Raise what ends the run after this trial. The budget only matters while trials are left."""
        if table.failed_starts >= STARTS:
            raise RunEndedError(table.reason, record.errors)
        if self._tally is not None and self._waiting:
            if reason := self._tally.overrun():
                raise RunEndedError(reason, record.errors)
            if self._tally.out_of_time:
                raise OutOfTimeError(f"stopped after {self._tally.seconds:g} s; the same command resumes the run")

    def _hand_over(self, after: float = 0.0) -> None:
        """Give the caller what was played, at least `after` seconds since the last time."""
        if self._names and self._on_started is not None:
            self._on_started(*self._names.pop())
        now = monotonic()
        if now - self._kept_at >= after and self._played:
            if self._on_played([self._played.popleft() for _ in range(len(self._played))]):
                self._enough = True
                self._stop.set()
            self._kept_at = now

    def _raise(self) -> None:
        """Raise what ended the run early. A failure does not matter once the run has all that it needs."""
        for error in self._ended:
            if not (self._enough and isinstance(error, (RunEndedError, WordplError))):
                raise error
