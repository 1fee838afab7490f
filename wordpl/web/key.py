"""The secret key of the server, with which it seals games: a file of the user's, so that games outlast the server."""

from __future__ import annotations

import logging
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import platformdirs

from wordpl.errors import WordplError
from wordpl.storage.files import reason

LOG = logging.getLogger("wordpl.web")
_BYTES = 32


def server_key() -> bytes:
    """Return the key, which is made if there is none. Where no file can be had, it is one for this process alone.

    Raises `WordplError` for a file that other users can read or write, or that is no key.
    """
    try:
        path = Path(platformdirs.user_state_dir("wordpl"), "games.key")
        if not path.exists():
            _make(path)
        with path.open("rb") as file:
            mode, key = os.fstat(file.fileno()).st_mode, file.read(_BYTES + 1)
    except (OSError, RuntimeError) as error:  # a user without a home
        LOG.warning("games end with this server, since it cannot keep its key: %s", reason(error))
        return secrets.token_bytes(_BYTES)
    if mode & (stat.S_IRWXG | stat.S_IRWXO) or len(key) != _BYTES:
        fault = "can be used by other users" if len(key) == _BYTES else f"does not have {_BYTES} bytes"
        raise WordplError(f"the key of games {path} {fault}; delete it, and a new one is made (games so far end)")
    return key


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with NamedTemporaryFile(dir=path.parent) as beside:
        beside.write(secrets.token_bytes(_BYTES))
        beside.flush()
        with suppress(FileExistsError):  # another server was first; its key holds
            os.link(beside.name, path)
