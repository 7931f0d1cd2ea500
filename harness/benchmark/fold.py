"""Folds of questions, for what learns from some and is scored on others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FOLDS = 5


def folds(query_ids: Sequence[str]) -> NDArray[np.int64]:
    """int64[Q]: the fold of each query, by the MD5 of its id: half of it, as its last bit is the split, modulo FOLDS.

    It depends on the id alone, so that more queries move none.
    """
    numbers = (int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) for name in query_ids)
    return np.fromiter((number // 2 % FOLDS for number in numbers), dtype=np.int64, count=len(query_ids))
