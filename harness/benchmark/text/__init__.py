"""Texts: their words and sentences, what a corpus writes with a capital, and known names found in them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
