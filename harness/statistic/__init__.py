"""Statistics: is the difference more than chance, how large is it, and could it have been seen at all?"""

from __future__ import annotations

from harness.statistic.cluster import clustered_bootstrap, clusters
from harness.statistic.difference import difference_interval, equivalence
from harness.statistic.interval import bootstrap, wilson
from harness.statistic.multiple import benjamini_hochberg, holm
from harness.statistic.paired import mcnemar, odds_ratio, paired_odds_ratio
from harness.statistic.permutation import max_statistic
from harness.statistic.power import mcnemar_power, queries_needed, smallest_effect
from harness.statistic.selection import Expected, expected

__all__ = [
    "Expected",
    "benjamini_hochberg",
    "bootstrap",
    "clustered_bootstrap",
    "clusters",
    "difference_interval",
    "equivalence",
    "expected",
    "holm",
    "max_statistic",
    "mcnemar",
    "mcnemar_power",
    "odds_ratio",
    "paired_odds_ratio",
    "queries_needed",
    "smallest_effect",
    "wilson",
]
