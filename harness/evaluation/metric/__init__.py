"""Metrics, which are functions of **gold ranks**: the rank of each supporting passage in a ranked
list.

Gold ranks are int32[..., H], one for each supporting passage, in hop order: 1 is the first place of
the list, ``ABSENT`` means not retrieved, ``NONE`` means that there is no passage (padding, at the
end). The last entry before the padding is the last hop; padding that ends with ``UNORDERED`` (-2)
means that the hop order is unknown.

>>> import numpy as np
>>> ranks = np.array([[1, 7], [3, 2], [ABSENT, 1]], dtype=np.int32)
>>> Metric.parse("last_hop@5")(ranks).tolist()
[0.0, 1.0, 1.0]
>>> Metric.parse("full_sup@5")(ranks).tolist()
[0.0, 1.0, 0.0]
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
