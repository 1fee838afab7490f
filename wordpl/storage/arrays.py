"""A cache of large arrays on disk that is never believed without a check.

One file holds one array: a header (magic, checksum of name and payload), then the raw payload, which is
memory-mapped. A file is used only if it belongs to this user and nobody else can write it, its size
and checksum fit, and a few rows drawn at random agree with rows computed afresh. Anything else is
built again. Files are written beside their place and renamed into it, so two processes starting at
once both succeed. The files used longest ago are removed when all of them take more than `MOST_BYTES`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import platformdirs
import xxhash
from numpy.typing import DTypeLike, NDArray

Rows = Callable[[int], NDArray[Any]]

_LOG = logging.getLogger(__name__)

_MAGIC = b"WORDPL-ARRAY-1\n\0"
_HEADER = 64  # magic 16, checksum 16, zeros; keeps the payload aligned to a cache line
_SPOT_CHECKS = 32
_SUFFIX = ".bin"
MOST_BYTES = 2 << 30
"""What the arrays of the cache may take on disk. Lists of words are made without end, as by visitors of a page."""
_LEAST_ON_DISK = 4096
_written_since: dict[Path, int] = {}
"""Bytes that this process has written to a directory since it looked at all files there."""


def directory() -> Path:
    """Return the cache directory: `$WORDPL_CACHE`, or the user's cache directory."""
    return Path(os.environ.get("WORDPL_CACHE") or platformdirs.user_cache_dir("wordpl"))


def array(name: str, shape: tuple[int, int], dtype: DTypeLike, row: Rows) -> NDArray[Any]:
    """Return the read-only array of `shape` whose row i is `row(i)`: from the cache if that is valid, else built.

    `name` must change with everything that determines the content. If the cache cannot be written, the array is in
    memory only.
    """
    path = directory() / f"{name}{_SUFFIX}"
    found = _load(path, name, shape, np.dtype(dtype), row)
    if found is not None:
        return found
    _LOG.debug("making the table %s", path)
    built = np.empty(shape, dtype=dtype)
    for i in range(shape[0]):
        built[i] = row(i)
    try:
        _save(path, name, built)
    except OSError as error:
        _LOG.debug("the table %s cannot be kept: %s", path, error.strerror)
        built.flags.writeable = False
        return built
    loaded = _load(path, name, shape, built.dtype, row)
    if loaded is not None:
        return loaded
    built.flags.writeable = False
    return built


def _load(path: Path, name: str, shape: tuple[int, int], dtype: np.dtype[Any], row: Rows) -> NDArray[Any] | None:
    """The array in `path`, or None if there is any reason not to believe it."""
    try:
        # O_NOFOLLOW and the checks on the open file: a link or a file of somebody else's is not ours.
        # O_NONBLOCK: nor is a named pipe, and opening one must not wait for a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            size = _HEADER + shape[0] * shape[1] * dtype.itemsize
            if not _private(status) or status.st_size != size:
                return None
            with contextlib.suppress(OSError):  # a cache that cannot be written is used all the same
                os.utime(file.fileno())  # by which `_make_room` sees when it was last used
            header = file.read(_HEADER)
            payload = np.memmap(file, dtype=dtype, mode="r", offset=_HEADER, shape=shape)
    except (OSError, ValueError):
        return None
    if header != _header(name, payload):
        return None
    # The checksum tells damage, not intent: rows computed afresh catch a file made to fit.
    for i in np.random.default_rng().integers(0, shape[0], _SPOT_CHECKS):
        if not np.array_equal(payload[i], row(int(i))):
            return None
    return payload.view(np.ndarray)


def _private(status: os.stat_result) -> bool:
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_uid == os.getuid()
        and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _header(name: str, payload: NDArray[Any]) -> bytes:
    checksum = xxhash.xxh3_128(name.encode())
    checksum.update(np.ascontiguousarray(payload).data)
    return (_MAGIC + checksum.digest()).ljust(_HEADER, b"\0")


def _save(path: Path, name: str, payload: NDArray[Any]) -> None:
    def write(file: BinaryIO) -> None:
        file.write(_header(name, payload))
        payload.tofile(file)

    write_whole(path, write)
    _make_room(path)


def _make_room(written: Path) -> None:
    """Remove the files used longest ago while there is more than `MOST_BYTES`, but not the one just written.

    To look at all files takes long if there are many. So a process does it for the first file that it writes, and again
    whenever it has written a 32nd of that. A process that has mapped a removed file keeps it.
    """
    folder, size_written = written.parent, written.lstat().st_size
    since = _written_since.get(folder, MOST_BYTES) + max(size_written, _LEAST_ON_DISK)
    _written_since[folder] = since
    if since < MOST_BYTES // 32:
        return
    _written_since[folder] = 0
    files: list[tuple[float, int, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIX) and entry.name != written.name:
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    files.append((status.st_mtime, status.st_size, entry.path))
    excess = size_written + sum(size for _, size, _ in files) - MOST_BYTES
    for _, size, path in sorted(files):
        if excess <= 0:
            return
        with contextlib.suppress(OSError):
            Path(path).unlink()
            excess -= size


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file of the cache beside its place and rename it into it, so that nobody sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 0600
    try:
        with open(handle, "wb") as file:
            write(file)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
