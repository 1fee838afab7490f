"""What a worker of a cluster does of a ranked run: a referee and a contestant in the worker's own sandbox.

The functions are called from the organiser's machine (`remote_run`), each through the cluster, and none takes long:
games and starts go on in a thread of their own meanwhile. What they return is JSON text, which the other side reads as
it reads a ledger. A seat that hears nothing ends itself, so a client that is gone leaves nothing behind.
"""

from __future__ import annotations

import json
import math
import platform
import socket
import threading
from collections import deque
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

import wordpl
from wordpl.contest import sandbox
from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.draws import Draws
from wordpl.contest.entries import stored_row
from wordpl.contest.limits import Limits
from wordpl.contest.sandbox import NoSandboxError, Sandbox
from wordpl.contest.scoring import ContestRun, Played, Table
from wordpl.contest.start_files import StartFiles
from wordpl.contest.submission import Submission
from wordpl.displays import line_of
from wordpl.errors import error_line
from wordpl.play.strategy import Setting
from wordpl.simulation.tasks import ENGINE_VERSION

IDLE_SECONDS = 120.0
"""A seat ends when it has heard nothing for so long."""


@dataclass(frozen=True)
class Kit:
    """What a worker is given of a run, once: all but the seed, and nothing of the organiser's machine."""

    submission: Submission
    setting: Setting
    limits: Limits

    @classmethod
    def of(cls, run: ContestRun) -> Kit:
        # Where the files were read is told by the organiser's machine alone.
        return cls(replace(run.submission, path=run.submission.main, checkout=""), run.setting, run.limits)

    def __repr__(self) -> str:
        return line_of(self, f"{self.submission!r} on {self.setting!r}")


def examine() -> str:
    """Return what this worker is (`Machine`, but for its name), or the `problem` for which it cannot rank."""
    told: dict[str, Any] = {
        "host": socket.gethostname(),
        "wordpl": wordpl.__version__,
        "engine": ENGINE_VERSION,
        "platform": f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}",
    }
    try:
        told["sandbox"] = sandbox.find().describe()
    except NoSandboxError as error:
        told["problem"] = str(error)
    return json.dumps(told)


class _Place:
    """The seats of one run in this process, and what they share."""

    def __init__(self, kit: Kit, launcher: Sandbox) -> None:
        self.run = ContestRun(kit.submission, kit.setting, 0, kit.limits, launcher)
        self.start_files = StartFiles(kit.limits)
        self.seats: dict[int, _Seat] = {}
        self.left = False


_lock = threading.Lock()
_places: dict[str, _Place] = {}


def lay_out(run: str, kit: Kit) -> None:
    """Take what is to be played under the name `run`."""
    place = _Place(kit, sandbox.find())
    with _lock:
        _places.setdefault(run, place)
    unused = threading.Timer(IDLE_SECONDS, _forget_unused, (run,))
    unused.daemon = True
    unused.start()


def _forget_unused(run: str) -> None:
    """Forget a run that has no seat: its client has ended meanwhile."""
    with _lock:
        if run in _places and not _places[run].seats:
            del _places[run]


def exchange(run: str, number: int, draws: Draws | None, seconds: float) -> str:
    """Give a seat of a run trials to play, wait up to `seconds` until it has nothing to do, and return its report.

    The first call for a `number` opens the seat and starts its contestant. The report is a JSON object: `rows`, the
    trials finished since the last one, each with the failed starts in a row up to then; `open`, the numbers of those
    it still has; `starting`; `starts` and `start_seconds`, of all starts so far; `name` and `interface` of the
    strategy; `problem`, why it cannot go on, or an empty text. It is `gone` alone if nothing was laid out, and if the
    seat has ended because it was idle.
    """
    with _lock:
        place = _places.get(run)
        if place is not None and number not in place.seats:
            place.seats[number] = _Seat(run, place)
    if place is None or place.seats[number].ended_well:
        return json.dumps({"gone": True})
    return json.dumps(place.seats[number].exchange(draws, seconds))


def leave(run: str) -> None:
    """End a run's seats, as soon as the games that they play are over; does not wait for that."""
    with _lock:
        place = _places.pop(run, None)
    if place is not None:
        place.left = True
        for seat in list(place.seats.values()):
            seat.wake()
        if not place.seats:
            place.start_files.close()


class _Seat:
    """A table in a thread of its own: a contestant ends with the thread that has started it."""

    def __init__(self, run: str, place: _Place) -> None:
        self._run, self._place = run, place
        self._changed = threading.Condition()
        self._todo: deque[tuple[Draws, int]] = deque()
        self._done: list[tuple[Played, int]] = []
        self._playing: int | None = None
        self._starting = True
        self._starts, self._start_seconds = 0, 0.0
        self._named = ("", "")
        self._problem = ""
        self._heard = monotonic()
        """When somebody has last listened; infinity while somebody does."""
        self.over = False
        threading.Thread(target=self._work, name=f"wordpl-seat-{run[:8]}", daemon=True).start()

    @property
    def ended_well(self) -> bool:
        """Whether it has ended because nobody wanted it any more."""
        return self.over and not self._problem

    def exchange(self, draws: Draws | None, seconds: float) -> dict[str, Any]:
        """As the function of that name says."""
        with self._changed:
            self._heard = math.inf  # somebody listens
            if draws is not None:
                self._todo.extend((draws, trial) for trial in draws.trials)
                self._changed.notify_all()
            self._changed.wait_for(self._has_nothing_to_do, seconds)
            self._heard = monotonic()
            done, self._done = self._done, []
            playing = [] if self._playing is None else [self._playing]
            name, interface = self._named
            return {
                "rows": [[stored_row(record), failed] for record, failed in done],
                "open": playing + [trial for _, trial in self._todo],
                "starting": self._starting,
                "starts": self._starts,
                "start_seconds": self._start_seconds,
                "name": name,
                "interface": interface,
                "problem": self._problem,
            }

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _has_nothing_to_do(self) -> bool:
        return self.over or not (self._starting or self._todo or self._playing is not None)

    def _wanted(self) -> bool:
        return not self._place.left and monotonic() - self._heard < IDLE_SECONDS

    def _work(self) -> None:
        problem = ""
        try:
            with Table(self._place.run, Tally(RunBudget()), self._place.start_files) as table:
                table.contestant.wanted = self._wanted
                while self._ready(table) and (given := self._next()) is not None:
                    table.deal(given[0])
                    self._keep(table, table.play(given[1]))
        except BaseException as error:
            problem = error_line(error)
        self._end(problem)

    def _ready(self, table: Table) -> bool:
        """Start the contestant unless it runs; whether it is wanted."""
        if not table.contestant.running:
            with self._changed:
                self._starting = True
                self._todo.clear()  # others can play them meanwhile
        starts, begun = table.contestant.starts, monotonic()
        ready = table.ready()
        with self._changed:
            if table.contestant.starts > starts:
                self._starts += 1
                self._start_seconds += monotonic() - begun
            if not table.failed_starts:
                self._named = (table.contestant.name, table.contestant.interface)
            self._starting = False
            self._changed.notify_all()
        return ready

    def _next(self) -> tuple[Draws, int] | None:
        """The next trial to play; None if there will be none."""
        with self._changed:
            while self._wanted():
                if self._todo:
                    given = self._todo.popleft()
                    self._playing = given[1]
                    return given
                self._changed.wait(IDLE_SECONDS)
        return None

    def _keep(self, table: Table, record: Played) -> None:
        with self._changed:
            self._done.append((record, table.failed_starts))
            self._playing = None
            if not table.contestant.running:
                self._starting = True
                self._todo.clear()
            self._changed.notify_all()

    def _end(self, problem: str) -> None:
        with self._changed:
            self._problem, self._playing, self._starting, self.over = problem, None, False, True
            self._todo.clear()
            self._changed.notify_all()
        with _lock:
            place = self._place
            if all(seat.over for seat in place.seats.values()):
                place.start_files.close()
                if _places.get(self._run) is place and not problem:
                    del _places[self._run]
