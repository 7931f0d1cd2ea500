"""Means of many metrics over many trials, and groups of questions with the same label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from harness.core.arrays import Int64Array
from harness.evaluation.metric.measure import Metric, Ranks, Values, average


def means(ranks: Ranks, metrics: Sequence[Metric]) -> Values:
    """Return float64[T, M], the mean of each metric over the questions; NaN without questions.

    Args:
        ranks: int32[T, Q, H].
        metrics: M metrics.
    """
    found = np.full((len(ranks), len(metrics)), np.nan)
    for place, own in enumerate(ranks if ranks.shape[1] else ()):
        found[place] = [average(metric(own)) for metric in metrics]
    return found


def groups(labels: Iterable[object]) -> dict[str, Int64Array]:
    """Return the indices int64[n] of the questions with each label, labels ascending; None is
    skipped.

    Numbers are sorted as numbers: hops 2, 3, 10.
    """
    members: dict[object, list[int]] = {}
    for number, label in enumerate(labels):
        if label is not None and label == label:
            members.setdefault(label, []).append(number)
    ordered = sorted(members, key=lambda label: (isinstance(label, str), label))
    return {str(label): np.array(members[label], dtype=np.int64) for label in ordered}
