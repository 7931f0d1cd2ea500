"""Folds of questions, for what learns from some and is scored on others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FOLDS = 5


def folds(names: Sequence[str], salt: str = "") -> NDArray[np.int64]:
    """int64[n]: the fold of each name, by the MD5 of salt and name: half of it, as its last bit is the split, modulo
    FOLDS. The protocol's own folds have no salt.
    """
    numbers = (int(hashlib.md5(f"{salt}{name}".encode(), usedforsecurity=False).hexdigest(), 16) for name in names)
    return np.fromiter((number // 2 % FOLDS for number in numbers), dtype=np.int64, count=len(names))
