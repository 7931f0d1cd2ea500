"""Arrays of artifacts: written, read and checked, because compiled code trusts their indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.core.files import REBUILD, whole
from harness.core.input import DAMAGED

if TYPE_CHECKING:
    import scipy.sparse as sp

Float64Array = NDArray[np.float64]
Float32Array = NDArray[np.float32]
Int64Array = NDArray[np.int64]
Int32Array = NDArray[np.int32]
BoolArray = NDArray[np.bool_]
N = TypeVar("N", bound=np.integer[Any])
Shape = tuple[int | None, int | None]


def arrow(values: Iterable[str] | NDArray[Any]) -> pa.Array:
    """Return texts or numbers as an Arrow array.

    ``pa.array``, ``pa.scalar`` and ``to_numpy`` import pandas, which takes longer than a comparison
    of two runs. This function and the next two do not.

    Raises:
        TypeError: a value is no text.
    """
    if not isinstance(values, np.ndarray):
        builder = pa.lib.StringBuilder()
        builder.append_values(values)
        return builder.finish()
    kind, data = pa.from_numpy_dtype(values.dtype), np.ascontiguousarray(values)
    if values.dtype == bool:
        data = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(data)])


def to_numpy(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers without nulls, such as int32[N]. It may not be written to."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.from_dlpack(array)


def find(values: pa.Array, among: pa.Array, absent: int = -1) -> Int32Array:
    """Return int32[N], the place of each value in another array, ``absent`` if it is not there."""
    found = pc.index_in(values, value_set=among)
    if found.null_count:
        found = pc.coalesce(found, arrow(np.full(len(found), absent, np.int32)))
    return to_numpy(found)


def write_array(path: Path, values: NDArray[Any]) -> None:
    """Write a NumPy file."""
    with whole(path) as partial, partial.open("wb") as stream:
        np.save(cast("IO[bytes]", _Plain(stream)), values, allow_pickle=False)


def read_array(
    path: Path,
    dtype: Any,
    shape: tuple[int | None, ...],
    least: float | None = None,
    most: float | None = None,
    mapped: bool = False,
) -> NDArray[Any]:
    """Return the array of a NumPy file, such as int64[N].

    Args:
        path: the file.
        dtype: the type of its values.
        shape: its shape; None for an axis of any length.
        least: lower bound of its values, included.
        most: upper bound of its values, included.
        mapped: whether the file is memory-mapped.

    Raises:
        HarnessError: another form of array, or a value that is NaN or out of bounds. Compiled code
            would access memory outside of an array.
    """
    try:
        found = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TokenError) as error:
        raise HarnessError(f"{path}: no array of NumPy ({error}); {REBUILD}") from error
    check_array(found, path, dtype, shape, least, most)
    return cast("NDArray[Any]", found)


def check_array(
    found: NDArray[Any],
    where: str | Path,
    dtype: Any,
    shape: tuple[int | None, ...],
    least: float | None = None,
    most: float | None = None,
) -> None:
    """Raise HarnessError, which begins with ``where``, for another form of array or a value out of
    bounds.
    """
    _check_form(where, (found.dtype, *found.shape), (np.dtype(dtype), *shape))
    for bound, outside in ((least, np.less), (most, np.greater)):
        if bound is not None and found.size and (np.isnan(found) | outside(found, bound)).any():
            bad = found[np.isnan(found) | outside(found, bound)][0]
            raise HarnessError(f"{where}: value {bad}, expected {least} to {most}; {REBUILD}")


def distinct(values: NDArray[N]) -> NDArray[N]:
    """Return the different whole numbers of ``values``, int[n], ascending.

    They are sorted. ``np.unique`` of NumPy 2.4 hashes them, which takes 15 to 80 times as long.
    """
    ordered = np.sort(values)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def read_matrix(path: Path, shape: Shape) -> sp.csr_array:
    """Return the sparse matrix of an ``.npz`` file of SciPy.

    Args:
        path: the file.
        shape: its shape; None for an axis of any length.

    Raises:
        HarnessError: no matrix, another shape, an index out of bounds, or a value that is not
            finite.
    """
    import scipy.sparse as sp

    try:
        found = sp.csr_array(sp.load_npz(path))
    except DAMAGED as error:
        raise HarnessError(f"{path}: no sparse matrix of SciPy ({error}); {REBUILD}") from error
    return check_matrix(found, path, shape)


def check_matrix(found: sp.csr_array, where: str | Path, shape: Shape) -> sp.csr_array:
    """Return the matrix. Raise HarnessError, which begins with ``where``, as ``read_matrix``
    does.
    """
    _check_form(where, ("a matrix", *found.shape), ("a matrix", *shape))
    try:
        found.check_format(full_check=True)
        if not np.isfinite(found.data).all():
            raise ValueError("a value that is not finite")
    except ValueError as error:
        raise HarnessError(f"{where}: {error}; {REBUILD}") from error
    return found


def _check_form(where: str | Path, there: Sequence[object], wanted: Sequence[object]) -> None:
    """Raise HarnessError unless type and shape are the wanted ones; None: any length."""
    if len(there) != len(wanted) or any(
        one not in (None, other) for one, other in zip(wanted, there, strict=True)
    ):
        (own, *shape), (kind, *axes) = there, wanted
        sizes = ", ".join("any" if size is None else str(size) for size in axes)
        raise HarnessError(
            f"{where}: {own}[{', '.join(map(str, shape))}], expected {kind}[{sizes}]; {REBUILD}"
        )


def read_arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file, such as int64[N], by name.

    Raises:
        HarnessError: there are none.
    """
    try:
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except DAMAGED as error:
        raise HarnessError(f"{path}: no arrays of NumPy ({error}); {REBUILD}") from error


class _Plain:
    """A stream that NumPy has to write to.

    For a file NumPy uses a buffer of its own, and on a full disk it loses the rest of that buffer
    without an error.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.write = stream.write
