"""Arrays that are put away: in memory up to a limit, from then on in a temporary file that has no name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from harness.errors import HarnessError

Values = NDArray[Any]
Box = Callable[[int, int], Values]
"""``box(low, high)``: these elements of an array that was put away."""


class Shelf:
    """Keeps arrays. memory: bytes that stay in memory; the file lies where TMPDIR says and goes with the last box."""

    def __init__(self, memory: int) -> None:
        """An empty shelf."""
        self._room = memory
        self._file: IO[bytes] | None = None

    def put(self, values: Values) -> Box:
        """Put a one-dimensional array away; the box gives parts of it back."""
        if values.nbytes <= self._room:
            self._room -= values.nbytes
            return lambda low, high: values[low:high]
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when no box needs it
            start = self._file.seek(0, os.SEEK_END)
            self._file.write(np.ascontiguousarray(values).data)
            self._file.flush()
        except OSError as error:
            raise HarnessError(
                f"{tempfile.gettempdir()}: cannot write ({error.strerror}); lists that are larger than memory wait "
                "there: free some space or set TMPDIR to another folder"
            ) from error
        file, kind = self._file, values.dtype
        return lambda low, high: np.frombuffer(
            os.pread(file.fileno(), (high - low) * kind.itemsize, start + low * kind.itemsize), dtype=kind
        )
