"""Reading files up to a bound, and writing them whole: first beside their place, then renamed into it.

So nobody sees half of a file, and a write that fails (a full disk, Ctrl-C) leaves the earlier file as it was.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from wordpl.base.errors import WordplError

StrPath: TypeAlias = str | os.PathLike[str]
"""A path, as every public function takes it."""

MAX_BYTES = 64 << 20
"""The largest file that is read, unless a smaller bound is given."""


def read_file(path: StrPath, kind: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Read the file at `path`, of at most `max_bytes`; errors call it a `kind`.

    Raises `WordplError` for a file that is larger or cannot be read, a folder, a pipe and a device.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # opening it may wait for ever; opening a folder says so
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:  # the latter of a path that no system call takes
        raise WordplError(f"cannot read {kind} {path}: {reason(error)}") from None
    if len(content) > max_bytes:
        raise WordplError(f"cannot read {kind} {path}: it is larger than {max_bytes >> 20} MiB")
    return content


def read_text(path: StrPath, kind: str, max_bytes: int = MAX_BYTES) -> str:
    """As `read_file`, for text in UTF-8, with or without a byte order mark."""
    path = Path(path)
    try:
        return read_file(path, kind, max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise WordplError(f"cannot read {kind} {path}, line {line}: not UTF-8 text") from None


def write_text(path: StrPath, text: str, *, must_be_new: bool = False) -> None:
    """Write a text file in UTF-8, as `whole_file` does."""
    with whole_file(path, must_be_new=must_be_new) as beside:
        beside.write_text(text, encoding="utf-8")


@contextmanager
def whole_file(path: StrPath, *, must_be_new: bool = False) -> Iterator[Path]:
    """Give the block a path to write to; what it has written becomes the file at `path` when the block ends.

    Missing folders are made. A link is followed, and a file that is replaced keeps its mode. If the block or the write
    fails, `path` stays as it was.

    Raises `WordplError` if the file cannot be written, is a pipe or a device, or exists although it `must_be_new`.
    """
    target = Path(os.path.realpath(path))
    # The suffix stays, because it tells some writers the format.
    beside = target.parent / f".wordpl-{secrets.token_hex(8)}{target.suffix}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        before = target.stat().st_mode if target.exists() else None
        if must_be_new and before is not None:
            raise WordplError(f"{str(path)!r} is there already; nothing was written")
        if before is not None and not stat.S_ISREG(before):
            raise OSError(errno.EINVAL, "it is a folder, a pipe or a device")
        if before is not None and not os.access(target, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        try:
            beside.touch(exist_ok=False)
            yield beside
            with beside.open("rb+") as file:
                os.fsync(file.fileno())
            if before is not None:
                beside.chmod(stat.S_IMODE(before))
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WordplError(f"cannot write {path}: {reason(error)}") from None


def cache_folder() -> Path:
    """Return the folder of what can be made again: `$WORDPL_CACHE`, or one in the user's cache folder."""
    if chosen := os.environ.get("WORDPL_CACHE"):
        return Path(chosen)
    import platformdirs  # a contestant's process does not have it

    return Path(platformdirs.user_cache_dir("wordpl"))


def reason(error: Exception) -> str:
    """Text of an error of the operating system, without the number and the path."""
    return getattr(error, "strerror", None) or str(error)
