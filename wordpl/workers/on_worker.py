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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

BY_NAME = "__import__('wordpl.workers.on_worker', fromlist=['*']).answer(message)"
FACTS = (
    "{'python': '.'.join(map(str, __import__('sys').version_info[:2])),"
    " 'wordpl': getattr(__import__('wordpl'), '__version__', '?'),"
    " 'engine': getattr(__import__('wordpl.engine', fromlist=['*']), 'ENGINE_VERSION', '?')}"
)
"""What must be the same on client and worker, for `eval`."""
CALL = f"{BY_NAME} if {FACTS} == own else ('lost', 'a worker of another version')"

ENDED, CANCELLED, HUNG, LOST = "ended", "cancelled", "hung", "lost"
_PLAYER = "import sys; from wordpl.workers.player import main; main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
_ONE_THREAD = ("WORDPL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TICK_SECONDS = 0.5
_CLOSE_SECONDS = 5.0
_MAX_PART_BYTES = 512 << 20


def answer(message: bytes) -> tuple[str, object]:
    """Do what a message says: what, and its arguments, pickled. The client's code runs here, so it is trusted.

    Returns what came of it, and a value.
    """
    what, *arguments = pickle.loads(message)  # noqa: S301
    actions: dict[str, Callable[..., tuple[str, object]]] = {"call": _call, "stop": _stop, "close": _close}
    return actions[what](*arguments)


@dataclass
class _Session:
    """What a client has on this worker."""

    folder: tempfile.TemporaryDirectory[str]
    """Parts, each in a file with its digest as its name, and the files that stop runs."""
    size: int = 0
    """Bytes of the parts."""
    idle: list[_Process] = field(default_factory=list)
    busy: list[tuple[str, _Process]] = field(default_factory=list)
    """Run and process."""

    def keep(self, parts: Mapping[str, bytes]) -> None:
        """Write parts to the folder; where they become too many, those that were there go."""
        folder = Path(self.folder.name)
        new = {digest: part for digest, part in parts.items() if not (folder / digest).exists()}
        self.size += sum(map(len, new.values()))
        if self.size > _MAX_PART_BYTES:
            for path in folder.glob("part-*"):
                path.unlink()
            new, self.size = dict(parts), sum(map(len, parts.values()))
        for digest, part in new.items():
            beside = folder / f".{digest}"
            beside.write_bytes(part)
            beside.replace(folder / digest)

    def stop_file(self, run: str) -> Path:
        """The file that stops the calls of a run on this worker."""
        return Path(self.folder.name, f"stop-{run}")


_sessions: dict[str, _Session] = {}
_stopped: set[str] = set()
"""Runs of which no more is wanted."""
_lock = threading.RLock()


def _call(name: str, run: str, call: bytes, parts: Mapping[str, bytes], silent: float) -> tuple[str, object]:
    """Have a process run a call. The worker keeps `parts`, those that the client sends along."""
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
        session.keep(parts)
        session.idle = [process for process in session.idle if process.alive]
        process = session.idle.pop() if session.idle else _Process(worker.address)
        session.busy.append((run, process))
    try:
        return process.call(call, session.stop_file(run), silent)
    finally:
        with _lock:
            session.busy.remove((run, process))
            goes_on = process.alive and _sessions.get(name) is session
            if goes_on:
                session.idle.append(process)
        if not goes_on:
            process.close()


def _stop(name: str, run: str, now: bool) -> tuple[str, object]:
    """Let the calls of a run begin nothing more, and with `now` end those that are under way."""
    with _lock:
        _stopped.add(run)
        session = _sessions.get(name)
        if session is not None:
            session.stop_file(run).touch()
            for of_run, process in session.busy:
                if now and of_run == run:
                    process.kill()
    return "stopped", None


def _close(name: str) -> tuple[str, object]:
    """Leave nothing of a session."""
    with _lock:
        session = _sessions.pop(name, None)
        if session is not None:
            for _, process in session.busy:
                process.kill()
            for process in session.idle:
                # Not here: this may be the thread that hears the scheduler.
                threading.Thread(target=process.close, daemon=True).start()
            session.folder.cleanup()
    return "closed", None


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

    def call(self, call: bytes, stop: Path, silent: float) -> tuple[str, object]:
        """What the process says of a call, or how it ended; it may be held for `silent` seconds."""
        try:
            self._connection.send_bytes(pickle.dumps((call, stop)))
            moved = time.monotonic()
            while not self._connection.poll(_TICK_SECONDS):
                now = time.monotonic()
                if self._popen.poll() is not None:
                    raise EOFError
                if not self._is_held():
                    moved = now
                if now - moved > silent:
                    self.kill()
                    return HUNG, None
            answered: tuple[str, object] = pickle.loads(self._connection.recv_bytes())  # noqa: S301
            return answered
        except (EOFError, OSError):
            return ENDED, self._how_ended()
        finally:
            if self._popen.poll() is not None:
                self._connection.close()

    def _is_held(self) -> bool:
        """Whether the process is stopped by a signal, or waits for a disk that does not answer (Linux)."""
        try:
            state = Path(f"/proc/{self._popen.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            return False
        return state in "TtD"

    def _how_ended(self) -> str:
        """As loky puts it: SIGKILL(-9) or EXIT(3)."""
        code = self._waited()
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
        self._waited()

    def _waited(self) -> int:
        """The exit code of the process, which is killed if it does not end by itself."""
        try:
            return self._popen.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._popen.wait()
