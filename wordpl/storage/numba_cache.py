"""How numba names the folders of its cache. Loads no numpy, as a contestant's process uses this at its start."""

from __future__ import annotations

import hashlib
from pathlib import Path


def cache_folder_name(folder: Path) -> str:
    """Return the name numba gives, under NUMBA_CACHE_DIR, to the compiled code of a folder of sources.

    Source: `numba.core.caching._CacheLocator.get_suitable_cache_subpath`.
    """
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"  # noqa: S324 - no secret
