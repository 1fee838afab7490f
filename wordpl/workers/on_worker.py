"""What runs inside a worker of a cluster: it hands calls on to processes of its own (`play`), and ends them.

There, and not in a thread of the cluster's own worker, games can be cut short by a signal, native code that crashes
takes nothing else with it, and the whole run can be ended at once. The client asks for these functions by name
(`BY_NAME`), so that neither the scheduler nor a worker has to have this version, or any, before the client knows that
they do.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import cloudpickle

from wordpl.errors import WordplError, error_line
from wordpl.workers.parcels import unpack
from wordpl.workers.settling import Place, exit_code, placed

BY_NAME = "__import__('wordpl.workers.on_worker', fromlist=['*']).answer(message)"
FACTS = (
    "{'python': '.'.join(map(str, __import__('sys').version_info[:2])),"
    " 'wordpl': getattr(__import__('wordpl'), '__version__', '?'),"
    " 'engine': getattr(__import__('wordpl.engine', fromlist=['*']), 'ENGINE_VERSION', '?')}"
)
"""What must be the same on client and worker, for `eval`."""
CALL = f"{BY_NAME} if {FACTS} == own else ('lost', 'a worker of another version')"

DONE, RAISED, ENDED, CANCELLED, HUNG = "done", "raised", "ended", "cancelled", "hung"
LACKING, LOST = "lacking", "lost"
_PLAY = "import sys; from wordpl.workers.on_worker import play; play(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
_ONE_THREAD = ("WORDPL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TICK_SECONDS = 0.5
_IDLE_SECONDS = 600.0
"""After this time without a call a process ends: the client may be gone without a word."""
_MAX_PART_BYTES = 512 << 20


def answer(message: bytes) -> tuple[str, object]:
    """Return what comes of a message (what to do, and its arguments, pickled), and a value. The client is trusted."""
    action, *arguments = pickle.loads(message)  # noqa: S301
    actions: dict[str, Callable[..., tuple[str, object]]] = {"call": _call, "stop": _stop, "close": _close}
    return actions[action](*arguments)


@dataclass
class _Session:
    """What a client has on this worker."""

    folder: tempfile.TemporaryDirectory[str]
    """The files that stop runs."""
    parts: dict[str, bytes] = field(default_factory=dict)
    idle: list[_Process] = field(default_factory=list)
    busy: list[tuple[str, _Process]] = field(default_factory=list)
    """Run and process."""

    def stop_file(self, run: str) -> Path:
        return Path(self.folder.name, f"stop-{run}")


_sessions: dict[str, _Session] = {}
_stopped: set[str] = set()
"""Runs of which no more is wanted."""
_lock = threading.RLock()


def _call(
    name: str, run: str, call: bytes, needed: Collection[str], parts: Mapping[str, bytes], silent: float
) -> tuple[str, object]:
    """Have a process run a call, which needs these parts. The worker keeps those that the client sends along."""
    from distributed import get_worker

    worker = get_worker()
    with _lock:
        if run in _stopped:
            return CANCELLED, None
        if name not in _sessions:
            _sessions[name] = _Session(
                tempfile.TemporaryDirectory(prefix="wordpl-", dir=worker.local_directory, ignore_cleanup_errors=True)
            )
        session = _sessions[name]
        session.parts.update(parts)
        if not session.parts.keys() >= set(needed):
            return LACKING, worker.address
        parts = {digest: session.parts[digest] for digest in needed}
        if sum(map(len, session.parts.values())) > _MAX_PART_BYTES:
            session.parts = dict(parts)
        session.idle = [process for process in session.idle if process.alive]
        process = session.idle.pop() if session.idle else _Process(worker.address)
        session.busy.append((run, process))
    try:
        return process.call(pickle.dumps((call, parts, session.stop_file(run))), silent)
    finally:
        with _lock:
            session.busy.remove((run, process))
            goes_on = process.alive and _sessions.get(name) is session
            if goes_on:
                session.idle.append(process)
        if not goes_on:
            process.close()


def _stop(name: str, run: str, at_once: bool) -> tuple[str, object]:
    """Let the calls of a run begin nothing more, and with `at_once` end those that are under way."""
    with _lock:
        _stopped.add(run)
        session = _sessions.get(name)
        if session is not None:
            session.stop_file(run).touch()
            for of_run, process in session.busy:
                if at_once and of_run == run:
                    process.popen.kill()
    return "stopped", None


def _close(name: str) -> tuple[str, object]:
    """Leave nothing of a session."""
    with _lock:
        session = _sessions.pop(name, None)
        if session is not None:
            for _, process in session.busy:
                process.popen.kill()
            for process in session.idle:
                # Not here: this may be the thread that hears the scheduler.
                threading.Thread(target=process.close, daemon=True).start()
            session.folder.cleanup()
    return "closed", None


class _Process:
    """A process that runs one call after the other."""

    def __init__(self, worker: str) -> None:
        own_end, child_end = socket.socketpair()
        with child_end:
            # A session of its own: a Ctrl-C at the terminal of a worker on this machine is not for it.
            self.popen = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _PLAY, str(child_end.fileno()), str(os.getpid()), worker],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[child_end.fileno()],
                start_new_session=True,
                env=os.environ | dict.fromkeys(_ONE_THREAD, "1"),
            )
        self._connection = Connection(own_end.detach())

    @property
    def alive(self) -> bool:
        """Whether it can take another call."""
        return self.popen.poll() is None and not self._connection.closed

    def call(self, message: bytes, silent: float) -> tuple[str, object]:
        """What the process says of a call, or how it ended; it may be held for `silent` seconds."""

        def send() -> None:
            with suppress(OSError):
                self._connection.send_bytes(message)

        threading.Thread(target=send, daemon=True).start()  # it waits for one that is held
        try:
            last_run = time.monotonic()
            while not self._connection.poll(_TICK_SECONDS):
                moment = time.monotonic()
                if self.popen.poll() is not None:
                    raise EOFError
                if not self._is_held():
                    last_run = moment
                if moment - last_run > silent:
                    self.popen.kill()
                    return HUNG, None
            reply: tuple[str, object] = pickle.loads(self._connection.recv_bytes())  # noqa: S301
            return reply
        except (EOFError, OSError):
            return ENDED, self._how_ended()
        finally:
            if self.popen.poll() is not None:
                self._connection.close()

    def _is_held(self) -> bool:
        """Whether the process is stopped by a signal, or waits for a disk that does not answer (Linux)."""
        with suppress(OSError):
            return Path(f"/proc/{self.popen.pid}/stat").read_text().rpartition(")")[2].split()[0] in "TtD"
        return False

    def _how_ended(self) -> str:
        """As loky puts it: SIGKILL(-9) or EXIT(3)."""
        code = exit_code(self.popen)
        with suppress(ValueError):
            return f"{signal.Signals(-code).name}({code})"
        return f"EXIT({code})"

    def close(self) -> None:
        """Let it end what it has started, then end it."""
        self._connection.close()
        exit_code(self.popen)


def play(descriptor: int, parent: int, worker: str) -> None:
    """In such a process: run the calls from the other end of the connection, in the main thread, until it is closed."""
    connection = Connection(descriptor)
    with placed(Place(parent)):
        try:
            while connection.poll(_IDLE_SECONDS):
                # Of the process that started this.
                call, parts, stop_file = pickle.loads(connection.recv_bytes())  # noqa: S301
                connection.send_bytes(pickle.dumps(_answered(call, parts, Place(parent, stop_file, worker))))
        except (EOFError, OSError):
            return


def _answered(call: bytes, parts: Mapping[str, bytes], where: Place) -> tuple[str, bytes]:
    """What a call returns or raises, as bytes."""
    try:
        function, arguments, keywords = unpack(call, parts)
    except Exception as error:
        text = f"the worker {where.worker} cannot load what it is to run: {error_line(error)}"
        return RAISED, _pickled_error(WordplError(text))
    try:
        with placed(where):
            return DONE, cloudpickle.dumps(function(*arguments, **keywords))
    except BaseException as error:
        return RAISED, _pickled_error(error)


def _pickled_error(error: BaseException) -> bytes:
    """The error itself if it can travel and is no order to end; else a line about it."""
    if isinstance(error, Exception):
        try:
            message: bytes = cloudpickle.dumps(error)
            pickle.loads(message)  # noqa: S301 - made here
        except Exception:  # noqa: S110 - whatever its class does there
            pass
        else:
            return message
    return pickle.dumps(RuntimeError(error_line(error)))
