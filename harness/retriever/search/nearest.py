"""A question's nearest passages, weighted."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.model.encoder import Encoder, embed
from harness.retriever.search.index import exact_search
from harness.work.store import Store


def nearest_passages(
    benchmark: Benchmark, encoder: Encoder, depth: int, sharpness: float, store: Store
) -> sp.csr_array:
    """[Q, D]: the ``depth`` passages of greatest cosine of each question, in proportion to exp(cosine / sharpness).

    Each row sums to 1 (0 with depth 0).
    """
    shape = (len(benchmark.query_ids), len(benchmark.doc_ids))
    if not depth:
        return sp.csr_array(shape)
    passages = np.asarray(embed(encoder, benchmark.passages, "passage", store))
    questions = np.asarray(embed(encoder, benchmark.questions, "question", store))
    docs, scores = exact_search(passages, questions, depth)
    weights = np.exp((scores - scores[:, :1]) / sharpness)
    weights /= np.cumsum(weights, axis=1)[:, -1:]
    rows = np.repeat(np.arange(shape[0]), docs.shape[1])
    matrix = sp.csr_array(sp.coo_array((weights.ravel(), (rows, docs.ravel())), shape=shape))
    matrix.sort_indices()
    return matrix
