"""Where the code that numba has compiled for us is kept. Loads no numpy, as a contestant's process uses this."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from pathlib import Path

from wordpl.base.files import cache_folder
from wordpl.base.kept import is_ours, note
from wordpl.base.system import user


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
        if all(is_ours(place) for place in (top, folder)):
            if (choice and top != tops[0]) or top == last:
                note(f"compiled kernels are kept in {top}: {tops[0]} cannot be used, or others can write to it")
            return folder
    note(f"kernels are compiled in each run: neither {', '.join(map(str, tops[:-1]))} nor {last} is safe to write to")
    return None
