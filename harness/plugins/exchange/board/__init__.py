"""Run exchange: a system's lists with a card, and a board that scores the lists of many systems again.

A submission is a folder: ``run.trec.gz``, ``card.yaml``, ``hashes``. A board is a git repository of submissions with a
``board.yaml``. Nothing that a card claims is taken for a result: every number follows from the lists, by passage id.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
