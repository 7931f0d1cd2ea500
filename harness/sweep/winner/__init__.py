"""The winner of a lock in use: on given lists, on new questions, on another corpus."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
