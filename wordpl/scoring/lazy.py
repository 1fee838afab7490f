"""The kernels, loaded when the first of them is called: numba takes longer to load than all else together."""

from __future__ import annotations

from typing import Any


class _Kernels:
    def __getattr__(self, name: str) -> Any:
        from wordpl.scoring import kernels

        return getattr(kernels, name)


class _LastGuessKernels:
    def __getattr__(self, name: str) -> Any:
        from wordpl.scoring import last_guess_kernels

        return getattr(last_guess_kernels, name)


kernels, last_guess_kernels = _Kernels(), _LastGuessKernels()
