"""Giving the calls of one run to the workers of a cluster, and taking in their results."""

from __future__ import annotations

import logging
import pickle
import queue
import secrets
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wordpl.errors import WordplError, error_line
from wordpl.workers.clusters import Admit, CallLostError, Cluster, ClusterLostError, Worker
from wordpl.workers.on_worker import BY_NAME, ENDED, HUNG, Order
from wordpl.workers.parcels import Call, Parcel
from wordpl.workers.player import DONE, LACKING, RAISED
from wordpl.workers.stopping import Stop

if TYPE_CHECKING:
    from distributed import Future

_NOTES = logging.getLogger("wordpl")
_LOG = logging.getLogger(__name__)

_TICK_SECONDS = 0.2
_CHECK_SECONDS = 0.5
_SHORT_CALL_SECONDS = 2.0
"""While calls are shorter, each worker has one more at hand, so that it never waits for this process."""
_FETCHERS = 4
_MOST_ENDS, _MOST_LOSSES = 3, 10
"""So often a call may end its process, or lose the worker that runs it, before the run is given up."""

LOST = "lost"


@dataclass(eq=False)
class _Item:
    """A call, and what became of it so far."""

    number: int
    call: Call
    parcel: Parcel
    only: Worker | None = None
    """The worker that alone is meant, for a question whether it is admitted."""
    tries: dict[str, _Try] = field(default_factory=dict)
    """By key: those that may still bring a result."""
    ends: int = 0
    losses: int = 0
    done: bool = False


@dataclass(eq=False)
class _Try:
    item: _Item
    worker: Worker
    future: Future


class ClusterPool:
    """The workers of a cluster for one run. `n_jobs` is how many calls they run at a time."""

    def __init__(
        self, cluster: Cluster, *, ordered: bool, admit: Admit | None = None, call_seconds: float | None = None
    ) -> None:
        self._cluster, self._ordered, self._admit, self._call_seconds = cluster, ordered, admit, call_seconds
        self._run = secrets.token_hex(8)
        self._arrived: queue.SimpleQueue[tuple[_Try, str, Any, float]] = queue.SimpleQueue()
        self._fetchers = ThreadPoolExecutor(_FETCHERS, thread_name_prefix="wordpl-fetch")
        self._again: deque[_Item] = deque()
        self._running: dict[Worker, list[_Try]] = {}
        self._admitted: dict[Worker, bool | None] = {}
        self._refusals: list[str] = []
        self._call_mean = 0.0
        self._told_to_stop = self._told_to_wait = False
        self._checked_at = self._usable_at = time.monotonic()

    @property
    def n_jobs(self) -> int:
        """How many calls run at a time, 1 or more; it changes as workers come and go."""
        return max(1, sum(worker.slots for worker in self._cluster.usable))

    def results(self, stop: Stop, calls: Iterable[Call]) -> Generator[Any]:
        """The results of `calls`, in their order or as they come."""
        source = enumerate(calls)
        held: dict[int, Any] = {}
        due = 0
        whole = False
        try:
            while True:
                self._heed(stop)
                whole = self._give_out(source, stop) or whole
                if whole and not self._again and not self._open:
                    break
                item, value = self._next()
                if item is None:
                    continue
                if not self._ordered:
                    yield value
                    continue
                held[item.number] = value
                while due in held:
                    yield held.pop(due)
                    due += 1
        except BaseException:
            self._give_up()
            raise
        finally:
            self._close()

    @property
    def _open(self) -> bool:
        """Whether a call is under way."""
        return any(not one.item.done and not one.item.only for tries in self._running.values() for one in tries)

    def _give_up(self) -> None:
        """End what runs for this."""
        futures = [one.future for tries in self._running.values() for one in tries]
        if futures and not self._cluster.lost:
            self._cluster.client.cancel(futures, force=True)
        self._cluster.tell("end", self._run)

    def _close(self) -> None:
        if self._told_to_stop:
            self._cluster.tell("end", self._run)
        for tries in self._running.values():
            for one in tries:
                one.future.release()
        self._running.clear()
        self._fetchers.shutdown(wait=False, cancel_futures=True)

    def _heed(self, stop: Stop) -> None:
        """Look whether the run is to stop, and every now and then who has gone."""
        if stop.ending and not self._told_to_stop:
            self._told_to_stop = True
            self._cluster.tell("stop", self._run)
        if stop.ending:
            self._again.clear()
        now = time.monotonic()
        if now - self._checked_at < _CHECK_SECONDS:
            return
        self._checked_at = now
        if self._cluster.lost:
            raise ClusterLostError(f"the scheduler at {self._cluster.shown} is gone")
        for worker, tries in list(self._running.items()):
            gone = not self._cluster.is_here(worker)
            if gone or self._cluster.is_silent(worker, now):
                for one in list(tries):
                    one.item.done |= stop.ending  # not waited for
                    self._lose(one, gone)
            if gone:
                del self._running[worker]
        self._wait_for_workers(now, stop)

    def _wait_for_workers(self, now: float, stop: Stop) -> None:
        workers = self._workers()
        refused = [worker for worker in self._cluster.usable if self._admitted.get(worker) is False]
        if workers:
            self._usable_at = now
            self._told_to_wait = False
        elif refused and len(refused) == len(self._cluster.workers):
            raise WordplError(self._refusals[-1])
        elif stop.ending:
            raise ClusterLostError(f"all workers of {self._cluster.shown} are gone")
        elif not self._told_to_wait and not self._cluster.is_local:
            self._told_to_wait = True
            _NOTES.info("all workers of %s are gone; waiting %g s for one", self._cluster.shown, self._cluster.patience)
        elif now - self._usable_at > self._cluster.patience:
            raise ClusterLostError(
                f"all workers of {self._cluster.shown} are gone; none has come in {self._cluster.patience:g} s"
            )

    def _lose(self, one: _Try, gone: bool, why: str = "") -> None:
        """Have another worker run what this one has; one that is only silent may still bring its result."""
        item = one.item
        if gone:
            item.tries.pop(one.future.key, None)
            self._cluster.client.cancel([one.future], force=True)
        if item.done or item in self._again or item.only is not None:
            return
        if any(self._is_hoped_for(other) for other in item.tries.values()):
            return
        item.losses += 1
        _LOG.debug("a call of %s goes to another worker", one.worker)
        if item.losses > _MOST_LOSSES:
            told = f"a call has lost {item.losses} workers, one after the other"
            raise ClusterLostError(f"{told}: {why}" if why else told)
        self._again.append(item)

    def _is_hoped_for(self, one: _Try) -> bool:
        return self._cluster.is_here(one.worker) and not self._cluster.is_silent(one.worker, time.monotonic())

    def _workers(self) -> list[Worker]:
        """The workers that may be used, or have been asked whether they may."""
        return [worker for worker in self._cluster.usable if self._admitted.get(worker) is not False]

    def _give_out(self, source: Iterator[tuple[int, Call]], stop: Stop) -> bool:
        """Give calls to workers with room, those with the most room first; whether there are no more new ones."""
        if stop.ending:
            return True
        waiting = 1 if self._call_mean < _SHORT_CALL_SECONDS else 0
        for spare in (0, waiting):
            for worker in self._workers():
                if self._admit is not None and self._admitted.get(worker) is None:
                    self._ask(worker)
                    continue
                while len(self._running.setdefault(worker, [])) < worker.slots + spare:
                    item = self._next_item(source)
                    if item is None:
                        return not self._again
                    self._submit(item, worker)
        return False

    def _next_item(self, source: Iterator[tuple[int, Call]]) -> _Item | None:
        while self._again:
            item = self._again.popleft()
            if not item.done:
                return item
        for number, call in source:
            return _Item(number, call, self._cluster.packer.pack(call))
        return None

    def _ask(self, worker: Worker) -> None:
        """Ask a worker whether it is admitted."""
        if worker not in self._admitted:
            self._admitted[worker] = None
            call: Call = (self._admit, (), {})  # type: ignore[assignment]
            self._submit(_Item(-1, call, self._cluster.packer.pack(call), only=worker), worker)

    def _submit(self, item: _Item, worker: Worker) -> None:
        needs = tuple(item.parcel.parts)
        parts = {digest: part for digest, part in item.parcel.parts.items() if digest not in worker.sent}
        worker.sent.update(parts)
        order = Order(
            self._cluster.session,
            self._run,
            worker.address,
            item.parcel.call,
            needs,
            parts,
            self._cluster.silent_seconds,
            self._call_seconds,
        )
        message = pickle.dumps(("call", order), protocol=pickle.HIGHEST_PROTOCOL)
        self._cluster.calls += 1
        self._cluster.bytes_sent += len(message)
        future = self._cluster.submit(worker, BY_NAME, {"message": message}, "call")
        one = _Try(item, worker, future)
        item.tries[future.key] = one
        self._running.setdefault(worker, []).append(one)
        future.add_done_callback(lambda _: self._arrive(one))

    def _arrive(self, one: _Try) -> None:
        """In dask's thread: have the outcome fetched."""
        with suppress(RuntimeError):  # this run is over
            self._fetchers.submit(self._fetch, one)

    def _fetch(self, one: _Try) -> None:
        kind, value, seconds = LOST, None, 0.0
        try:
            if not one.future.cancelled():
                kind, value, seconds = one.future.result(timeout=self._cluster.silent_seconds)
        except Exception as error:  # the worker or the scheduler was lost meanwhile, or cannot start a process
            value = error_line(error)
        self._arrived.put((one, kind, value, seconds))

    def _next(self) -> tuple[_Item | None, Any]:
        """A call that has come to its end, with its result; None if there is none yet. Raises what a call raised."""
        try:
            one, kind, value, seconds = self._arrived.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            return None, None
        one.future.release()
        tries = self._running.get(one.worker, [])
        if one in tries:
            tries.remove(one)
        item = one.item
        if item.tries.pop(one.future.key, None) is None or item.done:
            return None, None
        if kind in (DONE, RAISED):
            item.done = True
            self._cluster.bytes_received += len(value)
            self._call_mean = seconds if not self._call_mean else 0.9 * self._call_mean + 0.1 * seconds
            if item.only is not None:
                self._admitted[one.worker] = self._judged(one.worker, kind, value)
                return None, None
            if kind == RAISED:
                raise pickle.loads(value)  # noqa: S301 - of our own worker
            return item, pickle.loads(value)  # noqa: S301
        self._try_again(one, kind, value)
        return None, None

    def _judged(self, worker: Worker, kind: str, value: bytes) -> bool:
        said = pickle.loads(value)  # noqa: S301
        if said is None:
            return True
        self._refusals.append(f"the worker {worker} is not used: {said}")
        _NOTES.warning("%s", self._refusals[-1])
        return False

    def _try_again(self, one: _Try, kind: str, value: Any) -> None:
        item = one.item
        if kind == LACKING:
            one.worker.sent.difference_update(item.parcel.parts)
            self._submit(item, one.worker)
        elif item.only is not None:
            self._admitted.pop(one.worker, None)
        elif kind in (ENDED, HUNG):
            item.ends += 1
            if value == "SIGPROF(-27)" or item.ends >= _MOST_ENDS:
                raise CallLostError(f"{{{value or 'SIGSTOP(-19)'}}}", item.call)
            self._again.append(item)
        else:
            item.tries[one.future.key] = one
            self._lose(one, gone=True, why=value or "")
