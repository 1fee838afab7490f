"""Where the code that numba has compiled for us is kept, and which of it is run.

Such a file is run only if it belongs to this user, or to whom the sources belong, if nobody else can write it, and if
its digest fits. Any other counts as missing: numba compiles, and writes the file anew. Loads no numpy, as a
contestant's process uses this at its start.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from wordpl.storage.files import cache_folder, others_can_write, reason, write_whole
from wordpl.system import NO_WAITING, user

_LOG = logging.getLogger(__name__)
_DIGEST_BYTES = 32


def cache_folder_name(folder: Path) -> str:
    """Return numba's name (`get_suitable_cache_subpath`) for the code of a folder under NUMBA_CACHE_DIR."""
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"  # noqa: S324 - no secret


@functools.cache
def code_folder(sources: Path) -> Path | None:
    """Return the folder where the compiled code of a folder of sources is kept; None if there is no place for it.

    It is the first of these that this user has, or can make, and that nobody else can write: one in NUMBA_CACHE_DIR if
    that is set, the sources' `__pycache__`, one in the cache folder, and one in the folder for temporary files. A note
    says so where NUMBA_CACHE_DIR is not taken, and where it is the last.
    """
    name = cache_folder_name(sources)
    choice, last = os.environ.get("NUMBA_CACHE_DIR"), Path(tempfile.gettempdir(), f"wordpl-{user()}")
    tops = [*([Path(choice)] if choice else []), sources / "__pycache__", cache_folder() / "kernels", last]
    for top in tops:
        folder = top if top.name == "__pycache__" else top / name
        if all(_is_ours(place) for place in (top, folder)):
            if (choice and top != tops[0]) or top == last:
                _note(f"compiled kernels are kept in {top}: {tops[0]} cannot be used, or others can write to it")
            return folder
    _note(f"kernels are compiled in each run: neither {', '.join(map(str, tops[:-1]))} nor {last} is safe to write to")
    return None


def read_code(path: Path, context: bytes, sources: Path) -> bytes | None:
    """Return the code in a file that was written in the same context; None unless it may be run."""
    try:
        with open(os.open(path, os.O_RDONLY | NO_WAITING), "rb") as file:
            status = os.fstat(file.fileno())
            owners = {user(), sources.stat().st_uid}
            if not stat.S_ISREG(status.st_mode) or status.st_uid not in owners or others_can_write(status):
                return None
            digest, code = file.read(_DIGEST_BYTES), file.read()
    except OSError:
        return None
    return code if digest == _digest(code, context) else None


def write_code(path: Path, context: bytes, code: bytes) -> None:
    """Keep code in a file, if there is room."""
    try:
        write_whole(path, _digest(code, context) + code, mode=0o644)
    except OSError as error:
        _note(f"compiled code cannot be kept in {path.parent}: {reason(error)}")


def _digest(code: bytes, context: bytes) -> bytes:
    return hashlib.blake2b(context + code, digest_size=_DIGEST_BYTES).digest()


def _is_ours(folder: Path) -> bool:
    """Whether a folder, which is made if it is missing, is this user's, and can be written by nobody else."""
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        status = folder.stat()
        return status.st_uid == user() and not others_can_write(status) and os.access(folder, os.W_OK | os.X_OK)
    return False


@functools.cache
def _note(text: str) -> None:
    """Say something once."""
    _LOG.info("wordpl: %s", text)
