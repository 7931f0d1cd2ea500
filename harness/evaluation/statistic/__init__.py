"""Statistics: is the difference more than chance, how large is it, and could it have been seen at all?"""

from __future__ import annotations

from harness.evaluation.statistic.cluster import clustered_bootstrap, clustered_mcnemar, design_effect
from harness.evaluation.statistic.difference import difference_interval, equivalence
from harness.evaluation.statistic.interval import bootstrap, wilson
from harness.evaluation.statistic.multiple import benjamini_hochberg, holm
from harness.evaluation.statistic.paired import mcnemar, odds_ratio, paired_odds_ratio
from harness.evaluation.statistic.permutation import max_statistic
from harness.evaluation.statistic.power import mcnemar_power, queries_needed, smallest_effect
from harness.evaluation.statistic.selection import Expected, expected

__all__ = [
    "Expected",
    "benjamini_hochberg",
    "bootstrap",
    "clustered_bootstrap",
    "clustered_mcnemar",
    "design_effect",
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
