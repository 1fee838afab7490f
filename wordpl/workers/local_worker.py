"""A worker of dask's in a process of its own on this machine, for `wordpl.cluster("local:N")`."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading

import dask
from distributed import Worker

from wordpl.workers.settling import end_with


async def _work(address: str, name: str, folder: str) -> None:
    worker = Worker(
        address,
        nthreads=1,
        name=name,
        host="127.0.0.1",
        dashboard=False,
        memory_limit=0,  # the calls run in processes of their own
        local_directory=folder,
    )
    await worker
    await worker.finished()


def main(address: str, parent: int, name: str, folder: str) -> None:
    """Work for the scheduler at `address` until it or the process `parent` ends, with files of dask's in `folder`."""
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # It would look a hundred times a second at a thread that only waits.
    dask.config.set({"distributed.worker.profile.enabled": False})
    asyncio.run(_work(address, name, folder))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
