"""Where conf/ is, how a configuration is composed from it, and how strategies are made from one."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
