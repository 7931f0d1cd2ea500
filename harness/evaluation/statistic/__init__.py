"""Statistics: is the difference more than chance, how large is it, and could it have been seen at
all?
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
