"""Sparse matrices of an artifact, held against their form as they are read: compiled code trusts their indices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.core.files import REBUILD
from harness.core.input import DAMAGED

Shape = tuple[int | None, int | None]


def read_matrix(path: Path, shape: Shape) -> sp.csr_array:
    """The matrix of an ``.npz`` file of SciPy.    shape: None for an axis of any length.

    Raises HarnessError for a file that holds none, another shape, indices out of it, and values that are not finite.
    """
    try:
        found = sp.csr_array(sp.load_npz(path))
    except DAMAGED as error:
        raise HarnessError(f"{path}: no sparse matrix of SciPy ({error}); {REBUILD}") from error
    return check_matrix(found, path, shape)


def check_matrix(found: sp.csr_array, where: str | Path, shape: Shape) -> sp.csr_array:
    """The matrix. Raises HarnessError, which begins with ``where``, as ``read_matrix`` does."""
    if any(wanted not in (None, size) for wanted, size in zip(shape, found.shape, strict=True)):
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise HarnessError(f"{where}: a matrix [{', '.join(map(str, found.shape))}], expected [{wanted}]; {REBUILD}")
    try:
        found.check_format(full_check=True)
    except ValueError as error:
        raise HarnessError(f"{where}: {error}; {REBUILD}") from error
    if not np.isfinite(found.data).all():
        raise HarnessError(f"{where}: a value that is not finite; {REBUILD}")
    return found


def read_arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file, float[any] or int[any], by name. Raises HarnessError where it holds none."""
    try:
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except DAMAGED as error:
        raise HarnessError(f"{path}: no arrays of NumPy ({error}); {REBUILD}") from error
