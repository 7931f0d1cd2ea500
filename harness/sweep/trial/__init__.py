"""Scoring: a grid expanded into trials, their lists, and their gold ranks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
