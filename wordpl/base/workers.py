"""Calls that run in this process, in worker processes of this machine, or on a cluster of dask's; joblib runs them."""

from __future__ import annotations

import os
import pickle
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import cloudpickle
import joblib

from wordpl.base.clusters import Call, current, outcomes_of, thread_count
from wordpl.base.errors import WordplError, WorkerLostError, error_line
from wordpl.base.lru_cache import LruCache
from wordpl.base.sources import SourceFile, modules_in, sources_of
from wordpl.base.system import FROM_TERMINAL, core_count
from wordpl.base.user_files import load_as_sent

_Packed = tuple[bytes, tuple[SourceFile, ...]]

_packed = LruCache[int, tuple[object, _Packed]](64)
# loky's words on a worker that was idle and has ended.
warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")


def worker_count(jobs: int) -> int:
    """Return how many calls run at a time with `jobs` processes, -1 for one per core; on a cluster that of its threads.

    Raises `WordplError` for 0.
    """
    if jobs == 0:
        raise WordplError("jobs 0 is not allowed; a number of workers is expected, or -1 for one per core")
    if (client := current.get()) is not None:
        return thread_count(client)
    return jobs if jobs > 0 else max(1, core_count() + 1 + jobs)


def run_calls(jobs: int, calls: Iterable[Call], *, ordered: bool = False) -> Generator[Any]:
    """Run `calls` (`joblib.delayed`) in `jobs` processes, 1 or more, or -1 for one per core; 1 is this process.

    Yields each result as soon as it is there, or, if they are `ordered`, in the order of the calls. If a call raises,
    no more are given out, and its error is raised after the results of the others. Ctrl-C ends the workers at once.
    Raises `WorkerLostError` if a worker is lost.
    """
    count, client = worker_count(jobs), current.get()
    if count == 1 and client is None:
        for function, arguments, keywords in calls:
            yield function(*arguments, **keywords)
        return
    os.environ["PYTHONSAFEPATH"] = "1"  # no worker takes modules from the folder where it is started
    failures: list[BaseException] = []
    given_out = _given_out(calls, failures, elsewhere=client is not None)
    if client is None:
        how = "generator" if ordered else "generator_unordered"
        settled: dict[str, Any] = {"initializer": _settle, "initargs": (os.getpid(),)}
        outcomes = joblib.Parallel(count, return_as=how, batch_size=1, max_nbytes=None, **settled)(given_out)
    else:
        outcomes = outcomes_of(client, given_out, ordered=ordered)
    try:
        for value, error in outcomes:
            if error is None:
                yield value
            else:
                failures.append(error)
    except BrokenExecutor as error:
        raise _lost(str(error)) from None
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that results are given up
            outcomes.close()
    if failures:
        raise failures[0]


def _given_out(calls: Iterable[Call], failures: list[BaseException], *, elsewhere: bool) -> Iterator[Call]:
    """The calls as workers get them, until there is a failure. It runs in joblib's threads, too, so it raises none."""
    try:
        for function, arguments, keywords in calls:
            parts = [_pack(part, elsewhere) for part in (partial(function, **keywords), *arguments)]
            yield joblib.delayed(_run)(parts, [] if elsewhere else sys.path)
            if failures:
                return
    except BaseException as error:
        failures.append(error)


def _pack(part: Any, elsewhere: bool) -> _Packed:
    """A part of a call as bytes, with the user's files that it takes; on a cluster these are in the bytes."""
    held = _packed.get(id(part))
    if held is not None and held[0] is part and not elsewhere:
        return held[1]
    try:
        packed = cloudpickle.dumps(part)
        files = {file for name in modules_in(packed) if name != "__main__" for file in sources_of(name).files}
        if elsewhere and files:
            with ExitStack() as stack:
                for module in {sys.modules[file.module] for file in files if file.module in sys.modules}:
                    cloudpickle.register_pickle_by_value(module)
                    stack.callback(cloudpickle.unregister_pickle_by_value, module)
                return cloudpickle.dumps(part), ()
    except WordplError:
        raise
    except Exception as error:  # whatever a class does there
        raise WordplError(f"a call cannot be sent to a worker process: {error_line(error)}") from None
    if _is_frozen(part):
        _packed.put(id(part), (part, (packed, tuple(files))))
    return packed, tuple(files)


def _is_frozen(part: object) -> bool:
    return bool(getattr(getattr(type(part), "__dataclass_params__", None), "frozen", False))


def _run(parts: Sequence[_Packed], path: Sequence[str]) -> tuple[Any, BaseException | None]:
    """In a worker: the value of a call, or its error. `path` is the `sys.path` of the process that sends it."""
    try:
        sys.path[:] = path or sys.path  # which may have grown since this worker was started
        load_as_sent({file for _, files in parts for file in files})
        function, *arguments = [_loaded(packed) for packed, _ in parts]
    except WordplError as error:
        return None, error
    except Exception as error:  # a module that is missing there
        return None, WordplError(f"a worker process cannot load a call: {error_line(error)}")
    try:
        return function(*arguments), None
    except BaseException as error:
        try:
            return None, pickle.loads(pickle.dumps(error))  # noqa: S301 - of our own
        except Exception:
            return None, WordplError(error_line(error))


_frozen = LruCache[bytes, Any](64)


def _loaded(packed: bytes) -> Any:
    """A frozen dataclass, such as a task, is loaded once: what is cached by it, or in it, then stays small."""
    part = _frozen.get(packed)
    if part is None:
        part = pickle.loads(packed)  # noqa: S301 - of our own client
        if _is_frozen(part):
            _frozen.put(packed, part)
    return part


def _lost(ends: str) -> WorkerLostError:
    """The error about workers of which loky says `ends`, such as "... {SIGKILL(-9)} ..."."""
    # loky kills the other workers with SIGKILL, so another signal is the cause.
    names = sorted(set(re.findall(r"(\w+)\(-?\d+\)", ends)), key="SIGKILL".__eq__)
    advice = ", probably because memory ran out; fewer workers (--jobs) need less"
    if names[:1] != ["SIGKILL"]:
        advice = ": native code crashed, perhaps code that a strategy uses" if names else ""
    return WorkerLostError(f"a worker process ended ({names[0] if names else 'how is unknown'}){advice}")


def _settle(parent: int) -> None:
    """In a worker, at its start: hear no signal of the terminal, and end with the process that started it."""
    for signum in FROM_TERMINAL:
        signal.signal(signum, signal.SIG_IGN)

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
