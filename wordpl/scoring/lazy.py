"""The kernels, loaded when the first of them is called: numba takes longer to load than all else together."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Module:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


kernels, last_guess_kernels = _Module("wordpl.scoring.kernels"), _Module("wordpl.scoring.last_guess_kernels")
