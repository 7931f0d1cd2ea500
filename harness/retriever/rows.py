"""Rows of scores over all passages to ranked lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def descending(
    values: NDArray[np.float32] | NDArray[np.float64], least: float
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Documents int32[N], scores, lengths of rows [B, D]: each row's entries >= ``least``, in the one order."""
    docs, scores, lengths = [], [], []
    for row in values:
        found = np.flatnonzero(row >= least)
        found = found[np.argsort(-row[found], kind="stable")]
        docs.append(found.astype(np.int32))
        scores.append(row[found].astype(np.float64))
        lengths.append(len(found))
    return (
        np.concatenate([*docs, np.empty(0, np.int32)]),
        np.concatenate([*scores, np.empty(0)]),
        np.array(lengths, dtype=np.int64),
    )
