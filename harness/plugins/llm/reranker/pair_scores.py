"""Stored scores of pairs: an artifact of shards, each named by the hash of its content."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import Float64Array
from harness.core.artifact import MANIFEST
from harness.core.files import whole, write_json
from harness.core.identity import code_version, library_versions
from harness.core.input.read import DAMAGED

log = logging.getLogger(__name__)


class PairScores:
    """The scores in a folder, by the SHA-256 (hex) of the pair; several processes may add to it.

    A shard is written completely or not at all. A shard whose content does not match its name is
    reported and left out: its pairs are scored again.

    Attributes:
        about: description of the scores in the manifest.
    """

    def __init__(self, folder: Path, about: Mapping[str, object]) -> None:
        self.folder = folder
        self.about = about
        self.known: dict[str, float] = {}
        for path in sorted(folder.glob("*.npz")):
            self._read(path)

    def __contains__(self, key: str) -> bool:
        return key in self.known

    def __getitem__(self, key: str) -> float:
        return self.known[key]

    def add(self, keys: Sequence[str], scores: Float64Array) -> None:
        """Store the scores float64[n] of these pairs."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / MANIFEST).exists():
            facts = {"code": code_version(), "libraries": library_versions()}
            write_json(self.folder / MANIFEST, {**self.about, "key": self.folder.name, **facts})
        digests = np.frombuffer(bytes.fromhex("".join(keys)), dtype=np.uint8).reshape(-1, 32)
        place = self.folder / f"{_name(digests, scores)}.npz"
        with whole(place) as partial, partial.open("wb") as stream:
            np.savez(stream, pairs=digests, scores=scores)
        self.known.update(zip(keys, scores.tolist(), strict=True))

    def _read(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as shard:
                digests, scores = shard["pairs"], shard["scores"]
        except DAMAGED:
            digests, scores = np.empty((0, 32), dtype=np.uint8), np.empty(0)
        if _name(digests, scores) != path.stem:
            log.warning("%s is damaged; its pairs are counted again", path)
            return
        keys = digests.tobytes().hex()
        self.known.update(
            (keys[64 * place : 64 * place + 64], score)
            for place, score in enumerate(scores.tolist())
        )


def _name(digests: NDArray[np.uint8], scores: Float64Array) -> str:
    return hashlib.sha256(digests.tobytes() + scores.tobytes()).hexdigest()[:20]
