"""What a strategy writes beside itself at its start, such as a table that takes minutes, kept for its other starts.

The first start of a run builds; everything in its folder that was not there before is copied out, before its first
game, into a temporary folder of the run. All contestants of the run, the first one included, are then started anew
with private copies of these files. So none of them knows more than any other, whichever plays which games.

A submission cannot pass on anything about a game in this way, since nobody has played one yet. It cannot reach another
entry or a later run either: the folder belongs to one run, is mounted read-only, and goes with the run. The files were
chosen by a program that is not trusted, so only plain files and folders are taken, a bounded number of them and of
bytes, by their content alone: no links, no devices, no owners, no modes, no times. If there is anything else, nothing
is kept, and each start builds for itself.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wordpl.contest.contestant_process import ContestantProcess
from wordpl.contest.limits import Limits
from wordpl.play.referee import ForfeitError

MOST_FILES = 1000
"""Files and folders that are kept; with more, none is."""
_MOST_FOLDERS_DEEP = 16
_CHUNK = 1 << 20
_STABLE = ("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
"""What tells whether a file is as it was; a program cannot set back its time of change."""

Found = dict[str, tuple[int, ...]]
"""Path below the folder -> what identifies the content of a file; empty for a folder."""


class NotKeptError(Exception):
    """The folder holds more than may be kept, or something else than plain files and folders."""


class StartFiles:
    """The files that starts of one run share. A context manager; safe for several threads."""

    def __init__(self, limits: Limits) -> None:
        self._max_bytes = limits.scratch
        self._lock = threading.Lock()
        self._settled = False
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._folder: Path | None = None

    def __enter__(self) -> StartFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the files. Starts that follow build for themselves."""
        self._settled = True  # without the lock, which a start may hold for minutes
        self._discard()

    def ready(self, contestant: ContestantProcess) -> None:
        """Start a contestant unless it runs. Raises `ForfeitError` if it cannot be started.

        The first one builds, and the others wait for it.
        """
        if not contestant.running:
            with self._lock:
                if not self._settled:
                    self._build(contestant)
                    return
            contestant.built = self._folder
        contestant.ready()

    def _build(self, contestant: ContestantProcess) -> None:
        with _Folder() as play:
            contestant.ready(play.hold)
            self._settled = True
            self._keep(play)
        if self._folder is None:
            return
        contestant.stop()
        contestant.built = self._folder
        try:
            contestant.ready()
        except ForfeitError:  # it does not like what it has written itself
            self._discard()
            contestant.built = None
            contestant.ready()

    def _keep(self, play: _Folder) -> None:
        try:
            new = play.written()
            if new:
                self._temporary = tempfile.TemporaryDirectory(prefix="wordpl-start-", ignore_cleanup_errors=True)
                folder = Path(self._temporary.name, "built")
                folder.mkdir(mode=0o755)
                play.copy(new, folder, self._max_bytes)
                self._folder = folder
        except (NotKeptError, OSError):  # a full disk, too: then each start builds
            self._discard()

    def _discard(self) -> None:
        self._folder = None
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


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
