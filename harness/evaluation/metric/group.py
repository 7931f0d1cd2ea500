"""Groups of queries with the same label."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


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
