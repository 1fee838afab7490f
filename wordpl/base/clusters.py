"""Clusters of dask's on which long jobs run."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any

from wordpl.base.checks import positive
from wordpl.base.errors import MissingExtraError, WordplError, WorkerLostError, one_line

if TYPE_CHECKING:
    from distributed import Client

_NOTES = logging.getLogger("wordpl")
_CONNECT_SECONDS, _CLOSE_SECONDS = 10.0, 5.0
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments and its named arguments, as `joblib.delayed` gives them."""
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")

current: ContextVar[Client | None] = ContextVar("cluster", default=None)
"""The client of the cluster on which long jobs run here; None if they run on this machine."""


@contextmanager
def cluster(address: object, *, wait_seconds: float = 300.0) -> Iterator[Client]:
    """Run every long job of the block on a cluster of dask's: `sweep`, `evaluate`, `compute_win_rate` and the others.

    `address` is that of a scheduler, `"tcp://HOST:PORT"` or `"tls://HOST:PORT"`; or a `distributed.Client` or a cluster
    object, such as those of dask-jobqueue and dask-kubernetes. `jobs` does not count in the block: all workers are
    used. Results are the same, byte for byte, as without a cluster.

    If a worker is lost, another does its work. A worker must have the same version of WORDPL and of Python. The block
    begins when the first worker is there, after at most `wait_seconds`, above 0.

    Raises `MissingExtraError` without the extra `cluster`, and `WordplError` for an address of another form, where
    nobody answers, for which no worker comes, or which has workers of another version.
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
        if isinstance(address, str):  # dask's own words on stderr are said in a line of ours
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
        try:
            if isinstance(address, Client):
                client = address
            else:
                client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, name="wordpl")
                stack.callback(_close, client)
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
        token = current.set(client)
        stack.callback(current.reset, token)
        yield client


def thread_count(client: Client) -> int:
    """Return how many calls the workers of a cluster run at a time: 1 if there is none now."""
    return max(1, sum(int(threads) for threads in client.nthreads().values()))


def outcomes_of(client: Client, calls: Iterator[Call], *, ordered: bool) -> Generator[Any]:
    """Run `calls`, and yield each result as soon as it is there, or in the order of the calls.

    joblib's backend for dask waits for ever for a call whose worker was killed. Raises `WorkerLostError`.
    """
    from distributed import as_completed

    numbers, done, found, due = dict[Any, int](), as_completed(loop=client.loop), dict[int, Any](), 0
    numbered = enumerate(calls)
    try:
        while True:
            for number, call in islice(numbered, max(0, 2 * thread_count(client) - len(numbers))):
                future = client.submit(call[0], *call[1], **call[2], pure=False)
                numbers[future] = number
                done.add(future)
            if not numbers:
                return
            future = next(done)
            number = numbers.pop(future)
            found[number if ordered else due] = future.result()
            while due in found:
                yield found.pop(due)
                due += 1
    except WordplError:
        raise
    except Exception as error:
        raise WorkerLostError(f"the cluster has lost a call: {one_line(str(error)) or type(error).__name__}") from None
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.cancel(list(numbers))


def _close(client: Client) -> None:
    with suppress(TimeoutError):  # it would take the place of the error that is being raised
        client.close(timeout=_CLOSE_SECONDS)


def _written(versions: dict[str, dict[str, str]]) -> str:
    packages = versions["packages"]
    python = ".".join(packages["python"].split(".")[:2])
    return one_line(f"wordpl {packages.get('wordpl') or 'missing'}, Python {python}")
