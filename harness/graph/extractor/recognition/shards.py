"""Long work over texts, committed in shards: a killed run goes on after the last whole one."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.core.input import DAMAGED
from harness.work.parts import Advance, Part, fill

log = logging.getLogger(__name__)
SIZE = 1024
Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Shards:
    """``work`` over texts: one int32[M_i, C] a text, C >= 1 columns the same for all.

    A shard ``<name>-00000.npz`` below ``folder`` holds ``size`` texts' rows; it is written whole or not at all, and a
    damaged one is made again.
    made_by: what ``work`` is, for other processes that fill the same shards.
    at_once: shards in work at the same time, by threads; ``work`` must allow it.
    """

    folder: Path
    name: str
    texts: Sequence[str]
    work: Callable[[Sequence[str]], Iterable[Rows]]
    size: int = SIZE
    made_by: str | None = None
    at_once: int = 1

    @functools.cached_property
    def parts(self) -> list[Part]:
        """The shards in order."""
        return [self._part(place) for place in range(-(-len(self.texts) // self.size))]

    def fill(self) -> None:
        """Compute the shards that are missing, beside other processes that do the same."""
        fill(self.folder, self.parts, f"extract {self.name}", {"made_by": self.made_by}, self.at_once)

    def rows(self) -> list[Rows]:
        """The rows of all texts."""
        self.fill()
        return [rows for part in self.parts for rows in _rows(part.path)]

    def _part(self, place: int) -> Part:
        texts = self.texts[place * self.size : (place + 1) * self.size]

        def work(partial: Path, advance: Advance) -> None:
            rows = list(self.work(texts))
            with partial.open("wb") as stream:
                lengths = np.array([len(row) for row in rows], dtype=np.int64)
                np.savez(stream, lengths=lengths, rows=np.concatenate(rows))
            advance(len(texts))

        path = self.folder / f"{self.name}-{place:05d}.npz"
        return Part(path, work, lambda path: _whole(path, len(texts)), len(texts))


def _whole(path: Path, count: int) -> bool:
    """Whether the shard is there and undamaged (its checksums are the archive's own)."""
    try:
        return len(_rows(path)) == count
    except FileNotFoundError:
        return False
    except DAMAGED:
        log.warning("%s is damaged; its texts are read again", path)
        return False


def _rows(path: Path) -> list[Rows]:
    with np.load(path, allow_pickle=False) as shard:
        return np.split(shard["rows"], np.cumsum(shard["lengths"])[:-1])
