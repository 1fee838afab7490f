"""Running long jobs on a dask cluster. Dask schedules the calls, retries them, and moves their data."""

from __future__ import annotations

import logging
import multiprocessing
import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from wordpl.base.checks import positive
from wordpl.base.errors import MissingExtraError, WordplError, error_line, one_line
from wordpl.base.workers.processes import LocalWorkers, WorkerLostError

if TYPE_CHECKING:
    from distributed import Client, Future

_NOTES = logging.getLogger("wordpl")
_CONNECT_SECONDS, _CLOSE_SECONDS, _LOOK_SECONDS = 10.0, 5.0, 1.0
_RETRIES = 2
"""How often dask runs a call again that has ended its process."""
_SHARED_BYTES = 1000
"""Longer arguments are sent to a worker once, as calls often share them: a task with words of its own."""
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")


class ClusterWorkers:
    """The workers of a cluster, which come and go. Made by `cluster`; its methods are those of `LocalWorkers`."""

    def __init__(self, client: Client, label: str) -> None:
        self.client, self.label = client, label
        self._shared: dict[bytes, Future] = {}
        self._count, self._look_at = 1, 0.0

    @property
    def n_jobs(self) -> int:
        if time.monotonic() > self._look_at:
            with suppress(Exception):  # the scheduler is gone; the futures say so
                self._count = max(1, sum(self.client.nthreads().values()))
            self._look_at = time.monotonic() + _LOOK_SECONDS
        return self._count

    def submit(self, call: list[bytes]) -> Future:
        try:
            for part in call:
                if len(part) > _SHARED_BYTES and part not in self._shared:
                    # A task: what `distributed.Client.scatter` sends is lost with the worker that has it.
                    self._shared[part] = self.client.submit(bytes, part)
            packed = [self._shared.get(part, part) for part in call]
            return self.client.submit(run_beside, packed, pure=False, retries=_RETRIES)
        except Exception as error:
            raise WorkerLostError(f"the scheduler at {self.label} does not answer any more") from error

    def result(self, future: Future) -> bytes:
        from asyncio import CancelledError

        from distributed import KilledWorker

        try:
            outcome: bytes | BaseException = future.result()
        except KilledWorker:
            raise WorkerLostError(f"a call has lost several workers of {self.label}, one after the other") from None
        except WorkerLostError:
            raise
        except (Exception, CancelledError) as error:
            if future.status != "error":  # not the worker's: the future is cancelled, or its result cannot be fetched
                raise WorkerLostError(f"the scheduler at {self.label} does not answer any more") from None
            raise WordplError(f"a worker of {self.label} cannot run a call: {error_line(error)}") from None
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def end(self, running: Iterable[Future] = ()) -> None:
        thread = threading.Thread(target=self._end_calls, args=(list(running),), daemon=True)
        thread.start()
        thread.join(_CLOSE_SECONDS)  # a worker may not answer

    def _end_calls(self, running: list[Future]) -> None:
        """Dask cannot end a running call, so the processes beside its workers are ended."""
        with suppress(Exception):  # the scheduler is gone
            self.client.cancel(running, force=True)
            self.client.run(end_beside, on_error="ignore")


current: ContextVar[ClusterWorkers | None] = ContextVar("cluster", default=None)
"""The cluster on which long jobs run here; None if they run on this machine."""
_beside: LocalWorkers | None = None


def run_beside(call: list[bytes]) -> bytes | BaseException:
    """In a worker of dask's: run a call in a process beside it, and return what that returns or raises.

    In a process of its own, a signal can end a game, and a crash ends nothing else. If this raises, dask retries it.
    """
    from distributed import get_worker

    global _beside
    # Under a nanny it may start no process. It may, for those that we start end with it.
    multiprocessing.current_process().daemon = False
    workers = _beside = _beside or LocalWorkers(get_worker().state.nthreads)
    future = workers.submit(call)
    try:
        return workers.result(future)
    except WorkerLostError:  # it crashed, or the message that an earlier run is over came late
        raise
    except BaseException as error:
        return error


def end_beside() -> None:
    """In a worker of dask's: end the processes beside it."""
    if _beside is not None:
        threading.Thread(target=_beside.end, daemon=True).start()  # this is the thread that hears the scheduler


@contextmanager
def cluster(address: object, *, wait_seconds: float = 300.0) -> Iterator[ClusterWorkers]:
    """Run every long job of the block on a cluster of dask's: `sweep`, `evaluate`, `compute_win_rate` and the others.

    `address` is that of a scheduler, `"tcp://HOST:PORT"` or `"tls://HOST:PORT"`; or a `distributed.Client` or a cluster
    object, such as those of dask-jobqueue and dask-kubernetes. `jobs` does not count in the block: all workers are
    used. Results are the same, byte for byte, as without a cluster.

    Workers may come and go. If a worker is lost, another does its work. A worker must have the same version of WORDPL
    and of Python. The block begins when the first worker is there, after at most `wait_seconds`, above 0.

    Raises `MissingExtraError` without the extra `cluster`, and `WordplError` for an address of another form, where
    nobody answers, for which no worker comes, or which has workers of another version. In the block `WorkerLostError`
    is raised if the scheduler is lost.
    """
    wait_seconds, label = positive("wait_seconds", wait_seconds), one_line(str(address), 60)
    if isinstance(address, str) and not _ADDRESS.fullmatch(address):
        raise WordplError(f"cluster address {label!r} is not allowed; tcp://HOST:PORT or tls://HOST:PORT is expected")
    try:
        from distributed import Client
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise MissingExtraError("a cluster needs", "cluster") from None
    with ExitStack() as stack:
        if isinstance(address, str):  # what dask would say on stderr is said in a line of ours
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
        try:
            client = address if isinstance(address, Client) else stack.enter_context(_connected(address))
            if not client.nthreads():
                _NOTES.info("waiting for the first worker of %s, up to %g s", label, wait_seconds)
            client.wait_for_workers(1, timeout=wait_seconds)
            versions = client.get_versions(packages=["wordpl"])
        except TimeoutError:
            raise WordplError(f"no worker joined {label} within {wait_seconds:g} s") from None
        except Exception as error:
            reason = re.sub(r"in <[^>]*>: ", "", str(error.__cause__ or error)) or type(error).__name__
            raise WordplError(f"the cluster {label} cannot be reached: {one_line(reason)}") from None
        own = _written(versions["client"])
        for worker, found in versions["workers"].items():
            if (there := _written(found)) != own:
                raise WordplError(f"the worker {worker} has {there}; this is {own}; install the same there")
        workers = ClusterWorkers(client, label)
        stack.callback(workers.end)
        token = current.set(workers)
        stack.callback(current.reset, token)
        yield workers


@contextmanager
def _connected(address: object) -> Iterator[Client]:
    from distributed import Client, Security

    # Without certificates dask cannot end its attempt.
    if str(address).startswith("tls:") and Security().get_connection_args("client").get("ssl_context") is None:
        raise ValueError(
            "dask has no certificates; DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"
            " and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY name their files"
        )
    client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, name="wordpl")
    try:
        yield client
    finally:
        with suppress(TimeoutError):  # it would take the place of what is being raised
            client.close(timeout=_CLOSE_SECONDS)


def _written(versions: dict[str, Any]) -> str:
    packages = versions["packages"]
    python = ".".join(packages["python"].split(".")[:2])
    return one_line(f"wordpl {packages.get('wordpl') or 'missing'}, Python {python}")
