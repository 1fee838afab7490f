"""Clusters of dask's on which long jobs run."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from wordpl.base.checks import positive
from wordpl.base.errors import MissingExtraError, WordplError, one_line

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_SECONDS, _CLOSE_SECONDS = 10.0, 5.0
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
    nobody answers, or for which no worker comes, and for workers with another version of WORDPL.
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
                # It is closed here if it cannot connect, too. Else Python closes it when it finds it: if it does while
                # another client starts, that one waits for ever.
                client = Client.__new__(Client)
                stack.callback(_close, client)
                client.__init__(address, timeout=_CONNECT_SECONDS, set_as_default=False, name="wordpl")
            client.wait_for_workers(1, timeout=wait_seconds)
            versions = client.get_versions(packages=["wordpl"])
        except TimeoutError:
            raise WordplError(f"no worker joined {label} within {wait_seconds:g} s") from None
        except Exception as error:
            reason = re.sub(r"in <[^>]*>: ", "", str(error.__cause__ or error)) or type(error).__name__
            raise WordplError(f"the cluster {label} cannot be reached: {one_line(reason)}") from None
        if len({one["packages"].get("wordpl") for one in (versions["client"], *versions["workers"].values())}) > 1:
            raise WordplError(f"a worker of {label} has another version of wordpl; install the same there")
        stack.callback(current.reset, current.set(client))
        yield client


def _close(client: Client) -> None:
    with suppress(TimeoutError):  # it would take the place of the error that is being raised
        client.close(timeout=_CLOSE_SECONDS)
