"""Workers of a cluster for tests: threads of this process, which can be lost, join late, lie, or never answer."""

from __future__ import annotations

import json
import pickle
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.contest.test_run_of_entry import Counted
from wordpl.contest import seat
from wordpl.workers import WorkerLostError

Changed = Callable[[dict[str, Any]], object]


class Threads:
    """`remote.Workers`, each a pool of threads; what goes to them is pickled, as it is where it travels."""

    def __init__(self, names: Iterable[str] = ("one", "two"), threads: int = 1, patience: float = 1.0) -> None:
        self.patience = patience
        self._threads = threads
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._names: dict[str, str] = {}
        self._waking = threading.Event()
        self.lies: dict[str, Changed] = {}
        """By name of a worker: what becomes of its reports."""
        self.silent: dict[str, Callable[[], None]] = {}
        """By name of a worker that never answers once it is to play: what happens instead."""
        self.told: dict[str, str] = {}
        """By name: what a worker says of itself, if not the truth."""
        self.calls: list[tuple[str, str, int]] = []
        """Name of the worker, name of the function, bytes of the arguments."""
        for name in names:
            self.join(name)

    def join(self, name: str) -> None:
        address = f"tcp://{len(self._names)}"
        self._names[address] = name
        self._pools[address] = ThreadPoolExecutor(self._threads)

    def lose(self, name: str) -> None:
        """Take a worker away; its calls raise `WorkerLostError`."""
        for address in [address for address in self._pools if self._names[address] == name]:
            del self._pools[address]

    def present(self) -> Mapping[str, tuple[str, int]]:
        return {address: (self._names[address], self._threads) for address in self._pools}

    def call(self, address: str, function: Callable[..., Any], *arguments: object) -> _Call:
        name, packed = self._names[address], pickle.dumps(arguments)
        self.calls.append((name, function.__name__, len(packed)))
        return _Call(self, address, self._pools[address].submit(self._run, name, function, packed))

    def _run(self, name: str, function: Callable[..., Any], packed: bytes) -> Any:
        try:
            if function is seat.examine and name in self.told:
                return self.told[name]
            if function is seat.exchange and name in self.silent and pickle.loads(packed)[2] is not None:  # noqa: S301
                self.silent[name]()
                return _NEVER
            found = function(*pickle.loads(packed))  # noqa: S301
            if function is seat.exchange and name in self.lies:
                changed = self.lies[name](json.loads(found))
                return changed if isinstance(changed, str) else json.dumps(changed)
            return found
        finally:
            self._waking.set()

    def wait(self, seconds: float) -> None:
        self._waking.wait(min(seconds, 0.02))
        self._waking.clear()

    def has(self, address: str) -> bool:
        return address in self._pools


_NEVER = object()


class _Call:
    def __init__(self, workers: Threads, address: str, future: Future[Any]) -> None:
        self._workers, self._address, self._future = workers, address, future

    def done(self) -> bool:
        return self._future.done() and (self._future.cancelled() or self._future.result() is not _NEVER)

    def result(self) -> Any:
        if not self._workers.has(self._address):
            raise WorkerLostError("it is gone")
        return self._future.result()

    def cancel(self) -> None:
        self._future.cancel()


class Sandboxed(Counted):
    """Stands for the sandbox of a worker; one for all, so that it counts the starts of a run."""

    def describe(self) -> str:
        return "no sandbox, for tests"
