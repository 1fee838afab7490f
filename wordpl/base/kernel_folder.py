"""The folder of compiled kernels, which nothing needs numba to find."""

import hashlib
import os
import sys
from pathlib import Path

from wordpl.base.files import cache_folder

PACKAGE = Path(__file__).parents[1]
SOURCES = "base/kernels.py", "model/entropy.py", "scoring/noise.py", "scoring/*kernels.py", "wordle/trees/optimal/*.py"
"""The files that hold kernels, and all that these import from the package."""


def kernel_folder() -> Path:
    """Return the folder of the code for these sources and these versions of Python, numba and NumPy."""
    from importlib import metadata  # which takes 10 ms, and what imports this module often needs no kernel

    digest = hashlib.sha256(sys.implementation.cache_tag.encode())
    digest.update(f"{metadata.version('numba')} {metadata.version('numpy')}".encode())
    for path in sorted(path for name in SOURCES for path in PACKAGE.glob(name)):
        digest.update(path.read_bytes())
    top = Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder() / "kernels")
    return top / f"wordpl-{digest.hexdigest()[:16]}"
