"""Synonyms of a graph that has grown: pairs of names that another graph has compared are not compared again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.arrays import read_matrix
from harness.graph.synonym import PART, SLACK, synonyms
from harness.model.encoder import Encoder, pair_cosines, stored_vectors
from harness.work.shared_rows import Columns, map_rows
from harness.work.store import Store

FEW = 0.5
"""Above this share of names that are new, comparing all with all is no slower."""

CELLS = 1 << 26
"""Products at once: 256 MiB of float32."""

Float32 = NDArray[np.float32]


def extend_synonyms(
    names: list[str], vectors: Float32, encoder: Encoder, threshold: float, config: Mapping[str, Any], store: Store
) -> tuple[sp.csr_array, int]:
    """``synonyms(vectors, threshold)``, to the bit, and how many names were taken over.

    Taken over are the names, with vectors of the same bits, of the stored graph of most such names whose encoder and
    threshold are these (``config``, as in its manifest). The rest is compared with all.
    """
    size = len(names)
    number = {name: place for place, name in enumerate(names)}
    best, edges = np.full(0, -1, dtype=np.int64), sp.csr_array((0, 0), dtype=np.float32)
    for artifact in store.find_all("graph", config):
        if "synonym_index" in artifact.facts or artifact.manifest["config"].get("index", "Flat") != "Flat":
            continue  # it may have missed some
        older: list[str] = json.loads((artifact.path / "names.json").read_text(encoding="utf-8"))
        place = np.array([number.get(name, -1) for name in older], dtype=np.int64)
        shared = np.flatnonzero(place >= 0)
        were = stored_vectors(encoder, older, "name", store) if len(shared) > (best >= 0).sum() else None
        if were is not None:
            same = (np.asarray(were)[shared] == vectors[place[shared]]).all(axis=1)
            place[shared[~same]] = -1
            if (place >= 0).sum() > (best >= 0).sum():
                best, edges = place, read_matrix(artifact.path / "synonym.npz", (len(older), len(older)))
    fresh = np.setdiff1d(np.arange(size), best[best >= 0])
    if len(fresh) > FEW * size:
        return synonyms(vectors, threshold), 0
    old = sp.coo_array(edges)
    kept = (best[old.row] >= 0) & (best[old.col] >= 0)
    i, j, values = compare_new_names(vectors, fresh, threshold)
    lines = np.concatenate([best[old.row[kept]], i, j])
    columns = np.concatenate([best[old.col[kept]], j, i])
    values = np.concatenate([old.data[kept], values, values])
    whole = sp.csr_array(sp.coo_array((values, (lines, columns)), shape=(size, size), dtype=np.float32))
    whole.sort_indices()
    return whole, size - len(fresh)


def compare_new_names(
    vectors: Float32, fresh: NDArray[np.int64], threshold: float, block: int = 512
) -> tuple[NDArray[np.int64], NDArray[np.int64], Float32]:
    """int64[n], int64[n], float32[n]: each pair with a fresh row, once, whose cosine is >= threshold, and > 0; as
    ``synonyms`` decides it.
    """
    is_fresh = np.zeros(len(vectors), dtype=np.bool_)
    is_fresh[fresh] = True
    block = max(1, min(block, CELLS // max(1, len(vectors))))

    def compared(part: slice) -> Columns:
        found: list[Columns] = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))]
        for first in range(part.start, part.stop, block):
            ones = fresh[first : min(first + block, part.stop)]
            near, j = np.nonzero(vectors[ones] @ vectors.T >= np.float32(threshold - SLACK))
            i = ones[near]
            once = (i != j) & (~is_fresh[j] | (i < j))
            i, j = i[once], j[once]
            exact = pair_cosines(vectors, np.minimum(i, j), vectors, np.maximum(i, j))
            keep = (exact >= threshold) & (exact > 0)
            found.append((i[keep], j[keep], exact[keep].astype(np.float32)))
        return tuple(np.concatenate(column) for column in zip(*found, strict=True))

    which = hashlib.sha256(fresh.tobytes()).hexdigest()[:12]  # another process may have found another graph
    i, j, values = map_rows(f"compare new names {which}", compared, len(fresh), PART)
    return i, j, values
