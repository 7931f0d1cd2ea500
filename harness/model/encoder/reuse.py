"""Vectors that finished artifacts hold already, for encoders whose vectors follow from each text alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.artifact import Artifact
from harness.core.identity import text_hashes

EMBEDDINGS = "embeddings.npy"
TEXTS = "texts.npz"

Known = Mapping[str, tuple[NDArray[np.float32], bool]]
"""The vector of a text, and whether the text was cut."""


def find_vectors(artifacts: Iterable[Artifact], facts: Mapping[str, Any], texts: Sequence[str]) -> Known:
    """What these artifacts, which the same encoder made, know of the texts.

    facts: of the opened model (device, backend, longest text); an artifact of others may have other bits.
    """
    asked, found = _as_names(text_hashes(texts)), dict[str, tuple[NDArray[np.float32], bool]]()
    for artifact in artifacts:
        if not (artifact.path / TEXTS).exists() or any(artifact.facts.get(key) != facts[key] for key in facts):
            continue
        vectors = np.load(artifact.path / EMBEDDINGS, mmap_mode="r", allow_pickle=False)
        with np.load(artifact.path / TEXTS, allow_pickle=False) as told:
            held, cut = _as_names(told["texts"]), told["cut"]
        _, rows, places = np.intersect1d(held, asked, return_indices=True)
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            found.setdefault(texts[place], (vectors[row], bool(cut[row])))
    return found


def _as_names(hashes: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """A string a row, so that rows are compared whole."""
    return np.ascontiguousarray(hashes).view(f"S{hashes.shape[1]}")[:, 0]


def write_texts(folder: Path, texts: Sequence[str], cut: Mapping[str, bool]) -> None:
    """Write beside the vectors what ``known`` reads."""
    np.savez(folder / TEXTS, texts=text_hashes(texts), cut=np.array([cut[text] for text in texts], dtype=np.bool_))
