"""Loops over rows in the making of an artifact, shared by several processes.

Every process with a share runs the code that makes the artifact. At such a loop it computes the
parts that no other process holds and reads those of the others. So each process gets the whole
result, and one of them writes it. A process alone computes all rows at once and writes nothing
about the loop.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from harness.work.part_notes import RECORDS
from harness.work.parts import Advance, WorkPart, array_part, fill

Columns = tuple[NDArray[Any], ...]
C = TypeVar("C", bound=Columns)


@dataclass
class Building:
    """The artifact that several processes make.

    Attributes:
        folder: its folder.
        lock: the lock that is held while one process completes it.
        loops: number of loops that this process has begun.
    """

    folder: Path
    lock: AbstractContextManager[Any]
    loops: int = 0


_building: ContextVar[Building | None] = ContextVar("building", default=None)


@contextlib.contextmanager
def building(current: Building | None) -> Iterator[None]:
    """Make an artifact in a block together with other processes. None means alone."""
    token = _building.set(current)
    try:
        yield
    finally:
        _building.reset(token)


def map_rows(what: str, work: Callable[[slice], C], count: int, size: int) -> C:
    """Return the columns of ``count`` rows: the arrays of all slices, concatenated along axis 0.

    The result for a row must not depend on the slice. All processes begin the same loops in the
    same order.

    Args:
        what: the name of the loop.
        work: returns the arrays of a slice of rows.
        count: number of rows.
        size: number of rows of a part.

    Raises:
        Unfinished: parts belong to other shares.
        FileNotFoundError: another process has completed the artifact.
    """
    current = _building.get()
    if current is None or not count:
        return work(slice(0, count))
    folder = current.folder / RECORDS / f"{current.loops:03d}-{what.replace(' ', '-')}-{count}"
    current.loops += 1
    with current.lock:  # the folder is not completed meanwhile
        folder.parent.mkdir(exist_ok=True)
        folder.mkdir(exist_ok=True)
    parts = [_part(folder / f"{part.start:09d}.npz", part, work) for part in cut(count, size)]
    fill(folder, parts, what)
    slices = [_read(part.path) for part in parts]
    return cast("C", tuple(np.concatenate(column) for column in zip(*slices, strict=True)))


def cut(count: int, size: int) -> list[slice]:
    """Return ``count`` rows in slices of ``size``. The last one may be smaller."""
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]


def _part(path: Path, part: slice, work: Callable[[slice], Columns]) -> WorkPart:
    def compute(advance: Advance) -> dict[str, NDArray[Any]]:
        with building(None):  # loops within a part are not shared
            columns = work(part)
        advance(part.stop - part.start)
        return {f"arr_{place}": column for place, column in enumerate(columns)}

    return array_part(path, compute, part.stop - part.start)


def _read(path: Path) -> Columns:
    with np.load(path, allow_pickle=False) as arrays:
        return tuple(arrays[f"arr_{place}"] for place in range(len(arrays.files)))
