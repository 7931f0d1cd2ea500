"""Scores of items that any evaluation gave, read from its files, and compared."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
