"""What runs inside a worker of a cluster: it hands calls on to processes of its own, and ends them.

The client asks for these functions by name (`BY_NAME`), so that neither the scheduler nor a worker has to have this
version, or any, before the client knows that they do.
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
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from wordpl.workers.player import LACKING

BY_NAME = "__import__('wordpl.workers.on_worker', fromlist=['*']).answer(message)"
FACTS = (
    "{'python': '.'.join(map(str, __import__('sys').version_info[:2])),"
    " 'wordpl': getattr(__import__('wordpl'), '__version__', '?'),"
    " 'engine': getattr(__import__('wordpl.engine', fromlist=['*']), 'ENGINE_VERSION', '?')}"
)
"""What must be the same on client and worker, for `eval`."""

ENDED, CANCELLED, HUNG = "ended", "cancelled", "hung"
_PLAYER = "import sys; from wordpl.workers.player import main; main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
_ONE_THREAD = ("WORDPL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TICK_SECONDS = 0.5
_CLOSE_SECONDS = 5.0
_IDLE_SECONDS = 600.0
"""After this time without a call the processes of a session end: its client may be gone without a word."""
_MAX_PART_BYTES = 512 << 20
_RUNS_KEPT = 1000


@dataclass(frozen=True)
class Order:
    """A call, as the client sends it."""

    session: str
    run: str
    worker: str
    """The address of the worker it is sent to."""
    call: bytes
    needs: tuple[str, ...]
    parts: dict[str, bytes]
    """Those of them that this worker has not been sent before."""
    silent_seconds: float
    call_seconds: float | None


def answer(message: bytes) -> tuple[str, object, float]:
    """Do what a message says: what, and its arguments, pickled. The client's code runs here, so it is trusted.

    Returns what came of it, a value, and how many seconds it took.
    """
    what, *arguments = pickle.loads(message)  # noqa: S301
    actions: dict[str, Callable[..., tuple[str, object]]]
    actions = {"call": _call, "stop": _stop, "end": _end, "close": _close}
    begun = time.perf_counter()
    kind, value = actions[what](*arguments)
    return kind, value, time.perf_counter() - begun


@dataclass
class _Session:
    """What a client has on this worker."""

    parts: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    idle: list[_Process] = field(default_factory=list)
    busy: list[tuple[str, _Process]] = field(default_factory=list)
    """Run and process."""
    ended: OrderedDict[str, None] = field(default_factory=OrderedDict)
    """Runs of which no more is wanted."""
    used_at: float = field(default_factory=time.monotonic)


_sessions: dict[str, _Session] = {}
_lock = threading.RLock()


def _session(name: str) -> _Session:
    if name not in _sessions:
        _sessions[name] = _Session()
        threading.Thread(target=_close_when_idle, args=(name,), daemon=True).start()
    _sessions[name].used_at = time.monotonic()
    return _sessions[name]


def _close_when_idle(name: str) -> None:
    while True:
        time.sleep(_IDLE_SECONDS / 20)
        with _lock:
            session = _sessions.get(name)
            if session is None:
                return
            if not session.busy and time.monotonic() - session.used_at > _IDLE_SECONDS:
                break
    _close(name)


def _call(order: Order) -> tuple[str, object]:
    with _lock:
        session = _session(order.session)
        session.parts.update(order.parts)
        lacking = [digest for digest in order.needs if digest not in session.parts]
        if order.run in session.ended:
            return CANCELLED, None
        if lacking:
            return LACKING, lacking
        parts = {digest: session.parts[digest] for digest in order.needs}
        for digest in order.needs:
            session.parts.move_to_end(digest)
        size = sum(map(len, session.parts.values()))
        while size > _MAX_PART_BYTES and len(session.parts) > len(order.needs):
            size -= len(session.parts.popitem(last=False)[1])
        process = session.idle.pop() if session.idle else _Process(order.worker)
        session.busy.append((order.run, process))
    try:
        return process.call(order, parts, stop_file(order.run))
    finally:
        with _lock:
            session.busy.remove((order.run, process))
            session.used_at = time.monotonic()
            goes_on = process.alive and _sessions.get(order.session) is session
            if goes_on:
                session.idle.append(process)
        if not goes_on:
            process.close()


def _stop(session_name: str, run: str) -> tuple[str, object]:
    """Let the calls of a run begin nothing more."""
    with suppress(OSError):
        stop_file(run).touch(0o600)
    return "stopped", None


def _end(session_name: str, run: str) -> tuple[str, object]:
    """End the calls of a run now, and leave nothing of it."""
    with _lock:
        session = _sessions.get(session_name)
        if session is not None:
            session.ended[run] = None
            while len(session.ended) > _RUNS_KEPT:
                session.ended.popitem(last=False)
            for of_run, process in session.busy:
                if of_run == run:
                    process.kill()
    with suppress(OSError):
        stop_file(run).unlink()
    return "ended", None


def _close(session_name: str) -> tuple[str, object]:
    """Leave nothing of a session."""
    with _lock:
        session = _sessions.pop(session_name, None)
        if session is not None:
            for _, process in session.busy:
                process.kill()
            for process in session.idle:
                # Not here: this may be the thread that hears the scheduler.
                threading.Thread(target=process.close, daemon=True).start()
    return "closed", None


def stop_file(run: str) -> Path:
    """The file that stops the calls of a run on this machine."""
    return Path(tempfile.gettempdir(), f"wordpl-stop-{run}-{os.getpid()}")


class _Process:
    """A process that runs one call after the other (`wordpl.workers.player`)."""

    def __init__(self, worker: str) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # A session of its own: a Ctrl-C at the terminal of a worker on this machine is not for it.
            self._popen = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _PLAYER, str(theirs.fileno()), str(os.getpid()), worker],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=os.environ | dict.fromkeys(_ONE_THREAD, "1"),
            )
        self._connection = Connection(ours.detach())

    @property
    def alive(self) -> bool:
        """Whether it can take another call."""
        return self._popen.poll() is None and not self._connection.closed

    def call(self, order: Order, parts: dict[str, bytes], stop: Path) -> tuple[str, object]:
        """What the process says of a call, or how it ended."""
        try:
            self._connection.send_bytes(pickle.dumps((order.call, order.needs, str(stop))))
            kind, value = self._answer(order)
            if kind == LACKING:
                self._connection.send_bytes(pickle.dumps({digest: parts[digest] for digest in value}))
                kind, value = self._answer(order)
            return kind, value
        except (EOFError, OSError):
            return ENDED, self._how_ended()
        except _HungError:
            return HUNG, None
        finally:
            if self._popen.poll() is not None:
                self._connection.close()

    def _answer(self, order: Order) -> tuple[str, list[str]]:
        begun = moved = time.monotonic()
        while not self._connection.poll(_TICK_SECONDS):
            now = time.monotonic()
            if self._popen.poll() is not None:
                raise EOFError
            if not self._is_held():
                moved = now
            overdue = order.call_seconds is not None and now - begun > order.call_seconds
            if overdue or now - moved > order.silent_seconds:
                self.kill()
                raise _HungError
        answered: tuple[str, list[str]] = pickle.loads(self._connection.recv_bytes())  # noqa: S301
        return answered

    def _is_held(self) -> bool:
        """Whether the process is stopped by a signal, or waits for a disk that does not answer (Linux)."""
        try:
            state = Path(f"/proc/{self._popen.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            return False
        return state in "TtD"

    def _how_ended(self) -> str:
        """As loky puts it: SIGKILL(-9) or EXIT(3)."""
        try:
            code = self._popen.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._popen.wait()
        with suppress(ValueError):
            return f"{signal.Signals(-code).name}({code})"
        return f"EXIT({code})"

    def kill(self) -> None:
        """End it now."""
        with suppress(ProcessLookupError):
            self._popen.kill()

    def close(self) -> None:
        """Let it end what it has started, then end it."""
        self._connection.close()
        try:
            self._popen.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._popen.wait()


class _HungError(Exception):
    """A process does not go on."""
