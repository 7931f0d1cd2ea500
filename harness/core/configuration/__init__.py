"""Configurations: the folders of conf/, composing a configuration, and making strategies from
one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
