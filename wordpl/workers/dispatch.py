"""The calls of one run on a cluster: dask gives them to its workers, and again where a worker is lost.

This feeds the scheduler, takes in results, and does what dask cannot: a call does not go to a worker of another
version or stay with one that is silent, and a call that ends its process is not run for ever.
"""

from __future__ import annotations

import logging
import pickle
import queue
import secrets
import time
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordpl.errors import error_line
from wordpl.workers.clusters import CallLostError, Cluster, ClusterLostError
from wordpl.workers.on_worker import CALL, DONE, ENDED, HUNG, LACKING, LOST, RAISED
from wordpl.workers.parcels import Call
from wordpl.workers.stopping import Stop

if TYPE_CHECKING:
    from distributed import Future

_NOTES = logging.getLogger("wordpl")
_LOG = logging.getLogger(__name__)

_TICK_SECONDS = 0.2
_CHECK_SECONDS = 0.5
_CALLS_AT_HAND = 3
"""Dask has so many calls for each that runs: one runs, one waits at the worker, and one at the scheduler, for whichever
worker is the next to be free. With one alone, 32 workers were busy for two thirds of their time."""
_FETCHERS = 4
_MOST_ENDS, _MOST_LOSSES = 3, 10
"""So often a call may end its process, or be lost with a worker, before the run is given up."""


@dataclass(eq=False)
class _Attempt:
    """A call, what became of it so far, and dask's future of it."""

    number: int
    call: Call
    packed: bytes
    parts: dict[str, bytes]
    """As `Packer.pack` gives them."""
    ends: int = 0
    losses: int = 0
    future: Any = None
    workers: Collection[str] = ()
    """The addresses of those that may run it; empty for all."""


class ClusterPool:
    """The workers of a cluster for one run. `n_jobs` is how many calls they run at a time."""

    def __init__(self, cluster: Cluster, *, ordered: bool) -> None:
        self._cluster, self._ordered = cluster, ordered
        self._run = secrets.token_hex(8)
        self._arrived: queue.SimpleQueue[tuple[str, str, Any]] = queue.SimpleQueue()
        self._fetchers = ThreadPoolExecutor(_FETCHERS, thread_name_prefix="wordpl-fetch")
        self._retries: deque[_Attempt] = deque()
        self._attempts: dict[str, _Attempt] = {}
        """Those that dask has, by the keys of their futures."""
        self._said_stop = self._said_wait = False
        self._checked_at = self._usable_at = time.monotonic()

    @property
    def n_jobs(self) -> int:
        """How many calls run at a time, 1 or more; it changes as workers come and go."""
        return max(1, sum(worker.slots for worker in self._cluster.usable))

    def results(self, stop: Stop, calls: Iterable[Call]) -> Generator[Any]:
        """The results of `calls`, in their order or as they come."""
        source = enumerate(calls)
        values: dict[int, Any] = {}
        due = 0
        try:
            while True:
                self._heed(stop)
                if not self._give_out(source, stop) and not self._retries and not self._attempts:
                    break
                attempt, value = self._next()
                if attempt is None:
                    continue
                if not self._ordered:
                    yield value
                    continue
                values[attempt.number] = value
                while due in values:
                    yield values.pop(due)
                    due += 1
        except BaseException:
            if self._attempts and not self._cluster.lost:
                self._cluster.client.cancel([attempt.future for attempt in self._attempts.values()], force=True)
            self._cluster.tell("stop", self._run, True)
            raise
        finally:
            for key in list(self._attempts):
                self._take_back(key)
            self._fetchers.shutdown(wait=False, cancel_futures=True)

    def _heed(self, stop: Stop) -> None:
        """Look whether the run is to stop, and every now and then who has gone."""
        if stop.ending and not self._said_stop:
            self._said_stop = True
            self._cluster.tell("stop", self._run, False)
        moment = time.monotonic()
        if moment - self._checked_at >= _CHECK_SECONDS:
            self._checked_at = moment
            if self._cluster.lost:
                raise ClusterLostError(f"the scheduler at {self._cluster.label} is gone")
            self._take_from_silent()
            self._wait_for_workers(moment, stop)
        if stop.ending:
            self._retries.clear()

    def _take_from_silent(self) -> None:
        """Have other workers run what a silent one has, and what only workers may run that are gone."""
        usable = {worker.address for worker in self._cluster.usable}
        if not usable:
            return
        keys: set[str] = set()
        silent = [worker.address for worker in self._cluster.workers.values() if self._cluster.is_silent(worker)]
        if silent:
            with suppress(OSError):  # then the scheduler is gone
                calls = self._cluster.client.processing()
                keys.update(*(calls.get(address, ()) for address in silent))
        for key, attempt in list(self._attempts.items()):
            if key in keys or (attempt.workers and usable.isdisjoint(attempt.workers)):
                self._lose(key)

    def _wait_for_workers(self, moment: float, stop: Stop) -> None:
        cluster = self._cluster
        if cluster.usable:
            self._usable_at = moment
            self._said_wait = False
        elif stop.ending:
            raise ClusterLostError(f"all workers of {cluster.label} are gone")
        elif not self._said_wait and not cluster.is_local:
            self._said_wait = True
            _NOTES.info("all workers of %s are gone; waiting %g s for one", cluster.label, cluster.patience)
        elif moment - self._usable_at > cluster.patience:
            raise ClusterLostError(f"all workers of {cluster.label} are gone; none has come in {cluster.patience:g} s")

    def _lose(self, key: str, why: str = "") -> None:
        """Have another worker run a call."""
        attempt = self._take_back(key)
        attempt.losses += 1
        _LOG.debug("a call goes to another worker")
        if attempt.losses > _MOST_LOSSES:
            message = f"a call has lost {attempt.losses} workers, one after the other"
            raise ClusterLostError(f"{message}: {why}" if why else message)
        self._retries.append(attempt)

    def _take_back(self, key: str) -> _Attempt:
        """A call that dask is not to have any more."""
        attempt = self._attempts.pop(key)
        attempt.future.release()
        return attempt

    def _give_out(self, source: Iterator[tuple[int, Call]], stop: Stop) -> bool:
        """Give dask what it can use now; whether there may be more new calls."""
        if stop.ending:
            return False
        usable = self._cluster.usable
        room = _CALLS_AT_HAND * sum(worker.slots for worker in usable) - len(self._attempts)
        # Named only where it matters, for dask gives out best what may go anywhere.
        addresses = [worker.address for worker in usable]
        choice = addresses if len(addresses) < len(self._cluster.workers) else []
        for _ in range(room):
            if self._retries:
                # It may have been on a worker that is not known yet.
                self._submit(self._retries.popleft(), addresses)
                continue
            number, call = next(source, (-1, None))
            if call is None:
                return False
            self._submit(_Attempt(number, call, *self._cluster.packer.pack(call)), choice)
        return True

    def _submit(self, attempt: _Attempt, workers: Collection[str], *, whole: bool = False) -> None:
        """Have dask run a call, with the parts that not every worker has been sent, or with all."""
        cluster, contents = self._cluster, attempt.parts
        parts = {digest: part for digest, part in contents.items() if whole or cluster.sent[digest] < self.n_jobs}
        cluster.sent.update(parts.keys())
        arguments = (cluster.session, self._run, attempt.packed, tuple(contents), parts, cluster.silent_seconds)
        message = pickle.dumps(("call", *arguments), protocol=pickle.HIGHEST_PROTOCOL)
        cluster.calls += 1
        cluster.bytes_sent += len(message)
        attempt.future = cluster.submit(CALL, {"message": message, "own": cluster.own}, "call", workers)
        attempt.workers = workers
        self._attempts[attempt.future.key] = attempt
        attempt.future.add_done_callback(self._arrive)

    def _arrive(self, future: Future) -> None:
        """In dask's thread: have the outcome fetched."""
        with suppress(RuntimeError):  # this run is over
            self._fetchers.submit(self._fetch, future)

    def _fetch(self, future: Future) -> None:
        outcome: tuple[str, Any] = (LOST, None)
        try:
            if not future.cancelled():
                outcome = future.result(timeout=self._cluster.silent_seconds)
        except Exception as error:  # the worker or the scheduler was lost meanwhile, or cannot start a process
            outcome = (LOST, error_line(error))
        self._arrived.put((future.key, *outcome))

    def _next(self) -> tuple[_Attempt | None, Any]:
        """A call that has come to its end, with its result; None if there is none yet. Raises what a call raised."""
        try:
            key, kind, value = self._arrived.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            return None, None
        if key not in self._attempts:  # another worker has it by now
            return None, None
        if kind == LOST:
            self._lose(key, value or "")
            return None, None
        attempt = self._take_back(key)
        if kind in (DONE, RAISED):
            self._cluster.bytes_received += len(value)
            outcome = pickle.loads(value)  # noqa: S301 - of our own worker
            if kind == RAISED:
                raise outcome
            return attempt, outcome
        if kind == LACKING:
            self._submit(attempt, [value], whole=True)
        elif kind in (ENDED, HUNG):
            attempt.ends += 1
            if value == "SIGPROF(-27)" or attempt.ends >= _MOST_ENDS:
                raise CallLostError(f"{{{value or 'SIGSTOP(-19)'}}}", attempt.call)
            self._retries.append(attempt)
        return None, None
