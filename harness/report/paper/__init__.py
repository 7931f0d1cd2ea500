"""A paper's tables and figures: strategies by benchmarks in one table, and everything else in an
appendix.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
