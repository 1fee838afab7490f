"""WORDPL: Wordle under differential privacy.

`__init__.pyi` lists the public names of the framework. Each is loaded on its first use, so that `wordpl --help` does
not wait for numpy and numba. The applications have public names of their own, in `wordpl.wordle`, `wordpl.limits` and
`wordpl.contest`; so have folders of the framework for what fewer people need, such as `wordpl.reporting`.
"""

import logging
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import lazy_loader

logging.getLogger(__name__).addHandler(logging.NullHandler())  # who imports it decides what is shown

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# They add themselves to the readers of specs: first that of files, then that of the library.
from wordpl import contest as contest  # noqa: E402

if not Path(__file__).with_name("library").joinpath("__init__.py").is_file():  # a clone, where it lies beside us
    _spec = spec_from_file_location("wordpl.library", Path(__file__).parents[1] / "strategies" / "__init__.py")
    sys.modules["wordpl.library"] = module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["wordpl.library"])
from wordpl import library as library  # noqa: E402
