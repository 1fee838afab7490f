"""Worth of a clue to each guess: scores, the last guess, look-ahead, and their compiled kernels."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
