"""Fitting the weights of a list or a reranker on tune: what may move, the search, and folds that it
does not see.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
