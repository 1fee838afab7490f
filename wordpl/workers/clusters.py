"""Running the long jobs of the library on a cluster of dask's."""

from __future__ import annotations

import logging
import os
import pickle
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wordpl.checks import positive
from wordpl.errors import MissingExtraError, WordplError, error_line, one_line
from wordpl.workers.on_worker import BY_NAME, FACTS
from wordpl.workers.parcels import Call, Packer
from wordpl.workers.settling import exit_code

if TYPE_CHECKING:
    from distributed import Client, Future

_NOTES = logging.getLogger("wordpl")

_CONNECT_SECONDS = 10.0
_LOOK_SECONDS = 1.0
_CLOSE_SECONDS = 5.0
_MOST_LOCAL = 1024
_LOCAL_SETTINGS = {
    "DASK_LOGGING__DISTRIBUTED": "critical",
    # It would look a hundred times a second at a thread that only waits.
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")
_LOCAL = re.compile(r"local:([0-9]{1,9})")


class CallLostError(BrokenProcessPool):
    """A call ended each process that ran it."""

    def __init__(self, text: str, call: Call) -> None:
        super().__init__(text)
        self.call = call


class ClusterLostError(BrokenProcessPool):
    """The scheduler is gone, or all workers are."""


@dataclass(eq=False)
class Worker:
    """A worker of the cluster, as the client knows it."""

    address: str
    name: str
    slots: int
    """How many calls it runs at a time."""
    seen: Any = None
    """The scheduler's time of its last sign of life."""
    heard_at: float = field(default_factory=time.monotonic)
    """This machine's time when the client learned of that."""
    fits: bool | None = None
    """Whether it has the same versions; None until that is known."""

    def __str__(self) -> str:
        name = one_line(str(self.name), 60)
        return self.address if name in self.address else f"{self.address} ({name})"


class Cluster:
    """A connection to a cluster, whose workers come and go. Made by `cluster`."""

    def __init__(self, client: Client, label: str, silent_seconds: float, wait_seconds: float) -> None:
        self.client, self.label = client, label
        self.silent_seconds, self.wait_seconds = silent_seconds, wait_seconds
        self.is_local = label.startswith("local:")
        self.patience = _CLOSE_SECONDS if self.is_local else wait_seconds
        """Seconds to wait for a worker once all are gone; to `local:N` none comes."""
        self.session = secrets.token_hex(8)
        self.packer = Packer()
        self.sent: Counter[str] = Counter()
        """How often each part was sent."""
        self.own = eval(FACTS)  # noqa: S307 - our own text
        """The versions that a worker must have."""
        self.workers: dict[str, Worker] = {}
        """By address: those that are connected to the scheduler, whether they fit or not."""
        self.calls = self.bytes_sent = self.bytes_received = 0
        """What has gone to workers and come back."""
        self.refusals: list[str] = []
        """What was said of workers that do not fit."""
        self._lock = threading.Lock()
        self._looked_at = time.monotonic()
        self._over = threading.Event()
        threading.Thread(target=self._look_after, daemon=True).start()

    @property
    def usable(self) -> list[Worker]:
        """The workers that fit and have been heard of of late."""
        with self._lock:
            return [worker for worker in self.workers.values() if worker.fits and not self.is_silent(worker)]

    def is_silent(self, worker: Worker) -> bool:
        """Whether a worker has given no sign of life for too long."""
        return time.monotonic() - worker.heard_at > self.silent_seconds

    @property
    def lost(self) -> bool:
        """Whether the scheduler is gone, or does not answer."""
        silent = time.monotonic() - self._looked_at > max(self.silent_seconds, 2 * _LOOK_SECONDS)
        return bool(self.client.status != "running") or silent

    def wait_for_worker(self) -> None:
        """Wait for the first worker that fits. Raises `WordplError` if there is none in time, or those there do not."""
        start, noted = time.monotonic(), False
        while not self.usable:
            if self.lost:
                raise WordplError(f"the scheduler at {self.label} is gone")
            with self._lock:
                refused = bool(self.workers) and all(worker.fits is False for worker in self.workers.values())
            if refused:
                raise WordplError(self.refusals[-1])
            seconds = time.monotonic() - start
            if seconds > self.wait_seconds:
                raise WordplError(f"no worker has come to {self.label} in {self.wait_seconds:g} s")
            if seconds > 2 and not noted and not self.workers and not self.is_local:
                _NOTES.info("waiting for the first worker of %s, up to %g s", self.label, self.wait_seconds)
                noted = True
            time.sleep(0.05)

    def _look_after(self) -> None:
        """Keep the list of workers as the scheduler has it."""
        info: dict[str, Any] = {}
        while True:
            before = info
            with suppress(Exception):
                info = self.client.scheduler_info(n_workers=-1)
            if info is not before and "workers" in info:  # else it did not answer
                self._looked_at = time.monotonic()
                self._take_in(info["workers"])
            if self._over.wait(_LOOK_SECONDS):
                return

    def _take_in(self, listing: dict[str, dict[str, Any]]) -> None:
        new = []
        moment = time.monotonic()
        with self._lock:
            for address in self.workers.keys() - listing.keys():
                del self.workers[address]
            for address, facts in listing.items():
                member = self.workers.get(address)
                if member is None:
                    member = self.workers[address] = Worker(address, facts["name"], max(1, int(facts["nthreads"])))
                    new.append(member)
                if facts["last_seen"] != member.seen:
                    member.seen, member.heard_at = facts["last_seen"], moment
        for worker in new:
            future = self.submit(FACTS, {}, "facts", [worker.address])
            future.add_done_callback(lambda future, worker=worker: self._judge(worker, future))

    def _judge(self, worker: Worker, future: Future) -> None:
        """Take a worker, or refuse it."""
        try:
            if future.cancelled():
                return
            facts = future.result(timeout=self.silent_seconds)
        except (TimeoutError, OSError):
            return
        except Exception as error:
            facts = error_line(error)
        finally:
            future.release()
        if facts == self.own:
            worker.fits = True
            return
        worker.fits = False
        versions = f"cannot say its versions: {facts}" if isinstance(facts, str) else f"has {_written(facts)}"
        line = f"the worker {worker} {versions}; this is {_written(self.own)}; it is not used"
        self.refusals.append(line)
        _NOTES.warning("%s", line)

    def submit(self, source: str, names: dict[str, Any], key: str, workers: Collection[str]) -> Future:
        """Have one of these workers evaluate `source`, or any if none is named."""
        key = f"wordpl-{key}-{secrets.token_hex(8)}"
        return self.client.submit(eval, source, names, key=key, workers=list(workers) or None, pure=False)

    def tell(self, action: str, *arguments: Any) -> None:
        """Have all workers that can be reached do something at once, beside the calls that they run."""
        addresses = [worker.address for worker in self.usable]
        if not addresses or self.lost:
            return
        message = pickle.dumps((action, self.session, *arguments))

        def run() -> None:
            with suppress(Exception):  # then they find out by themselves that nobody wants them
                self.client.run(eval, BY_NAME, {"message": message}, workers=addresses, on_error="ignore")

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(_CLOSE_SECONDS)

    def close(self) -> None:
        """Leave nothing on the workers."""
        self._over.set()
        self.tell("close")


def _written(facts: dict[str, Any]) -> str:
    return one_line("wordpl {wordpl}, engine {engine}, Python {python}".format(**facts))


current: ContextVar[Cluster | None] = ContextVar("cluster", default=None)
"""The cluster on which long jobs run here; None if they run on this machine."""


@contextmanager
def cluster(address: object, *, wait_seconds: float = 300.0, silent_seconds: float = 60.0) -> Iterator[Cluster]:
    """Run every long job of the block on a cluster of dask's: `sweep`, `evaluate`, `compute_win_rate` and the others.

    `address` is that of a scheduler, `"tcp://HOST:PORT"` or `"tls://HOST:PORT"`; `"local:N"`, which starts N worker
    processes here; or a `distributed.Client` or a cluster object, such as those of dask-jobqueue and dask-kubernetes.
    `jobs` does not count in the block: all workers are used. Results are the same, byte for byte, as without a cluster.

    Workers may come and go. What a worker had that is lost, or gives no sign of life for `silent_seconds`, goes to
    another. A worker must have the same version of WORDPL and of Python; others are not used. Before the block, and
    whenever there is no worker, up to `wait_seconds` are waited for one.

    Raises `MissingExtraError` without the extra `cluster`, and `WordplError` for an address of another form, where
    nobody answers, or for which no worker comes. In the block `WorkerLostError` is raised if the scheduler is lost.
    """
    wait_seconds, silent_seconds = positive("wait_seconds", wait_seconds), positive("silent_seconds", silent_seconds)
    with ExitStack() as stack:
        client, label = _connected(address, stack)
        dask_cluster = Cluster(client, label, silent_seconds, wait_seconds)
        stack.callback(dask_cluster.close)
        dask_cluster.wait_for_worker()
        stack.callback(current.reset, current.set(dask_cluster))
        yield dask_cluster


def _connected(address: object, stack: ExitStack) -> tuple[Client, str]:
    """A client of the cluster, and its label in messages; the stack closes what is made for it."""
    local = _LOCAL.fullmatch(address) if isinstance(address, str) else None
    if isinstance(address, str) and not local and not _ADDRESS.fullmatch(address):
        raise WordplError(
            f"cluster address {one_line(address, 60)!r} is not allowed;"
            " tcp://HOST:PORT, tls://HOST:PORT or local:N is expected"
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
    else:
        label = one_line(str(getattr(address, "scheduler_address", type(address).__name__)), 60)
    target = _start_local(int(local[1]), stack) if local else address
    if str(target).startswith("tls:"):
        _check_certificates()
    try:
        client = Client(target, timeout=_CONNECT_SECONDS, set_as_default=False, name="wordpl")
    except Exception as error:
        reason = re.sub(r"in <[^>]*>: ", "", str(error.__cause__ or error)) or type(error).__name__
        raise WordplError(f"the cluster {label} cannot be reached: {one_line(reason)}") from None
    stack.callback(client.close, timeout=_CLOSE_SECONDS)
    return client, label


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


def _start_local(workers: int, stack: ExitStack) -> str:
    """Start a scheduler in this process and workers here, and return its address. The stack ends them."""
    if not 1 <= workers <= _MOST_LOCAL:
        raise WordplError(f"local:{workers} is not allowed; 1 to {_MOST_LOCAL:,} workers are expected")
    from distributed import LocalCluster

    scheduler = LocalCluster(
        n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    stack.callback(scheduler.close, timeout=_CLOSE_SECONDS)
    address = str(scheduler.scheduler_address)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="wordpl-cluster-", ignore_cleanup_errors=True))
    command = [sys.executable, "-P", "-m", "distributed.cli.dask_worker", address, "--local-directory", folder]
    command += ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--death-timeout", "60"]
    for number in range(workers):
        # A session of its own: it is this process that hears Ctrl-C, and decides.
        null, env = subprocess.DEVNULL, os.environ | _LOCAL_SETTINGS
        named = [*command, "--name", str(number)]
        worker = subprocess.Popen(named, env=env, stdin=null, stdout=null, start_new_session=True)  # noqa: S603
        stack.callback(exit_code, worker)
        stack.callback(worker.terminate)
    return address
