"""The sandboxes of a cluster's workers, in the place of this machine's.

Here is which workers there are and whether they can rank; `remote_run` plays on them, and `seat` is the other side.
"""

from __future__ import annotations

import logging
import secrets
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from wordpl.contest import cells
from wordpl.contest.cells import MalformedError
from wordpl.contest.machines import Machine
from wordpl.contest.sanitizing import visible
from wordpl.displays import counted, line_of
from wordpl.errors import WordplError, error_line
from wordpl.simulation.tasks import ENGINE_VERSION
from wordpl.workers import WorkerLostError

if TYPE_CHECKING:
    from distributed import Future

    from wordpl.workers.clusters import Cluster

_LOG = logging.getLogger(__name__)

EXAMINE_SECONDS = 60.0
"""How long a worker may take to say what it is, before the others begin without it."""
TICK = 0.1
_FETCH_SECONDS = 30.0


class Call(Protocol):
    """A call of a function on a worker."""

    def done(self) -> bool: ...

    def result(self) -> Any:
        """What it has returned. Raises what it has raised, and `WorkerLostError` if its worker is lost."""

    def cancel(self) -> None: ...


class Workers(Protocol):
    """The workers of a cluster, as far as a ranked run needs them."""

    patience: float
    """Seconds to wait for a worker once none is left."""

    def present(self) -> Mapping[str, tuple[str, int]]:
        """Return name and number of threads of the workers that are there and answer, by their addresses.

        Raises `WorkerLostError` if the cluster itself is lost.
        """

    def call(self, address: str, function: Callable[..., Any], *arguments: object) -> Call:
        """Begin to run a function on one worker, and nowhere else."""

    def wait(self, seconds: float) -> None:
        """Wait until a call is done, or for so long."""


class Remote:
    """The sandboxes of a cluster's workers, in the place of this machine's. Raises `WordplError` if there is none."""

    ranked = True
    scratch = ""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self._calls: dict[str, Call] = {}
        self.machines: dict[str, Machine] = {}
        """Those that can rank, by address."""
        self._refused: dict[str, str] = {}
        begun = monotonic()
        while not self.examine():
            if self._refused and not self._calls:
                why = "; ".join(dict.fromkeys(self._refused.values()))
                raise WordplError(f"no worker of the cluster can rank: {visible(why, 600)}")
            if monotonic() - begun > EXAMINE_SECONDS:
                raise WordplError(f"no worker of the cluster has said within {EXAMINE_SECONDS:g} s whether it can rank")
            workers.wait(TICK)
        while self._calls and monotonic() - begun < EXAMINE_SECONDS:  # so that all that are there are in the record
            workers.wait(TICK)
            self.examine()

    def examine(self) -> dict[str, Machine]:
        """Ask the workers that have come since what they are; return those that are there and can rank, by address."""
        from wordpl.contest.seat import examine  # which imports what imports this

        present = self.workers.present()
        for address, (name, _) in present.items():
            if address not in self.machines and address not in self._refused and address not in self._calls:
                self._calls[address] = self.workers.call(address, examine)
            call = self._calls.get(address)
            if call is not None and call.done():
                del self._calls[address]
                self._learn(address, name, call)
        self._calls = {address: call for address, call in self._calls.items() if address in present}
        return {address: machine for address, machine in self.machines.items() if address in present}

    def _learn(self, address: str, name: str, call: Call) -> None:
        try:
            told = cells.from_json(call.result(), "what it says of itself")
            if not isinstance(told, dict):
                raise MalformedError("what it says of itself is no object")
            if told.get("problem"):
                raise WordplError(f"{visible(str(told['problem']), 200)} (on {visible(str(told.get('host')), 40)})")
            machine = Machine.of({**told, "name": name}, "a worker")
            if machine.engine != ENGINE_VERSION:
                raise WordplError(f"it plays with engine {machine.engine}, this is engine {ENGINE_VERSION}")
        except WorkerLostError:
            return
        except Exception as error:
            self._refused[address] = visible(str(error), 300)
            _LOG.warning("worker %s is not used: %s", visible(name, 80), self._refused[address])
            return
        self.machines[address] = machine

    def describe(self) -> str:
        """In a few words, for the record of a run: the sandboxes of the workers, each kind once."""
        return visible("on a cluster: " + "; ".join(sorted({m.sandbox for m in self.machines.values()})))

    def start(self, *_: object) -> NoReturn:
        """Raise `WordplError`: contestants are started by `RemoteRun`, on the workers."""
        raise WordplError("on a cluster only whole runs are played; this takes a sandbox, or trust, on this machine")

    def __repr__(self) -> str:
        return line_of(self, f"{counted(len(self.machines), 'worker')}, {self.describe()}")


class ClusterWorkers:
    """`Workers` of a cluster that `wordpl.cluster` has connected to."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._done = threading.Event()
        self.patience = cluster.patience

    def present(self) -> Mapping[str, tuple[str, int]]:
        if self._cluster.lost:
            raise WorkerLostError(f"the scheduler at {self._cluster.shown} is gone, or does not answer")
        return {worker.address: (str(worker.name), worker.slots) for worker in self._cluster.usable}

    def call(self, address: str, function: Callable[..., Any], *arguments: object) -> Call:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a submission is large
            future = self._cluster.client.submit(
                function,
                *arguments,
                key=f"wordpl-seat-{secrets.token_hex(8)}",
                workers=[address],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
        future.add_done_callback(lambda _: self._done.set())
        return _ClusterCall(future)

    def wait(self, seconds: float) -> None:
        self._done.wait(seconds)
        self._done.clear()

    def __repr__(self) -> str:
        return line_of(self, repr(self._cluster))


class _ClusterCall:
    def __init__(self, future: Future) -> None:
        self._future = future

    def done(self) -> bool:
        return bool(self._future.done())

    def result(self) -> Any:
        """What it has returned. That lies on the worker, so it may still be lost."""
        if self._future.status in ("cancelled", "lost"):
            raise WorkerLostError("it is gone")
        if self._future.status == "error":
            error = self._future.exception(timeout=_FETCH_SECONDS)
            raise WorkerLostError("it has ended") if type(error).__name__ == "KilledWorker" else error
        try:
            return self._future.result(timeout=_FETCH_SECONDS)
        except Exception as error:  # cancelled, lost, or not to be fetched
            raise WorkerLostError(error_line(error)) from None

    def cancel(self) -> None:
        with suppress(Exception):  # the cluster may be gone
            self._future.release()
