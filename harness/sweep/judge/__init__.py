"""The judgement of trials: rows, tests and corrections, what lies at an edge, the choice and what
it lets expect.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
