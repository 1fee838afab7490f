"""Scoring of strategies that are not trusted: referee and contestant in different processes.

This file imports nothing, since the contestant's process passes through it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
