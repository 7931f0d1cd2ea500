"""FAISS indexes and the exact order of what they find."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.retriever.search.exact import decide, nearest_rows
from harness.work.shared_rows import map_rows

PART = 512
"""Questions of a part, where several processes search."""


def build(vectors: NDArray[np.float32], factory: str) -> Any:
    """The FAISS index of a factory string over the vectors [D, d], by inner product; trained on them if it must be."""
    import faiss

    try:
        index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
        if not index.is_trained:
            with _one_blas_thread():
                index.train(vectors)
        index.add(vectors)
    except RuntimeError as error:
        reason = str(error).partition(": ")[2].strip() or str(error)
        raise HarnessError(
            f"lists.NAME.index={factory}: faiss refuses it for {len(vectors)} vectors of {vectors.shape[1]} "
            f"({reason}); expected an index_factory string such as Flat, IVF64,Flat or HNSW32"
        ) from error
    return index


def save(index: Any, path: Path) -> None:
    """Write an index to disk; by Python, since faiss does not tell when the last bytes find no room."""
    import faiss

    with path.open("wb") as stream:
        faiss.write_index(index, faiss.PyCallbackIOWriter(stream.write))  # type: ignore[attr-defined]


def load(path: Path) -> Any:
    """Read an index from disk."""
    import faiss

    return faiss.read_index(str(path))


def exact_search(
    passages: NDArray[np.float32], questions: NDArray[np.float32], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k], float64[Q, k]: ``search`` of all passages, by FAISS on a GPU, else without an index.

    In parts of ``PART`` questions where several processes build an artifact.
    """
    if _gpus():
        index = build(passages, "Flat")
        return map_rows(
            "search", lambda part: search(index, passages, questions[part], depth, True), len(questions), PART
        )
    return map_rows("search", lambda part: nearest_rows(passages, questions[part], depth), len(questions), PART)


def search(
    index: Any, passages: NDArray[np.float32], questions: NDArray[np.float32], depth: int, exact: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k], float64[Q, k]: what an index finds, in the one order (see ``decide``)."""
    return decide(partial(_propose, index), passages, questions, depth, exact)


def _gpus() -> int:
    import faiss

    found: int = faiss.get_num_gpus()
    return found


def _propose(index: Any, questions: NDArray[np.float32], width: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    if _gpus() and width <= 2048:  # the most that faiss selects on a GPU
        import faiss

        index = faiss.index_cpu_to_all_gpus(index)
    rough, found = index.search(questions, width)
    return rough, found


def _one_blas_thread() -> Any:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)
