"""Running the long jobs of the library on a cluster of dask's, which schedules, retries, and moves what it needs."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import multiprocessing
import pickle
import re
import secrets
import threading
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from wordpl.base.checks import positive
from wordpl.base.errors import MissingExtraError, WordplError, error_line, one_line
from wordpl.base.workers.calls import Call, Packer, WorkerLostError
from wordpl.base.workers.pool import current
from wordpl.base.workers.processes import LocalWorkers

if TYPE_CHECKING:
    from distributed import Client, Future

_NOTES = logging.getLogger("wordpl")
_CONNECT_SECONDS, _CLOSE_SECONDS, _LOOK_SECONDS = 10.0, 5.0, 1.0
_RETRIES = 2
"""How often dask runs a call again that has ended its process."""
_BATCH_SECONDS, _LONGEST_BATCH_SECONDS = 1.0, 30.0
_CALLS_PER_SECOND = 50
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")


class ClusterWorkers:
    """The workers of a cluster, which come and go. Made by `cluster`."""

    def __init__(self, client: Client, label: str) -> None:
        self.client, self.label = client, label
        self._packer = Packer(elsewhere=True)
        self._parts: dict[bytes, Future] = {}
        self._begun: set[Future] = set()
        self._counted, self._counted_at = 0, -_LOOK_SECONDS

    @property
    def n_jobs(self) -> int:
        if time.monotonic() - self._counted_at > _LOOK_SECONDS:
            with suppress(Exception):  # the scheduler is gone; the futures say so
                self._counted = sum(self.client.nthreads().values())
            self._counted_at = time.monotonic()
        return max(1, self._counted)

    @property
    def batch_seconds(self) -> float:
        return min(max(_BATCH_SECONDS, self.n_jobs / _CALLS_PER_SECOND), _LONGEST_BATCH_SECONDS)

    def submit(self, call: Call) -> Future:
        packed, parts = self._packer.pack(call)
        try:
            for part in parts:
                if part not in self._parts:
                    # A task: what `distributed.Client.scatter` sends is lost with the worker that has it.
                    key = f"wordpl-part-{hashlib.sha256(part).hexdigest()}"
                    self._parts[part] = self.client.submit(bytes, part, key=key)
            key, futures = f"wordpl-{secrets.token_hex(8)}", [self._parts[part] for part in parts]
            future = self.client.submit(run_beside, packed, futures, key=key, pure=False, retries=_RETRIES)
        except Exception as error:
            raise WorkerLostError(f"the scheduler at {self.label} is gone") from error
        self._begun.add(future)
        return future

    def result(self, future: Future, call: Call) -> Any:
        from distributed import KilledWorker

        self._begun.discard(future)
        try:
            outcome = future.result()
        except KilledWorker:
            raise WorkerLostError(f"a call has lost several workers of {self.label}, one after the other") from None
        except ProcessLostError as error:
            raise WorkerLostError.of(error.args[0], call) from None
        except (Exception, asyncio.CancelledError) as error:
            if future.status != "error":  # not the worker's: the future is cancelled, or its result cannot be fetched
                raise WorkerLostError(f"the scheduler at {self.label} is gone") from None
            raise WordplError(f"a worker of {self.label} cannot run a call: {error_line(error)}") from None
        if isinstance(outcome, BaseException):
            raise outcome
        return pickle.loads(outcome)  # noqa: S301 - of our own worker

    def end(self) -> None:
        begun, self._begun = list(self._begun), set()
        thread = threading.Thread(target=self._end_calls, args=(begun,), daemon=True)
        thread.start()
        thread.join(_CLOSE_SECONDS)  # a worker may not answer

    def _end_calls(self, begun: list[Future]) -> None:
        """Dask ends no call that runs, so what has them ends with the processes beside the workers."""
        with suppress(Exception):  # the scheduler is gone
            self.client.cancel(begun, force=True)
            self.client.run(end_beside, on_error="ignore")


class ProcessLostError(Exception):
    """A call has lost its process beside a worker, which ended with this exit code."""


_beside: LocalWorkers | None = None


def run_beside(call: bytes, parts: list[bytes]) -> bytes | BaseException:
    """In a worker of dask's: run a call in a process beside it, and return what that returns or raises.

    There, and not in a thread of dask's, a signal can end a game, and native code that crashes takes nothing with it.
    What this raises itself makes dask run it again.
    """
    from distributed import get_worker

    global _beside
    # Under a nanny it may start no process. It may, for those that we start end with it.
    multiprocessing.current_process().daemon = False
    if (workers := _beside) is None or workers.ended:
        workers = _beside = LocalWorkers(get_worker().state.nthreads)
    future = workers.submit_packed(call, parts)
    try:
        return future.result()
    except BrokenProcessPool:
        raise ProcessLostError(workers.ending()) from None
    except BaseException as error:
        if workers.ended:  # the message that an earlier run is over came late
            raise ProcessLostError(None) from None
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

    Workers may come and go. What a worker had that is lost goes to another. A worker must have the same version of
    WORDPL and of Python. Before the block, up to `wait_seconds`, above 0, are waited for the first worker.

    Raises `MissingExtraError` without the extra `cluster`, and `WordplError` for an address of another form, where
    nobody answers, for which no worker comes, or which has workers of another version. In the block `WorkerLostError`
    is raised if the scheduler is lost.
    """
    wait_seconds = positive("wait_seconds", wait_seconds)
    with ExitStack() as stack:
        client, label = _connected(address, stack)
        try:
            if not client.nthreads():
                _NOTES.info("waiting for the first worker of %s, up to %g s", label, wait_seconds)
            client.wait_for_workers(1, timeout=wait_seconds)
            versions = client.get_versions(packages=["wordpl"])
        except TimeoutError:
            raise WordplError(f"no worker has come to {label} in {wait_seconds:g} s") from None
        except OSError as error:
            raise _unreachable(label, error) from None
        own = _written(versions["client"])
        for worker, found in versions["workers"].items():
            if (there := _written(found)) != own:
                raise WordplError(f"the worker {worker} has {there}; this is {own}; install the same there")
        workers = ClusterWorkers(client, label)
        stack.callback(workers.end)
        token = current.set(workers)
        stack.callback(current.reset, token)
        yield workers


def _written(versions: dict[str, Any]) -> str:
    packages = versions["packages"]
    python = ".".join(packages["python"].split(".")[:2])
    return one_line(f"wordpl {packages.get('wordpl') or 'missing'}, Python {python}")


def _connected(address: object, stack: ExitStack) -> tuple[Client, str]:
    """A client of the cluster, and its label in messages; the stack closes what is made for it."""
    if isinstance(address, str) and not _ADDRESS.fullmatch(address):
        raise WordplError(
            f"cluster address {one_line(address, 60)!r} is not allowed; tcp://HOST:PORT or tls://HOST:PORT is expected"
        )
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("a cluster needs", "cluster") from None
    if isinstance(address, Client):
        return address, one_line(str(address.scheduler.address if address.scheduler else address), 60)
    if isinstance(address, str):
        label = one_line(address, 60)
        # What dask would say on stderr is said in a line of ours.
        for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
            logger = logging.getLogger(name)
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL)
        if address.startswith("tls:"):
            _check_certificates()
    else:
        label = one_line(str(getattr(address, "scheduler_address", type(address).__name__)), 60)
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, name="wordpl")
    except Exception as error:
        raise _unreachable(label, error) from None

    @stack.callback
    def close() -> None:
        with suppress(TimeoutError):  # it would take the place of what is being raised
            client.close(timeout=_CLOSE_SECONDS)

    return client, label


def _unreachable(label: str, error: Exception) -> WordplError:
    reason = re.sub(r"in <[^>]*>: ", "", str(error.__cause__ or error)) or type(error).__name__
    return WordplError(f"the cluster {label} cannot be reached: {one_line(reason)}")


def _check_certificates() -> None:
    """Raise `WordplError` unless dask is told of certificates, for else it cannot end its attempt."""
    from distributed.security import Security

    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except Exception as error:  # a file that is not there, or no certificate
        raise WordplError(f"the certificates for tls:// cannot be read: {error_line(error)}") from None
    if context is None:
        raise WordplError(
            "tls:// needs certificates; DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"
            " and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY name their files"
        )
