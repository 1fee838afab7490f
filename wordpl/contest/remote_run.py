"""Play a ranked run on the workers of a cluster: the referee and the sandbox are there, all that is kept is here.

This machine gives trials to seats (`seat`), a few at a time, and reads what they report with care (`reports`). What a
worker has in hand when it is lost, hangs or errs is given to another one. The budget of a run is counted here, of all
workers together.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import math
import secrets
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from wordpl.contest import seat
from wordpl.contest.budget import Tally
from wordpl.contest.cells import MalformedError
from wordpl.contest.draws import Draws
from wordpl.contest.limits import MIB
from wordpl.contest.machines import Machine
from wordpl.contest.remote import TICK, Call, Remote
from wordpl.contest.replay import Replay
from wordpl.contest.reports import Report, read_report
from wordpl.contest.sanitizing import visible
from wordpl.contest.scoring import (
    IDENTITY,
    STARTS,
    ContestRun,
    OnPlayed,
    OnStarted,
    OutOfTimeError,
    Played,
    RunEndedError,
)
from wordpl.play.seeds import Seeds
from wordpl.workers import WorkerLostError

_LOG = logging.getLogger(__name__)

PIECE_SECONDS = 2.0
"""About how long a seat plays what it is given at a time."""
MOST_TRIALS, MOST_BYTES = 100, 4 * MIB
"""Trials, and bytes of their noise, that are given to a seat at a time."""
LOSSES = 5
"""A trial that was lost with its worker so many times is given to no other."""
SLACK_SECONDS = 120.0
"""A worker that takes so much longer over a start or a game than the limits allow is given up."""
_END_SECONDS = 10.0
_KEEP_SECONDS = 0.25


@dataclass(eq=False)
class _Seat:
    """What this machine knows of a seat."""

    address: str
    number: int
    machine: Machine
    call: Call | None = None
    """What it was asked last; None while it has nothing to do."""
    supplied: bool = False
    """Whether its worker has the kit."""
    starting: bool = True
    starts: int = 0
    start_seconds: float = 0.0
    given: set[int] = field(default_factory=set)
    """Trials that it has and has not finished."""
    size: int = 1
    """How many trials it is given at a time."""
    called: float = field(default_factory=monotonic)
    moved: float = field(default_factory=monotonic)
    """When it last finished something, or was given something to do."""


class RemoteRun:
    """Trials on their way to seats and back. `tally` is that of a ranked run."""

    def __init__(
        self,
        run: ContestRun,
        remote: Remote,
        trials: Iterable[int],
        on_played: OnPlayed,
        on_started: OnStarted | None,
        tally: Tally,
    ) -> None:
        self._run, self._remote, self._workers = run, remote, remote.workers
        self._on_played, self._on_started, self._tally = on_played, on_started, tally
        self._key = secrets.token_hex(16)
        self._kit = seat.Kit.of(run)
        self._seeds = Seeds(run.seed)
        self._replay = Replay(run.setting, run.limits, run.seed, with_figures=False)
        self._trials = deque(trials)
        self._again: list[int] = []
        """A heap of those that were given back."""
        self._lost: Counter[int] = Counter()
        self._numbers = itertools.count()
        self._seats: list[_Seat] = []
        self._supplies: dict[str, Call] = {}
        """By address of a worker: the call that takes the kit there."""
        self._given_up: set[str] = set()
        self._why = "no worker came"
        self._played: list[Played] = []
        self._kept_at = monotonic()
        self._ended: list[Exception] = []
        self._enough = self._told = self._any_started = False

    def play(self) -> None:
        """Play all trials. Raises what `play_trials` raises, and `WorkerLostError` if no worker is left."""
        alone_since = monotonic()
        try:
            while self._is_open() and not (self._enough or self._ended):
                self._fill_seats()
                if self._seats:
                    alone_since = monotonic()
                elif monotonic() - alone_since > self._workers.patience:
                    raise WorkerLostError(f"the cluster has no worker left that can play: {self._why}")
                self._workers.wait(TICK)
                for place in list(self._seats):
                    if place in self._seats:  # else given up with another one of its worker
                        self._look_at(place)
                self._hand_over()
        finally:
            self._close()
        if self._ended and not self._enough:
            raise self._ended[0]

    def _is_open(self) -> bool:
        return bool(self._trials or self._again) or any(place.given for place in self._seats)

    # Seats.

    def _fill_seats(self) -> None:
        """Open a seat for each thread of the workers that are there, and give up those of workers that are gone."""
        there = self._remote.examine()
        for place in list(self._seats):
            if place.address not in there:
                self._lose(place, "it is gone, or does not answer")
        taken = Counter(place.address for place in self._seats)
        for address, (_, threads) in self._workers.present().items():
            if address in there and address not in self._given_up:
                if address not in self._supplies:
                    self._supplies[address] = self._workers.call(address, seat.lay_out, self._key, self._kit)
                for _ in range(threads - taken[address]):
                    self._seats.append(_Seat(address, next(self._numbers), there[address]))

    def _look_at(self, place: _Seat) -> None:
        """Take what a seat has to say, and ask it for more."""
        try:
            if not place.supplied:
                place.supplied = self._is_supplied(place)
            elif place.call is not None and place.call.done():
                self._take(place, place.call)
        except WorkerLostError:
            self._lose(place, "it is gone")
        except MalformedError as error:
            self._ban(place, f"it returns what no referee writes, of which nothing is kept: {error}")
        except Exception as error:
            self._ban(place, visible(str(error) or type(error).__name__))
        if place not in self._seats:
            return
        if place.supplied and place.call is None and not self._ended:
            self._give(place)
        waited = monotonic() - place.moved
        if waited > self._patience(place):
            self._ban(place, f"it has finished nothing for {waited:.0f} s")

    def _is_supplied(self, place: _Seat) -> bool:
        supply = self._supplies[place.address]
        if supply.done():
            supply.result()
        return supply.done()

    def _patience(self, place: _Seat) -> float:
        """How long a seat may be silent: as long as it may take over what it does, whatever the contestant does."""
        limits = self._run.limits
        if place.starting:
            return 4 * limits.start_seconds + SLACK_SECONDS  # it builds and says what it is, twice at the worst
        return limits.game_seconds + SLACK_SECONDS if place.given else math.inf

    def _lose(self, place: _Seat, why: str) -> None:
        """Let others play what a seat has in hand."""
        self._why = f"{visible(place.machine.name, 80)} on {visible(place.machine.host, 80)}: {why}"
        self._drop(place)
        for trial in place.given:
            self._lost[trial] += 1
            if self._lost[trial] >= LOSSES:
                raise WorkerLostError(f"trial {trial} was lost with {LOSSES} workers, at last with {self._why}")

    def _ban(self, place: _Seat, why: str) -> None:
        """The same, and give its worker nothing more in this run."""
        self._given_up.add(place.address)
        for other in [other for other in self._seats if other.address == place.address]:
            self._lose(other, why)
        _LOG.warning("worker %s; it is not used any more in this run", self._why)

    def _drop(self, place: _Seat) -> None:
        self._seats.remove(place)
        if place.call is not None:
            place.call.cancel()
        for trial in place.given:
            heapq.heappush(self._again, trial)

    # What goes and what comes.

    def _give(self, place: _Seat) -> None:
        """Give a seat more trials if it can play them, and ask for its report if it has something to do."""
        draws = None
        if not place.starting and not place.given and (trials := list(self._some(place))):
            draws = Draws(self._seeds, trials, self._run.setting.words, self._run.limits.asks, IDENTITY)
            place.given, place.moved = set(trials), monotonic()
        if place.starting or place.given:
            arguments = self._key, place.number, draws, PIECE_SECONDS
            place.call, place.called = self._workers.call(place.address, seat.exchange, *arguments), monotonic()

    def _some(self, place: _Seat) -> Iterator[int]:
        """The next trials for a seat: in order, and near the end of the run no more than its share."""
        left = len(self._trials) + len(self._again)
        fitting = MOST_BYTES // (8 * self._run.limits.asks * self._run.setting.words.length)
        for _ in range(min(place.size, max(1, fitting), math.ceil(left / len(self._seats)))):
            yield heapq.heappop(self._again) if self._again else self._trials.popleft()

    def _take(self, place: _Seat, call: Call) -> None:
        """Take a report. Raises `MalformedError` for what none is, and what has befallen the worker."""
        report = self._read(place, call)
        place.call = None
        if report is None:  # it has heard nothing for a while, and has ended
            self._drop(place)
            self._supplies.pop(place.address, None)
            return
        self._count(place, report)
        if report.rows:
            rate = len(report.rows) / max(monotonic() - place.called, 1e-3)
            place.size = max(1, min(4 * place.size, math.ceil(rate * PIECE_SECONDS), MOST_TRIALS))
        if report.rows or report.starting != place.starting:
            place.moved = monotonic()
        place.starting = report.starting
        for record, failed in report.rows:
            place.given.discard(record.game.trial)
            self._played.append(record)
            self._tally.add(log_bytes=record.log_bytes)
            self._check(record, failed)
        for trial in place.given - report.open:  # its contestant has ended before them
            place.given.discard(trial)
            heapq.heappush(self._again, trial)
        if report.interface and not self._told and self._on_started is not None:
            self._told = True
            self._on_started(report.name, report.interface)

    def _read(self, place: _Seat, call: Call) -> Report | None:
        report = read_report(call.result(), place.given, self._replay, place.machine)
        if report is not None and (report.starts < place.starts or report.start_seconds < place.start_seconds):
            raise MalformedError("its starts become fewer")
        return report

    def _count(self, place: _Seat, report: Report) -> None:
        """Add starts to the tally.

        How many workers there are is not the contestant's doing. So the first start of a seat is no restart, and takes
        of the time for starts only if it is the first one of all.
        """
        starts, seconds = report.starts - place.starts, report.start_seconds - place.start_seconds
        if starts:
            is_first = place.starts == 0
            free = is_first and starts == 1 and self._any_started
            self._tally.add(restarts=starts - int(is_first), start_seconds=0.0 if free else seconds)
            self._any_started = True
            place.starts, place.start_seconds = report.starts, report.start_seconds

    def _check(self, record: Played, failed: int) -> None:
        """Note what ends the run after this trial. The budget only matters while trials are left."""
        if failed >= STARTS:
            self._ended.append(RunEndedError(record.game.reason, record.errors))
        elif self._trials or self._again:
            if reason := self._tally.overrun():
                self._ended.append(RunEndedError(reason, record.errors))
            elif self._tally.out_of_time:
                text = f"stopped after {self._tally.seconds:g} s; the same command resumes the run"
                self._ended.append(OutOfTimeError(text))

    def _hand_over(self, after: float = _KEEP_SECONDS) -> None:
        """Give the caller what was played, at least `after` seconds since the last time."""
        if self._played and monotonic() - self._kept_at >= after:
            played, self._played = self._played, []
            self._kept_at = monotonic()
            self._enough = bool(self._on_played(played)) or self._enough

    # The end.

    def _close(self) -> None:
        """End all seats, and keep what they have finished. Leaves nothing of the run on workers that answer."""
        busy = [place for place in self._seats if place.call is not None]
        leaving: list[Call] = []
        end = monotonic() + _END_SECONDS
        try:
            for address in self._workers.present().keys() & self._supplies:
                leaving.append(self._workers.call(address, seat.leave, self._key))
        except WorkerLostError:  # of the cluster: its workers end the seats by themselves
            end = monotonic()
        try:
            while busy and not self._enough and monotonic() < end:
                self._workers.wait(TICK)
                busy = [place for place in busy if not self._is_last_taken(place)]
            self._hand_over(0.0)
            while monotonic() < end and not all(call.done() for call in leaving):
                self._workers.wait(TICK)
        finally:
            for call in [*leaving, *self._supplies.values(), *(place.call for place in self._seats)]:
                if call is not None:
                    call.cancel()

    def _is_last_taken(self, place: _Seat) -> bool:
        """Whether the last report of a seat has come; its trials are then kept."""
        if place.call is None or not place.call.done():
            return place.call is None
        with suppress(Exception):  # whatever is wrong with it, the run is over
            report = self._read(place, place.call)
            self._played += [record for record, _ in report.rows] if report is not None else []
        return True
