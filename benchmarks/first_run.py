"""The CPU time of a first run: compiling all kernels, and `make run` from a fresh clone to the table and again."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.pages import ROOT

_COMPILE = "from tests.support.kernels import compile_kernels; compile_kernels(5)"


def rows() -> list[list[str]]:
    """Measure with caches that are empty, so all is installed and compiled anew."""
    with tempfile.TemporaryDirectory() as folder:
        empty = {name: str(Path(folder, name)) for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "WORDPL_CACHE")}
        clone = str(Path(folder, "clone"))
        compiling = cpu_seconds(sys.executable, "-c", _COMPILE, **empty)
        cpu_seconds("git", "clone", "--quiet", str(ROOT), clone)
        first, again = (cpu_seconds("make", "-C", clone, "run", **empty) for _ in range(2))
    return [
        ["compiling all kernels for words of five letters, none kept, CPU time", f"{compiling:.0f} s", "", ""],
        ["`make run` from a fresh clone to the table, CPU time", f"{first:.0f} s", "", ""],
        ["`make run` again, CPU time", f"{again:.0f} s", "", ""],
    ]


def cpu_seconds(*arguments: str, **environment: str) -> float:
    """Return the CPU time of a command and of all that it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, capture_output=True, env=os.environ | environment)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
