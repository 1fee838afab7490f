"""Running a kernel over many guesses, in threads where that pays."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.entropy import Floats
from wordpl.scoring.noise import LANES

# Below this many histogram entries a second thread costs more than it saves.
_ALONE = 200_000


def run_kernel(
    kernel: Callable[..., None], clues: NDArray[Any], guesses: NDArray[np.int64], *arguments: Any, work: int
) -> Floats:
    """Run `kernel(clues, guesses, *arguments, out)`, in threads if there is much `work`: what it fills, [guesses]."""
    n, out = len(guesses), np.empty(len(guesses))

    def run(bounds: slice) -> None:
        kernel(clues, guesses[bounds], *arguments, out[bounds])

    threads = thread_count() if work >= _ALONE else 1
    if threads == 1:
        run(slice(0, n))
    else:
        step = -(-n // (threads * LANES)) * LANES
        list(_pool(threads, os.getpid()).map(run, (slice(i, i + step) for i in range(0, n, step))))
    return out


@lru_cache(maxsize=1)
def thread_count() -> int:
    """Return how many threads scoring uses: the cores of this process, or fewer in a worker."""
    # The first is set in workers (`wordpl.base.workers`), so that threads and workers do not multiply.
    limit = os.environ.get("WORDPL_NUM_THREADS") or os.environ.get("NUMBA_NUM_THREADS", "")
    if limit in ("0", "1"):
        return 1
    import joblib  # half of the start of a run in one process

    cores = int(joblib.cpu_count())
    return min(cores, int(limit)) if limit.isdigit() else cores


@lru_cache(maxsize=1)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked child (another `process`) must make its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="wordpl")
