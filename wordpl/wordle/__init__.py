"""Ordinary Wordle and Fibble: help in a game, the analysis of one, decision trees and the exact optimum."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
