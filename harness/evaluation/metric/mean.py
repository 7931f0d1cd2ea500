"""Means of many metrics over many trials, and groups of questions with the same label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from harness.benchmark import UNORDERED
from harness.core.arrays import Int64Array
from harness.evaluation.metric.measure import ABSENT, Metric, Ranks, Values, average


def means(ranks: Ranks, metrics: Sequence[Metric]) -> Values:
    """Return float64[T, M], the mean of each metric over the questions; NaN without questions.

    A metric is computed once for each distinct tuple of ranks; the bits are those of
    ``average(metric(ranks[t]))``.

    Args:
        ranks: int32[T, Q, H].
        metrics: M metrics.
    """
    if not ranks.size:
        empty = np.nan if not ranks.shape[1] else 0.0
        return np.full((len(ranks), len(metrics)), empty)
    tuples, number = _distinct(ranks)
    return np.stack([average(metric(tuples)[number]) for metric in metrics], axis=-1)


def _distinct(ranks: Ranks) -> tuple[Ranks, Int64Array]:
    """Return the distinct tuples of ranks, int32[N, H], and their indices int64[T, Q]."""
    hops, deepest = ranks.shape[-1], int(ranks[ranks < ABSENT].max(initial=0))
    flat = ranks.reshape(-1, hops)
    if (deepest + 4) ** hops > np.iinfo(np.int64).max:
        return flat, np.arange(len(flat)).reshape(ranks.shape[:-1])
    code = np.zeros(len(flat), dtype=np.int64)
    for hop in range(hops):
        code = code * (deepest + 4) + np.clip(flat[:, hop], UNORDERED, deepest + 1)
    _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return flat[first], number.reshape(ranks.shape[:-1])


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
