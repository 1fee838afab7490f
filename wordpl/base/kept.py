"""Files of the cache: what a run keeps for later ones, and which of it is believed.

Such a file is believed only if it lies in a folder of this user that nobody else can write, belongs to this user, or to
whom the sources belong, cannot be written by others either, and has the digest of its content and of all that this was
made from. Any other counts as missing: it is made anew. Loads no numpy, as a contestant's process uses this at its
start.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

from wordpl.base.files import others_can_write, reason, write_whole
from wordpl.base.system import NO_WAITING, user

_LOG = logging.getLogger(__name__)
_DIGEST_BYTES = 32


def is_ours(folder: Path) -> bool:
    """Whether a folder, which is made if it is missing, is this user's, and can be written by nobody else."""
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        status = folder.stat()
        return status.st_uid == user() and not others_can_write(status) and os.access(folder, os.W_OK | os.X_OK)
    return False


def read_kept(path: Path, made_from: bytes, sources: Path | None = None) -> bytes | None:
    """Return the content of a file that was made from the same; None unless it may be believed.

    `sources` is the folder of the code that made it: whoever owns that is believed, too.
    """
    try:
        with open(os.open(path, os.O_RDONLY | NO_WAITING), "rb") as file:
            status = os.fstat(file.fileno())
            owners = {user(), *([sources.stat().st_uid] if sources else [])}
            if not stat.S_ISREG(status.st_mode) or status.st_uid not in owners or others_can_write(status):
                return None
            digest, content = file.read(_DIGEST_BYTES), file.read()
    except OSError:
        return None
    return content if digest == _digest(content, made_from) else None


def write_kept(path: Path, made_from: bytes, content: bytes) -> None:
    """Keep what was made in a file, if there is room."""
    try:
        write_whole(path, _digest(content, made_from) + content, mode=0o644)
    except OSError as error:
        note(f"{path.name} cannot be kept in {path.parent}: {reason(error)}")


@functools.cache
def note(text: str) -> None:
    """Say something once."""
    _LOG.info("wordpl: %s", text)


def _digest(content: bytes, made_from: bytes) -> bytes:
    return hashlib.blake2b(hashlib.sha256(made_from).digest() + content, digest_size=_DIGEST_BYTES).digest()
