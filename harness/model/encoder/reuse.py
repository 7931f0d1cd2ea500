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
    missing = {digest.tobytes(): text for digest, text in zip(text_hashes(texts), texts, strict=True)}
    found: dict[str, tuple[NDArray[np.float32], bool]] = {}
    for artifact in artifacts:
        if not (artifact.path / TEXTS).exists() or any(artifact.facts.get(key) != facts[key] for key in facts):
            continue
        vectors = np.load(artifact.path / EMBEDDINGS, mmap_mode="r", allow_pickle=False)
        with np.load(artifact.path / TEXTS, allow_pickle=False) as told:
            held = zip(told["texts"], told["cut"].tolist(), strict=True)
        for row, (digest, cut) in enumerate(held):
            text = missing.pop(digest.tobytes(), None)
            if text is not None:
                found[text] = (vectors[row], cut)
    return found


def write_texts(folder: Path, texts: Sequence[str], cut: Mapping[str, bool]) -> None:
    """Write beside the vectors what ``known`` reads."""
    np.savez(folder / TEXTS, texts=text_hashes(texts), cut=np.array([cut[text] for text in texts], dtype=np.bool_))
