"""Synonyms among the pairs that an approximate index proposes: work that grows about as fast as the names do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.core.resources import need_memory
from harness.core.threads import available, each
from harness.graph.synonym import Pairs, symmetric
from harness.graph.synonym_growth import compare_new_names
from harness.model.encoder.cosine import pair_cosines

WIDTH = 8
"""Candidates of a name that are looked at first; twice as many, and again, where all of them are its synonyms."""
BLOCK = 1 << 16
"""Names that are searched, and pairs whose cosines are summed, at once."""

PROBES = 16
"""Of an inverted file's lists, how many are searched; FAISS's own number, 1, misses many synonyms."""
CHECKED = 1000
"""Names whose edges are compared with those of an exact search."""
SAMPLE = 39
"""Names for each list of an inverted file from which its centre is learnt: the fewest that FAISS asks for."""


def approximate_synonyms(vectors: NDArray[np.float32], threshold: float, index: str) -> sp.csr_array:
    """``harness.graph.synonym.synonyms``, but only of pairs of which one name is among what the other's search finds.

    vectors: float32[E, d] of length 1.
    index: a FAISS ``index_factory`` string, e.g. ``PCA96,HNSW32`` or ``PCA96,IVF1024,Flat``.
    No edge is false and each has the cosine of the exact search, to the bit; some are missed. The index is built on one
    thread, as HNSW's graph follows the order in which its vectors come in; so the edges are the same on any number.
    """
    size = len(vectors)
    found = list(_candidates(_built(vectors, index), vectors, threshold)) if size else []
    codes = np.unique(np.concatenate([np.empty(0, np.int64), *(i * size + j for i, j in found)]))
    i, j = codes // max(size, 1), codes % max(size, 1)
    return symmetric(i, j, _cosines(vectors, i, j), threshold, size)


def synonym_recall(found: sp.csr_array, vectors: NDArray[np.float32], threshold: float) -> dict[str, float]:
    """``recall``: the share of the exact search's edges that ``found`` has, of ``names`` evenly chosen names."""
    chosen = np.unique(np.linspace(0, len(vectors) - 1, min(CHECKED, len(vectors))).astype(np.int64))
    exact = len(compare_new_names(vectors, chosen, threshold)[0])
    mine = sp.coo_array(found[chosen])
    inside = np.isin(mine.col, chosen) & (mine.col < chosen[mine.row])  # an edge within the sample stands there twice
    return {"recall": round((mine.nnz - int(inside.sum())) / exact, 4) if exact else 1.0, "names": len(chosen)}


def _candidates(index: Any, vectors: NDArray[np.float32], threshold: float) -> Iterator[Pairs]:
    """int64[n] i and int64[n] j, i < j; a pair may come twice."""
    size = len(vectors)
    rows, width = np.arange(size), min(WIDTH + 1, size)
    while rows.size:
        left = [rows[:0]]
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            _, near = index.search(vectors[part], width)
            i, j = np.repeat(part, width), near.astype(np.int64).ravel()
            cosines = np.where(j >= 0, _cosines(vectors, i, j), -1)
            alike = (cosines >= threshold) & (i != j)
            yield np.minimum(i, j)[alike], np.maximum(i, j)[alike]
            left.append(part[((alike | (i == j)).reshape(-1, width)).all(axis=1)])
        rows, width = (np.concatenate(left), min(2 * width, size)) if width < size else (rows[:0], width)


def _cosines(vectors: NDArray[np.float32], i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
    def part(first: int) -> NDArray[np.float64]:
        return pair_cosines(vectors, i[first : first + BLOCK], vectors, j[first : first + BLOCK])

    return np.concatenate([np.empty(0), *each(part, range(0, len(i), BLOCK), available())])


def _built(vectors: NDArray[np.float32], factory: str) -> Any:
    import faiss
    from threadpoolctl import threadpool_limits

    size = (1 if factory.endswith("SQ8") else 4) * vectors.size + 300 * len(vectors)  # the numbers, and links of each
    if not factory.startswith("PCA"):
        mend = "set graph.index=PCA96,HNSW32_SQ8, which keeps 96 bytes of each, or graph.synonym=null"
        need_memory(size, f"an index of {len(vectors):,} names (graph.index={factory})", mend)
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        with threadpool_limits(1):
            index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
            if (inverted := faiss.try_extract_index_ivf(index)) is not None:
                inverted.nprobe, inverted.cp.max_points_per_centroid = PROBES, SAMPLE
            index.train(vectors)
            index.add(vectors)
    except RuntimeError as error:
        reason = str(error).partition(": ")[2].strip() or str(error)
        raise HarnessError(
            f"graph.index={factory}: faiss refuses it for {len(vectors)} names of {vectors.shape[1]} dimensions "
            f"({reason}); expected Flat or an index_factory string such as HNSW32 or PCA96,HNSW32"
        ) from error
    finally:
        faiss.omp_set_num_threads(threads)
    return index
