"""Long work over texts, committed in shards: a killed run goes on after the last whole one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.work.parts import Advance, Part, array_part, fill

SIZE = 1024
Rows = NDArray[np.int32]


def fill_shards(
    folder: Path,
    name: str,
    texts: Sequence[str],
    work: Callable[[Sequence[str]], Iterable[Rows]],
    made_by: str | None = None,
    at_once: int = 1,
    size: int = SIZE,
) -> list[Part]:
    """The shards of ``work`` over texts, computed where they are missing, beside other processes that do the same.

    work: one int32[M_i, C] a text, C >= 1 columns the same for all.    made_by: what it is, for other processes.
    A shard ``<name>-00000.npz`` below ``folder`` holds ``size`` texts' rows; it is written whole or not at all, and a
    damaged one is made again.    at_once: shards in work at the same time, by threads; ``work`` must allow it.
    """

    def shard(number: int) -> Part:
        own = texts[number * size : (number + 1) * size]

        def compute(advance: Advance) -> dict[str, NDArray[np.int64] | Rows]:
            rows = list(work(own))
            advance(len(own))
            return {"lengths": np.array([len(row) for row in rows], dtype=np.int64), "rows": np.concatenate(rows)}

        path = folder / f"{name}-{number:05d}.npz"
        return array_part(path, compute, len(own), ("lengths",), "its texts are read again")

    parts = [shard(number) for number in range(-(-len(texts) // size))]
    fill(folder, parts, f"extract {name}", {"made_by": made_by}, at_once)
    return parts


def read_rows(parts: Iterable[Part]) -> list[Rows]:
    """The rows of all texts of some shards."""
    found: list[Rows] = []
    for part in parts:
        with np.load(part.path, allow_pickle=False) as shard:
            found += np.split(shard["rows"], np.cumsum(shard["lengths"])[:-1])
    return found
