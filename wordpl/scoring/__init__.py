"""What a clue to each guess is worth: scores of all guesses, the last guess, look-ahead, and the kernels under them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
