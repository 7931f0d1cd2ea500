"""What commands print, and draw beside it: the table, the sentences below it, and answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
