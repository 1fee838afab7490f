"""WORDPL: Wordle under differential privacy.

The public names are listed in `__init__.pyi` and loaded on first use, so that asking the command
line for help does not wait for numpy and numba.
"""

import copyreg
import importlib
import sys
import types

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# A strategy of a user's own file or script goes to the workers by value, and with it this module, whose
# type is lazy_loader's own, which pickle does not know: it goes by name, as any module does.
_this = sys.modules[__name__]
if type(_this) is not types.ModuleType:
    copyreg.pickle(type(_this), lambda module: (importlib.import_module, (module.__name__,)))
