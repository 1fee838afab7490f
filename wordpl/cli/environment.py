"""Variables of the environment that libraries read: a value that they would fail at, or pass over, is named here."""

from __future__ import annotations

import os
from pathlib import Path

from wordpl.errors import WordplError, one_line

_WHOLE_NUMBERS = {
    "LOKY_MAX_CPU_COUNT": 1,
    "LOKY_MAX_DEPTH": 1,
    "MKL_NUM_THREADS": 1,
    "NUMBA_DEBUG": 0,
    "NUMBA_DISABLE_JIT": 0,
    "NUMBA_NUM_THREADS": 1,
    "NUMBA_OPT": 0,
    "OMP_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
}
"""Name -> smallest value."""
_START_METHODS = ("fork", "forkserver", "loky", "loky_init_main", "spawn")


def check_environment() -> list[str]:
    """A line for each variable that cannot do what it is set for. Raises `WordplError` for one that stops a library."""
    for name, minimum in _WHOLE_NUMBERS.items():
        # OMP_NUM_THREADS takes a number for each level of nesting.
        for text in os.environ.get(name, "").split(","):
            if text and not (text.strip().isdecimal() and int(text.strip()[:20]) >= minimum):
                raise _refused(name, f"a whole number from {minimum} up")
    if os.environ.get("JOBLIB_START_METHOD", "loky") not in ("", *_START_METHODS):
        raise _refused("JOBLIB_START_METHOD", f"one of {', '.join(_START_METHODS)}")
    lines = [
        f"the environment variable {_shown(name)} is not a number; it is ignored"
        for name in ("COLUMNS", "LINES")
        if not os.environ.get(name, "0").strip().removeprefix("-").isdecimal()
    ]
    if os.environ.get("WORDPL_CACHE") and not _can_be_written(Path(os.environ["WORDPL_CACHE"])):
        lines.append(f"the cache {_shown('WORDPL_CACHE')} cannot be written; large tables are made again in each run")
    # Nothing is drawn on a screen, so a backend that is not there is no obstacle.
    os.environ["MPLBACKEND"] = "agg"
    return lines


def _can_be_written(folder: Path) -> bool:
    place = folder.absolute()
    while not os.path.lexists(place):
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def _refused(name: str, allowed: str) -> WordplError:
    return WordplError(f"the environment variable {_shown(name)} is not allowed; {allowed} is expected")


def _shown(name: str) -> str:
    return f"{name}={one_line(os.environ[name], 60)}"
