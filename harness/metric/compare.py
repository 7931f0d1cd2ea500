"""Two systems on the same queries: where one finds what the other does not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from harness.metric.measure import Metric, Ranks
from harness.metric.tabled import Tabled, parts
from harness.threads import available, each


def wins_losses(ranks: Ranks, baseline: Ranks, metric: Metric) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """bool[..., Q] each: the queries where ``metric`` is greater than, and smaller than, the baseline's (PG 4.3).

    ranks: int32[..., Q, H]. baseline: int32[Q, H]. With ``last_hop@k`` these are `graph_win` and `graph_loss`.
    """
    other = metric(baseline)
    tabled = Tabled.of(ranks, [metric]) if ranks.ndim == 3 else None
    if tabled is None:
        own = metric(ranks)
        return own > other, own < other
    from harness.metric.kernel import compared

    won, lost = (np.empty(tabled.numbers.shape, dtype=np.bool_) for _ in range(2))

    def work(part: slice) -> None:
        compared(tabled.numbers[part], tabled.values[tabled.rows, 0], other, won[part], lost[part])

    for _ in each(work, parts(*tabled.numbers.shape), available()):
        pass
    return won, lost


def groups(labels: Iterable[object]) -> dict[str, NDArray[np.int64]]:
    """The members int64[n] (query numbers, ascending) of each label, labels ascending; None is in no group.

    Numbers are ordered as numbers: hops 2, 3, 10.
    """
    members: dict[object, list[int]] = {}
    for number, label in enumerate(labels):
        if label is not None and label == label:
            members.setdefault(label, []).append(number)
    ordered = sorted(members, key=lambda label: (isinstance(label, str), label))
    return {str(label): np.array(members[label], dtype=np.int64) for label in ordered}
