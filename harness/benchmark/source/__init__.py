"""Sources of benchmarks: files, cards, hubs and locks, and the way from records to a corpus and
gold.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
