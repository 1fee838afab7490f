"""WORDPL: Wordle under differential privacy.

`__init__.pyi` lists the public names of the framework. Each is loaded on its first use, so that `wordpl --help` does
not wait for numpy and numba. The applications have public names of their own, in `wordpl.wordle`, `wordpl.limits` and
`wordpl.contest`; so have folders of the framework for what fewer people need, such as `wordpl.reporting`.
"""

import os
import sys

# `python -m wordpl` has the current folder on the path, in front of the standard library. A stranger's files may lie
# there, so it goes before anything is imported that Python itself does not need to come this far.
if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].endswith("wordpl"):
    try:
        if sys.path[0] == os.getcwd() and not sys.flags.safe_path:  # noqa: PTH109 - pathlib is not imported yet
            del sys.path[0]
    except FileNotFoundError:  # the folder is gone, and so is not on the path
        pass

import logging
from functools import partial
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

import lazy_loader

from wordpl.play import announced

logging.getLogger(__name__).addHandler(logging.NullHandler())  # who imports it decides what is shown

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _Checkout:
    """Finds `wordpl.library` in a checkout, where its files lie beside this package, in `strategies/`.

    Python asks it last, so where a wheel is installed no other package called `strategies` takes their place.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "wordpl.library":
            return None
        package = Path(__file__).resolve().parent
        folder = package.parent / "strategies"
        if not (folder / "common.py").is_file():
            from wordpl.base.errors import WordplError

            raise WordplError(
                f"the strategy library is neither in {package / 'library'} nor in {folder}; install wordpl again"
            )
        return spec_from_file_location(name, folder / "__init__.py")


sys.meta_path.append(_Checkout)


def _read_file_spec(path: str, call: str, contest_files: Any) -> Any:
    from wordpl.contest.file_strategy import read_file_spec

    return read_file_spec(path, call, contest_files)


announced.library, announced.read_file_spec = partial(__getattr__, "library"), _read_file_spec
