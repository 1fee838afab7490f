"""Limits of play: exact win rates, policies found by search, the frontier, and what no strategy can pass."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
