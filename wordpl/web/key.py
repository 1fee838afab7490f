"""The secret key with which the server seals games. It is kept in a file of the user's, so games outlast the server."""

from __future__ import annotations

import logging
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import platformdirs

from wordpl.errors import WordplError
from wordpl.storage.files import reason

LOG = logging.getLogger("wordpl.web")
BYTES = 32


def server_key() -> bytes:
    """Return the key, which is made if there is none. Where no file can be had, it is one for this process alone.

    Raises `WordplError` for a file that other users can use, or that is no key.
    """
    try:
        path = Path(platformdirs.user_state_dir("wordpl"), "games.key")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            with NamedTemporaryFile(dir=path.parent, buffering=0) as beside, suppress(FileExistsError):
                beside.write(secrets.token_bytes(BYTES))
                os.link(beside.name, path)  # fails if another server was first, whose key then holds
        with path.open("rb") as file:
            mode, key = os.fstat(file.fileno()).st_mode, file.read(BYTES + 1)
    except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
        LOG.warning("games end with this server, because it cannot keep its key: %s", reason(error))
        return secrets.token_bytes(BYTES)
    if mode & 0o077 or len(key) != BYTES:
        fault = "is open to other users" if mode & 0o077 else f"does not have {BYTES} bytes"
        raise WordplError(f"the key of games {path} {fault}; delete it, and the server makes a new one")
    return key
