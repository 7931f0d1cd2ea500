"""Readers of files, plain or packed: lines, JSON, YAML and separated values, with errors that name
the place.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
