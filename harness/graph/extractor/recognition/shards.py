"""Long work over texts, committed in shards: a killed run goes on after the last whole one.

Beside the shards lies what names their texts, so that work on a corpus that has grown takes from there what it can.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.core.files import whole
from harness.core.identity import text_hashes
from harness.core.input import DAMAGED
from harness.work.parts import Advance, Part, fill
from harness.work.store import stage_artifacts

log = logging.getLogger(__name__)
SIZE = 1024
Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Shards:
    """``work`` over texts: one int32[M_i, C] a text, C >= 1 columns the same for all.

    A shard ``<name>-00000.npz`` below ``folder`` holds ``size`` texts' rows; it is written whole or not at all, and a
    damaged one is made again.
    made_by: what ``work`` is, where a text's rows follow from the text alone. Then ``<name>-texts.npz`` names the
    texts, and rows of the same texts are taken from the finished artifacts beside this one that were made so.
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
    def known(self) -> dict[str, Rows]:
        """The rows that finished artifacts hold, by text."""
        return {} if self.made_by is None else _known(self.folder, self.name, self.made_by, self.texts)

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
        if self.made_by is not None:
            with whole(self.folder / f"{self.name}-texts.npz") as partial, partial.open("wb") as stream:
                np.savez(stream, made_by=np.array(self.made_by), texts=text_hashes(self.texts))
        return [rows for part in self.parts for rows in _rows(part.path)]

    def _part(self, place: int) -> Part:
        texts = self.texts[place * self.size : (place + 1) * self.size]

        def work(partial: Path, advance: Advance) -> None:
            fresh = [text for text in texts if text not in self.known]
            done = iter(self.work(fresh)) if fresh else iter(())
            rows = [self.known[text] if text in self.known else next(done) for text in texts]
            with partial.open("wb") as stream:
                lengths = np.array([len(row) for row in rows], dtype=np.int64)
                np.savez(stream, lengths=lengths, rows=np.concatenate(rows))
            advance(len(texts))

        path = self.folder / f"{self.name}-{place:05d}.npz"
        return Part(path, work, lambda path: _whole(path, len(texts)), len(texts))


def _known(folder: Path, name: str, made_by: str, texts: Sequence[str]) -> dict[str, Rows]:
    """The rows of those texts that finished artifacts hold."""
    missing = {digest.tobytes(): text for digest, text in zip(text_hashes(texts), texts, strict=True)}
    known: dict[str, Rows] = {}
    for artifact in stage_artifacts(folder):
        for path in sorted(artifact.path.rglob(f"{name}-texts.npz")):
            with np.load(path, allow_pickle=False) as found:
                same = str(found["made_by"]) == made_by
                held = [digest.tobytes() for digest in found["texts"]] if same else []
            if any(digest in missing for digest in held):
                shards = sorted(path.parent.glob(f"{name}-[0-9]*.npz"))
                for digest, rows in zip(held, (row for shard in shards for row in _rows(shard)), strict=True):
                    if digest in missing:
                        known[missing.pop(digest)] = rows
    return known


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
