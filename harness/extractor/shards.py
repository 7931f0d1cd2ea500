"""Long work over texts, committed in shards: a killed run goes on after the last whole one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

SIZE = 1024
Rows = NDArray[np.int32]


def sharded(
    folder: Path, name: str, texts: Sequence[str], work: Callable[[Sequence[str]], Iterable[Rows]], size: int = SIZE
) -> list[Rows]:
    """``work`` over all texts: one int32[M_i, C] a text, C >= 1 columns the same for all.

    A shard ``<name>-00000.npz`` below ``folder`` holds ``size`` texts' rows and is renamed into place when whole.
    """
    result: list[Rows] = []
    with tqdm(total=len(texts), desc=f"extract {name}", unit="text", leave=False, disable=None) as progress:
        for place, first in enumerate(range(0, len(texts), size)):
            path = folder / f"{name}-{place:05d}.npz"
            if not path.exists():
                rows = list(work(texts[first : first + size]))
                lengths = np.array([len(row) for row in rows], dtype=np.int64)
                half = path.with_suffix(".half")
                with half.open("wb") as stream:
                    np.savez(stream, lengths=lengths, rows=np.concatenate(rows))
                half.rename(path)
            with np.load(path, allow_pickle=False) as shard:
                result += np.split(shard["rows"], np.cumsum(shard["lengths"])[:-1])
            progress.update(min(size, len(texts) - first))
    return result
