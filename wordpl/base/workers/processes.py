"""Worker processes of this machine, from loky's executor: how calls get there, how they start, and how they end."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import lru_cache, partial
from multiprocessing import resource_tracker
from types import ModuleType
from typing import Any

import cloudpickle
from joblib.externals import loky
from joblib.externals.loky.process_executor import ShutdownExecutorError

from wordpl.base.errors import WordplError, error_line
from wordpl.base.fingerprint import is_installed
from wordpl.base.lru_cache import LruCache
from wordpl.base.system import FROM_TERMINAL
from wordpl.base.user_files import USER_FILES, contents

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments and its named arguments, as `joblib.delayed` gives them."""

_IDLE_SECONDS = 300.0
_HELPERS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore"}
_THREADS = [f"{name}_NUM_THREADS" for name in ("WORDPL", "NUMBA", "OMP", "OPENBLAS", "MKL")]
_LOST = loky.BrokenProcessPool, ShutdownExecutorError

_lock = threading.Lock()
"""The environment is one for all threads."""


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""

    signum: int | None = None
    """The signal that ended it, if it is known."""
    call: Call | None = None
    """What it ran, or the oldest call of those that were running, if that is known."""

    @classmethod
    def of(cls, ends: str) -> WorkerLostError:
        """The error about workers of which loky says `ends`, such as "... {SIGKILL(-9)} ..."."""
        # loky kills the other workers with SIGKILL, so another signal is the cause.
        found = sorted(re.findall(r"(\w+)\((-?\d+)\)", ends), key=lambda end: end[0] == "SIGKILL")
        name, code = found[0] if found else ("how is unknown", "0")
        message = f"a worker process ended ({name if int(code) <= 0 else f'exit code {code}'})"
        if name == "SIGKILL":
            message += ", probably because memory ran out; fewer workers (--jobs) need less"
        elif name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"):
            message += ": native code crashed, perhaps code that a strategy uses"
        error = cls(message)
        error.signum = -int(code) if int(code) < 0 else None
        return error


def pack(call: Call, *, elsewhere: bool = False) -> list[bytes]:
    """Return a call as bytes: the user's files that it names, its function, and each of its arguments.

    With `elsewhere`, code that is not installed travels by value: a script, a notebook, the modules beside a file.
    Raises `WordplError` for one that cannot be pickled.
    """
    function, arguments, keywords = call
    try:
        with ExitStack() as stack:
            for module in _local_modules() if elsewhere else ():
                cloudpickle.register_pickle_by_value(module)
                stack.callback(cloudpickle.unregister_pickle_by_value, module)
            packed = [cloudpickle.dumps(value) for value in (partial(function, **keywords), *arguments)]
        files = {
            name: content
            for name, content in contents.items()
            if not elsewhere and any(name.encode() in value for value in packed)
        }
        return [pickle.dumps(files), *packed]
    except Exception as error:  # whatever a class does there
        raise WordplError(f"a call cannot be sent to a worker process: {error_line(error)}") from None


_is_installed = lru_cache(maxsize=4096)(is_installed)


def _local_modules() -> list[ModuleType]:
    """The modules that a worker elsewhere need not have: it has what is installed, and this package."""
    names = {"__main__", *cloudpickle.list_registry_pickle_by_value()}
    return [
        module
        for name, module in list(sys.modules.items())
        if name not in names
        and (name.partition(".")[0] != "wordpl" or name.startswith(USER_FILES))
        and name == getattr(module, "__name__", "")
        and (file := getattr(module, "__file__", None) or "").endswith(".py")
        and not _is_installed(file)
    ]


def run_packed(call: list[bytes]) -> bytes:
    """In a worker: return what a call returns, pickled."""
    try:
        contents.update(pickle.loads(call[0]))  # noqa: S301 - of our own client
        function, *arguments = map(_loaded, call[1:])
    except Exception as error:  # a module that is missing there
        raise WordplError(f"a worker process cannot load a call: {error_line(error)}") from None
    return cloudpickle.dumps(function(*arguments))  # type: ignore[no-any-return]


_frozen = LruCache[bytes, Any](8)


def _loaded(packed: bytes) -> Any:
    """A frozen dataclass, such as a task, is loaded once: what is cached by it, or in it, then stays small."""
    value = _frozen.get(packed)
    if value is None:
        value = pickle.loads(packed)  # noqa: S301 - of our own client
        parameters = getattr(type(value), "__dataclass_params__", None)
        if parameters is not None and parameters.frozen:
            _frozen.put(packed, value)
    return value


class LocalWorkers:
    """Worker processes of this machine, `n_jobs` of them. Those of an earlier run are used again."""

    def __init__(self, count: int) -> None:
        self.n_jobs = count
        # What loky says of a worker that it replaces is of no use to whoever runs this.
        warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")
        environment = {name: os.environ.get(name, "1") for name in _THREADS}
        environment |= {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "")}
        self._arguments = count, os.getpid(), tuple(environment.items())
        with _starting():  # loky's helpers
            self._executor = _executor(*self._arguments)
        self._last: Future[bytes] | None = None

    def submit(self, call: list[bytes]) -> Future[bytes]:
        """Begin a packed call, which may start workers; its future, with `add_done_callback`."""
        with _starting():
            while True:
                try:
                    self._last = self._executor.submit(run_packed, call)
                    return self._last
                except _LOST:  # since the last call, whose result says so
                    _executor.cache_clear()
                    self._executor = _executor(*self._arguments)

    def result(self, future: Future[bytes]) -> bytes:
        """What a call that is done has returned, pickled. Raises what it raised, and `WorkerLostError`."""
        try:
            return future.result()
        except _LOST as error:
            raise WorkerLostError.of(str(error)) from None

    def end(self, running: object = ()) -> None:
        """End what runs now, the `running` futures among it. The next call starts processes anew."""
        # loky's thread fails if the workers are killed while a call waits for it to pass the call on.
        while self._last is not None and not (self._last.running() or self._last.done()):
            time.sleep(0.001)
        self._executor.shutdown(kill_workers=True)


@lru_cache(maxsize=1)
def _executor(count: int, parent: int, environment: tuple[tuple[str, str], ...]) -> loky.ProcessPoolExecutor:
    """The processes of the last run. loky's reusable executor would also be that of `joblib.Parallel` in a user's code,
    which cannot work with ours."""
    return loky.ProcessPoolExecutor(
        count, timeout=_IDLE_SECONDS, initializer=_settle, initargs=(parent,), env=dict(environment)
    )


@contextmanager
def _starting() -> Iterator[None]:
    """Have the processes that the block starts hear no signal of their terminal, however early. Keep the current folder
    off the path of those that are Python's, loky's helpers too, and what the helpers warn of."""
    with _lock:
        before = {name: os.environ.get(name) for name in _HELPERS}
        os.environ.update(_HELPERS)
        # Starting the first worker would start this process of Python's too, which unblocks SIGINT when it is done.
        resource_tracker.ensure_running()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            for name, value in before.items():
                os.environ.pop(name)
                os.environ |= {} if value is None else {name: value}


def _settle(parent: int) -> None:
    """Make this process a good worker."""
    # loky has made its own way to start processes the usual one, which those that a strategy starts do not know.
    multiprocessing.set_start_method(None, force=True)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once its parent has ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
