"""Files of the cache: what a run keeps for later ones, compiled code above all, and which of it is believed.

Such a file is believed only if it lies in a folder that belongs to this user and that nobody else can write. The file
belongs to this user, or to the owner of the sources, and nobody else can write it either. It has the digest of its
content and of all that this was made from. Any other file counts as missing and is made anew. This module loads no
numpy, because a contestant's process uses it at its start.
"""

import functools
import hashlib
import logging
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from wordpl.base.files import cache_folder, reason, replaced
from wordpl.base.system import NO_WAITING, user

_LOG = logging.getLogger(__name__)
_DIGEST_BYTES = 32


def is_ours(folder: Path) -> bool:
    """Whether a folder, which is made if it is missing, is this user's, and can be written by nobody else."""
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        status = folder.stat()
        return status.st_uid == user() and not _others_can_write(status) and os.access(folder, os.W_OK | os.X_OK)
    return False


def _others_can_write(status: os.stat_result) -> bool:
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def read_kept(path: Path, made_from: bytes, sources: Path | None = None) -> bytes | None:
    """Return the content of a file that was made from the same; None unless it may be believed.

    `sources` is the folder of the code that made it: whoever owns that is believed, too.
    """
    try:
        with open(os.open(path, os.O_RDONLY | NO_WAITING), "rb") as file:
            status = os.fstat(file.fileno())
            owners = {user(), *([sources.stat().st_uid] if sources else [])}
            if not stat.S_ISREG(status.st_mode) or status.st_uid not in owners or _others_can_write(status):
                return None
            digest, content = file.read(_DIGEST_BYTES), file.read()
    except OSError:
        return None
    return content if digest == _digest(content, made_from) else None


def write_kept(path: Path, made_from: bytes, content: bytes) -> None:
    """Keep what was made in a file, if there is room. Whatever the mode of an earlier one was, others can read it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        with replaced(path, mode=0o644) as beside:
            beside.write_bytes(_digest(content, made_from) + content)
            beside.chmod(0o644)
    except OSError as error:
        note(f"{path.name} cannot be kept in {path.parent}: {reason(error)}")


def _digest(content: bytes, made_from: bytes) -> bytes:
    return hashlib.blake2b(hashlib.sha256(made_from).digest() + content, digest_size=_DIGEST_BYTES).digest()


@functools.cache
def note(text: str) -> None:
    """Say something once."""
    _LOG.info("wordpl: %s", text)


def cache_folder_name(folder: Path) -> str:
    """Return numba's name (`get_suitable_cache_subpath`) for the code of a folder under NUMBA_CACHE_DIR."""
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"  # noqa: S324 - no secret


@functools.cache
def code_folder(sources: Path) -> Path | None:
    """Return the folder where numba's code of a folder of sources is kept; None if there is no place for it.

    It is the first of these that this user has, or can make, and that nobody else can write: one in NUMBA_CACHE_DIR if
    that is set, the sources' `__pycache__`, one in the cache folder, and one in the folder for temporary files. A note
    says so where NUMBA_CACHE_DIR is not taken, and where it is the last.
    """
    name = cache_folder_name(sources)
    choice, last = os.environ.get("NUMBA_CACHE_DIR"), Path(tempfile.gettempdir(), f"wordpl-{user()}")
    tops = [*([Path(choice)] if choice else []), sources / "__pycache__", cache_folder() / "kernels", last]
    for top in tops:
        folder = top if top.name == "__pycache__" else top / name
        if all(is_ours(place) for place in (top, folder)):
            if (choice and top != tops[0]) or top == last:
                note(f"compiled kernels are kept in {top}: {tops[0]} cannot be used, or others can write to it")
            return folder
    note(f"kernels are compiled in each run: neither {', '.join(map(str, tops[:-1]))} nor {last} is safe to write to")
    return None
