"""Test, looked at once: the locked trials' scores, the ledger, other looks, families of
experiments.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
