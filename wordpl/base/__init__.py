"""Errors, checks, text, progress, files on disk and worker processes: nothing here knows of a game."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
