"""Encoders: texts to vectors.

An encoder is a frozen dataclass of parameters, and ``open`` loads its model. All callers use
``embed``, which keeps the vectors as an artifact. So a model is loaded only if something has to be
encoded. Texts are encoded in shards: a killed process loses at most its current shard.
"""

from __future__ import annotations

import functools
import itertools
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Float32Array, Float64Array, load_array, write_array
from harness.core.artifact import Artifact, Facts
from harness.core.device import in_halves
from harness.core.errors import HarnessError, described, one_of
from harness.core.files import allocate, write_text
from harness.core.identity import identity, texts_sha256
from harness.work.parts import Advance, WorkPart, array_part, fill
from harness.work.store import Store

Role = Literal["passage", "question", "name"]
ROLES = ("passage", "question", "name")
BLOCK = 1024
"""Number of pairs whose products are held at once."""
EMBEDDINGS = "embeddings.npy"
COUNTED = "counted.json"
CUT = "cut.npy"
SMALLER = "make encoder.batch_size smaller, or encode on the CPU: encoder.device=cpu"
SHARD = 1024
"""Number of texts of a shard. It is no parameter: it decides which texts share a batch, and so the
last bits.
"""
Shard = tuple[WorkPart, list[str]]


@runtime_checkable
class Model(Protocol):
    """An opened encoder.

    Attributes:
        dimension: length of its vectors.
        facts: facts for the manifest: device, backend, number of tokens read.
        at_once: optional (1): number of threads that may call ``encode`` at the same time with
            different texts.
    """

    dimension: int
    facts: Facts

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Return float32[n, d], vectors of any length, and bool[n], which texts were cut.

        The bits depend only on ``texts``.

        Args:
            texts: the texts.
            role: what they are.
            advance: called with the number of further finished texts.
        """
        ...


@runtime_checkable
class Encoder(Protocol):
    """A frozen, hashable dataclass that opens a model."""

    def open(self) -> Model:
        """Load the model. Libraries that take seconds to import are imported here."""
        ...

    def __hash__(self) -> int:
        """Return the hash. Equal encoders share their opened model."""
        ...


def embed(encoder: Encoder, texts: Sequence[str], role: Role, store: Store) -> Float32Array:
    """Return float32[n, d], the vectors of the texts, each of length 1, memory-mapped from their
    artifact.

    Equal texts get equal bits.

    Args:
        encoder: the encoder.
        texts: the texts.
        role: ``passage``, ``question`` or ``name`` (of an entity).
        store: the store of artifacts.
    """
    path = _encoded(encoder, texts, role, store).path
    return load_array(path / EMBEDDINGS, mapped=True)


def find_cut(
    encoder: Encoder, texts: Sequence[str], role: Role, store: Store
) -> tuple[BoolArray, int | None]:
    """Return bool[n], whose end the encoder did not read, and the number of tokens that it reads.
    All are false for vectors of a release that did not store it.

    Args:
        encoder: the encoder.
        texts: the texts.
        role: as in ``embed``.
        store: the store of artifacts, with the vectors of these texts.
    """
    artifact = _encoded(encoder, texts, role, store)
    path = artifact.path / CUT
    cut = load_array(path) if path.is_file() else np.zeros(len(texts), np.bool_)
    return cut, artifact.facts.get("max_seq_length")


def _encoded(encoder: Encoder, texts: Sequence[str], role: Role, store: Store) -> Artifact:
    """Return the artifact with the vectors of texts."""
    one_of("role", role, ROLES)

    def fill_parts(folder: Path) -> None:
        fill_shards(folder, _open(encoder), texts, role)

    def build(folder: Path) -> Facts:
        return encode(folder, _open(encoder), texts, role)

    config = {"encoder": identity(encoder), "role": role}
    what = f"{len(texts):,} {role}s with {type(encoder).__name__}"
    inputs = {"texts": texts_sha256(texts)}
    return store.get("encode", config, inputs, build, fill=fill_parts, what=what)


@functools.lru_cache(maxsize=1)
def _open(encoder: Encoder) -> Model:
    return encoder.open()


def pair_cosines(
    left: Float32Array,
    rows: NDArray[np.integer],
    right: Float32Array,
    columns: NDArray[np.integer],
) -> Float64Array:
    """Return float64[n], the inner product of left[rows[i]] and right[columns[i]].

    The vectors have length 1. Products are exact in float64 and each pair is summed alone, so its
    bits depend on no other pair.
    """
    result = np.empty(len(rows))
    for first in range(0, len(rows), BLOCK):
        part = slice(first, first + BLOCK)
        left_rows, right_rows = left[rows[part]], right[columns[part]]
        result[part] = np.einsum(
            "ij,ij->i", left_rows, right_rows, dtype=np.float64, casting="unsafe"
        )
    return result


def shards(folder: Path, model: Model, texts: Sequence[str], role: Role) -> list[Shard]:
    """Return the distinct texts, longest first, in consecutive shards below ``folder``."""
    distinct = sorted(dict.fromkeys(texts), key=len, reverse=True)
    return [
        _shard(folder / "shards" / f"{start:09d}.npz", distinct[start : start + SHARD], model, role)
        for start in range(0, len(distinct), SHARD)
    ]


def fill_shards(folder: Path, model: Model, texts: Sequence[str], role: Role) -> list[Shard]:
    """Encode the missing shards, together with other processes that do the same."""
    parts = [] if (folder / COUNTED).exists() else shards(folder, model, texts, role)
    if parts:
        (folder / "shards").mkdir(exist_ok=True)
        fill(
            folder,
            [part for part, _ in parts],
            f"encode {role}",
            model.facts,
            getattr(model, "at_once", 1),
        )
    return parts


def encode(folder: Path, model: Model, texts: Sequence[str], role: Role) -> Facts:
    """Write ``embeddings.npy``, a row of length 1 for each text, into ``folder``, and return the
    facts.

    Existing shards are used again. Equal texts are encoded once.
    """
    counted = folder / COUNTED
    if not counted.exists():
        parts = fill_shards(folder, model, texts, role)
        merged = _merge(parts, folder / EMBEDDINGS, texts, model.dimension)
        write_text(counted, json.dumps({**merged, **model.facts}, sort_keys=True))
    shutil.rmtree(folder / "shards", ignore_errors=True)
    facts: Facts = json.loads(counted.read_text())
    return facts


def _shard(path: Path, texts: list[str], model: Model, role: Role) -> Shard:
    def compute(advance: Advance) -> Mapping[str, NDArray[Any]]:
        def encoded(part: Sequence[str]) -> tuple[Float32Array, BoolArray]:
            return _checked(model, model.encode(part, role, advance), len(part))

        parts = in_halves(encoded, texts, SMALLER)
        vectors, cut = (np.concatenate(column) for column in zip(*parts, strict=True))
        return {"vectors": _unit(vectors, texts), "cut": cut}

    return array_part(
        path, compute, len(texts), ("vectors", "cut"), "encoding its texts again"
    ), texts


def _merge(
    parts: Sequence[Shard], path: Path, texts: Sequence[str], dimension: int
) -> dict[str, object]:
    """Put the rows of the shards into the order of ``texts``, and return the counts."""
    encoded = itertools.chain.from_iterable(distinct for _, distinct in parts)
    place = {text: number for number, text in enumerate(encoded)}
    owner = np.fromiter((place[text] for text in texts), np.int64, len(texts))
    rows = np.argsort(owner, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    merged = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.float32, shape=(len(texts), dimension)
    )
    allocate(path, merged.offset)
    marks, number = np.zeros(len(texts), np.bool_), 0
    for part, distinct in parts:
        with np.load(part.path, allow_pickle=False) as shard:
            bounds = first[number : number + len(distinct) + 1]
            counts = np.diff(bounds)
            merged[rows[bounds[0] : bounds[-1]]] = np.repeat(shard["vectors"], counts, axis=0)
            marks[rows[bounds[0] : bounds[-1]]] = np.repeat(shard["cut"], counts)
        number += len(distinct)
    merged.flush()
    write_array(path.with_name(CUT), marks)
    return {
        "texts": len(texts),
        "distinct": len(place),
        "truncated": int(marks.sum()),
        "dimension": dimension,
    }


def _checked(model: Model, result: object, count: int) -> tuple[Float32Array, BoolArray]:
    """Return the result of an encoder. Raise HarnessError unless it is a vector and a mark for each
    text.
    """
    arrays = result if isinstance(result, tuple) and len(result) == 2 else (result, None)
    layout = (("f", (count, model.dimension)), ("b", (count,)))
    if all(
        isinstance(array, np.ndarray) and array.dtype.kind == kind and array.shape == shape
        for array, (kind, shape) in zip(arrays, layout, strict=True)
    ):
        return arrays  # type: ignore[return-value]
    message = " and ".join(
        f"{array.dtype} of shape {array.shape}"
        if isinstance(array, np.ndarray)
        else described(array)
        for array in arrays
    )
    raise HarnessError(
        f"{type(model).__name__}.encode gave {message}, expected vectors, float32 of "
        f"{(count, model.dimension)}, and "
        f"which texts were cut, bool of {(count,)}"
    )


def _unit(vectors: Float32Array, texts: Sequence[str]) -> Float32Array:
    """Return the rows scaled to length 1."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1))
    unusable = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if unusable.size:
        first = unusable[0]
        raise HarnessError(
            f"encoder: the vector of {texts[first][:40]!r} has length {lengths[first]}; it must be "
            "above 0 and finite (half precision overflows in some models: try "
            "encoder.dtype=float32)"
        )
    unit: Float32Array = (wide / lengths[:, None]).astype(np.float32)
    return unit
