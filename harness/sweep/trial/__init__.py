"""What is scored: a grid expanded into trials, the lists they stand on, and their gold ranks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
