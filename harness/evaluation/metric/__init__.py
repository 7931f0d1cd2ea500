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

from .gold_ranks import RunRanks as RunRanks
from .gold_ranks import describe_ranges as describe_ranges
from .gold_ranks import gold_ranks as gold_ranks
from .gold_ranks import run_ranks as run_ranks
from .mean import groups as groups
from .mean import means as means
from .measure import ABSENT as ABSENT
from .measure import NONE as NONE
from .measure import Measure as Measure
from .measure import Metric as Metric
from .measure import Values as Values
from .measure import average as average
from .measure import definitions as definitions
from .measure import described_metrics as described_metrics
from .measure import metrics as metrics
