"""Encoders: texts to unit vectors, one strategy a file; vectors are artifacts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
