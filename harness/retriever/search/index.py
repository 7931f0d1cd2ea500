"""FAISS indexes, and the exact order of their results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.core.errors import HarnessError
from harness.retriever.search.exact import MARGIN, decide

SELECTED = 2048
"""Largest number of results that FAISS selects on a GPU."""


def build(vectors: Float32Array, factory: str) -> Any:
    """Return the FAISS index of a factory string over vectors [D, d] by inner product, trained if
    necessary.
    """
    import faiss
    from threadpoolctl import threadpool_limits

    try:
        index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
        if not index.is_trained:
            with threadpool_limits(1):
                index.train(vectors)
        index.add(vectors)
    except RuntimeError as error:
        reason = str(error).partition(": ")[2].strip() or str(error)
        raise HarnessError(
            f"lists.NAME.index={factory}: faiss refuses it for {len(vectors)} vectors of "
            f"{vectors.shape[1]} "
            f"({reason}); expected an index_factory string such as Flat, IVF64,Flat or HNSW32"
        ) from error
    return index


def save(index: Any, path: Path) -> None:
    """Write an index to disk. Python writes it, because faiss does not report a full disk at the
    last bytes.
    """
    import faiss

    with path.open("wb") as stream:
        faiss.write_index(index, faiss.PyCallbackIOWriter(stream.write))  # type: ignore[attr-defined]


def search(
    index: Any, passages: Float32Array, questions: Float32Array, depth: int
) -> tuple[Int64Array, Float64Array]:
    """Return int64[Q, k], float64[Q, k], the results of an index, best first (see ``decide``).

    All GPUs search, if the installed FAISS has any.
    """
    import faiss

    if faiss.get_num_gpus() and depth + MARGIN <= SELECTED:
        try:
            index = faiss.index_cpu_to_all_gpus(index)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1][:200]
            raise HarnessError(
                f"faiss cannot use the GPU ({reason}); install the faiss-gpu of this CUDA, or "
                "faiss-cpu, or go on without the GPU: CUDA_VISIBLE_DEVICES="
            ) from error
    return decide(index.search, passages, questions, depth, exact=False)
