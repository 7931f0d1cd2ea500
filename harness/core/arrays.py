"""Types of arrays, columns of Arrow as arrays, and files of arrays."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.core.errors import HarnessError, in_words
from harness.core.files import whole

Float64Array = NDArray[np.float64]
Float32Array = NDArray[np.float32]
Int64Array = NDArray[np.int64]
Int32Array = NDArray[np.int32]
BoolArray = NDArray[np.bool_]
N = TypeVar("N", bound=np.integer[Any])


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


def evenly(size: int, count: int) -> Int64Array:
    """Return int64[n], up to ``count`` evenly chosen numbers of 0 to ``size - 1``, ascending."""
    return np.unique(np.linspace(0, size - 1, min(count, size)).astype(np.int64))


def find(values: pa.Array, among: pa.Array, absent: int = -1) -> Int32Array:
    """Return int32[N], the place of each value in another array, ``absent`` if it is not there."""
    places = pc.index_in(values, value_set=among)
    if places.null_count:
        places = pc.coalesce(places, arrow(np.full(len(places), absent, np.int32)))
    return to_numpy(places)


def write_array(path: Path, values: NDArray[Any]) -> None:
    """Write a NumPy file."""
    with whole(path) as partial, partial.open("wb") as stream:
        np.save(cast("IO[bytes]", _Plain(stream)), values, allow_pickle=False)


def load_array(path: Path, mapped: bool = False) -> NDArray[Any]:
    """Return the array of a NumPy file, of the shape and type that it says (``float32[n, d]``).

    Args:
        path: the file.
        mapped: whether it stays on disk and is read where it is used.

    Raises:
        HarnessError: it cannot be read, or holds Python objects, which are never loaded.
    """
    try:
        return np.asarray(np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False))
    except (OSError, EOFError, ValueError, SyntaxError) as error:
        raise HarnessError(
            f"{path}: expected a NumPy file of numbers ({in_words(error)}); delete its folder, and "
            "the same command makes it again, or get the file again"
        ) from error


def distinct(values: NDArray[N]) -> NDArray[N]:
    """Return the different whole numbers of ``values``, int[n], ascending.

    They are sorted. ``np.unique`` of NumPy 2.4 hashes them, which takes 15 to 80 times as long.
    """
    ordered = np.sort(values)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


class _Plain:
    """A stream that NumPy has to write to.

    For a file NumPy uses a buffer of its own, and on a full disk it loses the rest of that buffer
    without an error.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.write = stream.write
