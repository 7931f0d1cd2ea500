"""Encoders: texts to vectors.

An encoder is a frozen dataclass of parameters; ``open`` loads what encodes. ``embed`` is the one way in: it keeps the
vectors as an artifact, so that a model is loaded only when something has to be encoded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import read_array
from harness.core.artifact import Facts
from harness.core.errors import one_of
from harness.core.identity import identity, texts_sha256
from harness.model.encoder.shards import EMBEDDINGS, encode, fill_shards
from harness.work.store import Store

Role = Literal["passage", "question", "name"]
ROLES = ("passage", "question", "name")
BLOCK = 8192
"""Pairs whose products are held at once."""


@runtime_checkable
class Model(Protocol):
    """An opened encoder.

    dimension: the length of its vectors.
    facts: what is worth knowing about the run in the manifest: device, backend, the longest text it reads.
    at_once: may be left out (1): from how many threads ``encode`` is called at the same time, each with other texts.
    """

    dimension: int
    facts: Facts

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """float32[n, d], of any length, and bool[n], which texts were cut. The bits follow from ``texts`` alone.

        advance: called with how many more texts are done.
        """
        ...


@runtime_checkable
class Encoder(Protocol):
    """A frozen, hashable dataclass that opens a model."""

    def open(self) -> Model:
        """Load the model. Libraries that take seconds are imported here."""
        ...

    def __hash__(self) -> int:
        """Equal encoders share their opened model."""
        ...


def embed(encoder: Encoder, texts: Sequence[str], role: Role, store: Store) -> NDArray[np.float32]:
    """float32[n, d]: the vectors of the texts, each of length 1, memory-mapped from their artifact.

    role: what the texts are: ``passage``, ``question`` or ``name`` (of an entity). Equal texts get equal bits.
    """
    one_of("role", role, ROLES)

    def fill(folder: Path) -> None:
        fill_shards(folder, _open(encoder), texts, role)

    def build(folder: Path) -> Facts:
        return encode(folder, _open(encoder), texts, role)

    config = {"encoder": identity(encoder), "role": role}
    what = f"{len(texts):,} {role}s with {type(encoder).__name__}"
    artifact = store.get("encode", config, {"texts": texts_sha256(texts)}, build, fill=fill, what=what)
    vectors: NDArray[np.float32] = read_array(artifact.path / EMBEDDINGS, np.float32, (len(texts), None), mapped=True)
    return vectors


@functools.lru_cache(maxsize=1)
def _open(encoder: Encoder) -> Model:
    return encoder.open()


def pair_cosines(
    left: NDArray[np.float32], rows: NDArray[np.integer], right: NDArray[np.float32], columns: NDArray[np.integer]
) -> NDArray[np.float64]:
    """float64[n]: the inner product of left[rows[i]] and right[columns[i]], vectors of length 1.

    Products are exact in float64 and each pair is summed alone, so its bits depend on no other pair.
    """
    result = np.empty(len(rows))
    for first in range(0, len(rows), BLOCK):
        part = slice(first, first + BLOCK)
        result[part] = np.multiply(left[rows[part]], right[columns[part]], dtype=np.float64).sum(axis=1)
    return result
