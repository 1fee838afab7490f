"""Where numba keeps compiled code, without numba."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import _CacheLocator

from wordpl.storage.numba_cache import cache_folder_name


@pytest.mark.parametrize("folder", ["/site/wordpl/scoring", "/a b/\u00fc/x", "/x"])
def test_the_name_is_the_one_that_numba_gives(folder: str) -> None:
    assert cache_folder_name(Path(folder)) == _CacheLocator.get_suitable_cache_subpath(f"{folder}/kernels.py")


def test_a_contestants_program_loads_no_numpy() -> None:
    code = "import sys, wordpl.contest.contestant; print({'numpy', 'numba', 'pandas', 'sqlite3'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
