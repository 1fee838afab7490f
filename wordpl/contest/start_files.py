"""What a strategy writes beside itself at its start, such as a table that takes minutes, kept for its other starts.

The first start of a run builds, and plays on. Everything in its folder that was not there before is copied out, before
its first game, into a temporary folder of the run. Later starts get private copies of these files. Results must not
depend on which of them plays which games, so a contestant that was started so must be what the first one was: both give
a digest of their state (`start_state`) before their first game. If it differs, or cannot be told, nothing is kept, and
each start builds for itself.

A submission cannot pass on anything about a game in this way, since nobody has played one yet. It cannot reach another
entry or a later run either: the folder belongs to one run, is mounted read-only, and goes with the run. The files were
chosen by a program that is not trusted, so only plain files and folders are taken, a bounded number of them and of
bytes, by their content alone: no links, no devices, no owners, no modes, no times. If there is anything else, nothing
is kept either.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wordpl.contest.contestant_process import ContestantProcess, NotWantedError
from wordpl.contest.limits import Limits
from wordpl.play.referee import ForfeitError

MOST_FILES = 1000
"""Files and folders that are kept; with more, none is."""
_MOST_FOLDERS_DEEP = 16
_CHUNK = 1 << 20
_PAUSE = 0.05
_PREFIX = "wordpl-start-"
_STABLE = ("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
"""What tells whether a file is as it was; a program cannot set back its time of change."""

Found = dict[str, tuple[int, ...]]
"""Path below the folder -> what identifies the content of a file; empty for a folder."""


class NotKeptError(Exception):
    """The folder holds more than may be kept, or something else than plain files and folders."""


class StartFiles:
    """The files that starts of one run share, as far as they are given the same. A context manager.

    Safe for several threads and processes: a pickled copy shares the files of the original, which removes them. A copy
    that does not find them, as on another machine, has files of its own, and builds them for itself.
    """

    def __init__(self, limits: Limits) -> None:
        self._max_bytes = limits.scratch
        self._choose_folder()

    def _choose_folder(self) -> None:
        self._top = Path(tempfile.gettempdir(), f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}")
        self._remove: weakref.finalize[..., StartFiles] | None = weakref.finalize(
            self, shutil.rmtree, self._top, ignore_errors=True
        )

    def __getstate__(self) -> dict[str, object]:
        self._make_folder()  # a copy must not make it, perhaps after this has removed it
        return vars(self) | {"_remove": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if not self._top.exists():
            self._choose_folder()

    def __enter__(self) -> StartFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the files, in the process that made this. Starts that follow build for themselves."""
        if self._remove is not None:
            self._remove()

    def _make_folder(self) -> None:
        if self._remove is not None and self._remove.alive and not self._top.exists():
            _clear_up()
            with suppress(OSError):  # then each start builds
                self._top.mkdir(mode=0o700, exist_ok=True)

    def ready(self, contestant: ContestantProcess) -> None:
        """Start a contestant unless it runs. Raises `ForfeitError` if it cannot be started.

        The first one builds, and the others wait for it. Raises `NotWantedError` as `ContestantProcess.ready` does.
        """
        if not contestant.running:
            self._make_folder()
            _Start(contestant, self._top / contestant.given, self._max_bytes).ready()


def _clear_up() -> None:
    """Remove what this user's processes have left that were killed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        with suppress(OSError, ValueError, OverflowError):
            if left.lstat().st_uid == os.geteuid():
                try:
                    os.kill(int(left.name.removeprefix(_PREFIX).partition("-")[0]), 0)
                except ProcessLookupError:
                    shutil.rmtree(left, ignore_errors=True)


class _Start:
    """One start, and the folder that it shares with all starts that are given the same."""

    def __init__(self, contestant: ContestantProcess, folder: Path, max_bytes: int) -> None:
        self._contestant, self._folder, self._max_bytes = contestant, folder, max_bytes
        self._built = folder / "built"
        self._state = folder / "state"
        """A file with the state of the contestant that built, once it has; empty if nothing is kept."""

    def ready(self) -> None:
        lock = self._lock()
        if lock is not None:
            try:
                if not self._state.exists():
                    self._build()
                    return
            finally:
                os.close(lock)
        if not self._start_from_files():
            self._contestant.ready()

    def _lock(self) -> int | None:
        """A descriptor that holds the lock until it is closed; None if there can be none."""
        lock = -1
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            while self._contestant.wanted():
                with suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    held, lock = lock, -1
                    return held
                time.sleep(_PAUSE)
        except OSError:
            return None
        finally:
            if lock >= 0:
                os.close(lock)
        raise NotWantedError

    def _build(self) -> None:
        contestant = self._contestant
        with _Folder() as play:
            contestant.ready(play.hold)
            kept = self._keep(play)
        try:
            state = contestant.state() if kept else ""
        except ForfeitError:  # the start itself has worked
            state = ""
            contestant.ready()
        self._settle(state)

    def _keep(self, play: _Folder) -> bool:
        try:
            new = play.written()
            if new:
                self._built.mkdir(mode=0o755)
                play.copy(new, self._built, self._max_bytes)
            return bool(new)
        except (NotKeptError, OSError):  # a full disk, too
            return False

    def _start_from_files(self) -> bool:
        """Start from the files that are kept; whether there are any and the contestant is now as the one that built."""
        contestant = self._contestant
        try:
            state = self._state.read_text()
        except OSError:
            state = ""
        if not state:
            return False
        contestant.built = self._built
        try:
            contestant.ready()
            if contestant.state() == state:
                return True
        except ForfeitError:  # it does not like what it has written itself
            pass
        finally:
            contestant.built = None
        contestant.stop()
        self._settle("")
        return False

    def _settle(self, state: str) -> None:
        with suppress(OSError):
            self._state.write_text(state)
        if not state:
            shutil.rmtree(self._built, ignore_errors=True)


class _Folder:
    """The folder in which a contestant runs, seen from outside while the contestant may change it at any time."""

    def __init__(self) -> None:
        self._top = -1
        self._before: Found | None = None

    def __enter__(self) -> _Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._top >= 0:
            os.close(self._top)

    def hold(self, descriptor: int) -> None:
        """Take hold of the folder while nothing of the submission has run."""
        self._top = descriptor
        with suppress(NotKeptError, OSError):
            self._before = dict(_walk(descriptor))

    def written(self) -> list[str]:
        """The paths of what is new. Raises `NotKeptError` if anything that was there has changed."""
        if self._before is None:
            return []
        now = dict(_walk(self._top))
        if any(now.get(name) != known for name, known in self._before.items()):
            raise NotKeptError
        new = sorted(now.keys() - self._before.keys())
        if len(new) > MOST_FILES:
            raise NotKeptError
        return new

    def copy(self, names: list[str], target: Path, max_bytes: int) -> None:
        """Copy these files and folders into `target`. Raises `NotKeptError`, with some of them copied."""
        left = max_bytes
        for name in names:
            *folders, last = name.split("/")
            (target / name).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with _opened(self._top, folders) as above:
                if stat.S_ISDIR(os.stat(last, dir_fd=above, follow_symlinks=False).st_mode):
                    (target / name).mkdir(mode=0o755, exist_ok=True)
                    continue
                with _opened_file(above, last) as source, (target / name).open("xb") as copied:
                    while chunk := os.read(source, _CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            raise NotKeptError
                        copied.write(chunk)
            (target / name).chmod(0o444)


def _walk(top: int, below: str = "", deep: int = 0) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield what is in an open folder and below it; no link is followed."""
    if deep > _MOST_FOLDERS_DEEP:
        raise NotKeptError
    with _opened(top, ["."]) as folder, os.scandir(folder) as entries:
        for entry in entries:
            found = entry.stat(follow_symlinks=False)
            name = below + entry.name
            if stat.S_ISDIR(found.st_mode):
                yield name, ()
                with _opened(folder, [entry.name]) as inner:
                    yield from _walk(inner, f"{name}/", deep + 1)
            elif stat.S_ISREG(found.st_mode):
                yield name, tuple(getattr(found, field) for field in _STABLE)
            else:
                raise NotKeptError


@contextmanager
def _opened(top: int, folders: list[str]) -> Iterator[int]:
    """A descriptor of a folder below `top`, one step after the other, through no link."""
    descriptor = os.dup(top)
    try:
        for name in folders:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _opened_file(folder: int, name: str) -> Iterator[int]:
    """A descriptor of a plain file. Raises `NotKeptError` for anything else, and waits for nothing."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotKeptError
        yield descriptor
    finally:
        os.close(descriptor)
