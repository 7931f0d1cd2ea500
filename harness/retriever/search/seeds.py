"""The seeds of a question in a graph: its entities and its nearest passages."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import distinct
from harness.graph import Network
from harness.graph.extractor import Mentions
from harness.model.encoder import Encoder, embed
from harness.retriever.search.exact import exact_search
from harness.work.store import Store


def link_entities(
    network: Network, questions: Mentions, encoder: Encoder, threshold: float | None, store: Store
) -> tuple[sp.csr_array, dict[str, int]]:
    """Return [Q, E], the specificity 1 / (passages that mention it) of each entity of a question,
    and counts.

    An entity without a passage is replaced by the entity of nearest name that has one, if the
    cosine of the names is at least ``threshold``. Its weight is then multiplied by the cosine.
    """
    mentioned = np.diff(network.mentions.indptr)
    held = (mentioned > 0) | (np.diff(network.about.indptr) > 0)
    specificity = 1.0 / np.maximum(mentioned, 1)
    size = len(network.names)
    rows, names = questions.text.astype(np.int64), questions.entity.astype(np.int64)
    rows, names = np.divmod(distinct(rows * max(size, 1) + names), max(size, 1))
    lexical = held[names]
    target, weight = names.copy(), np.where(lexical, 1.0, 0.0)
    lost = np.unique(names[~lexical])
    if threshold is not None and lost.size and held.any():
        vectors = embed(encoder, network.names, "name", store)
        keep = np.flatnonzero(held)
        near, cosine = exact_search(vectors[keep], vectors[lost], 1)
        place = np.searchsorted(lost, names[~lexical])
        target[~lexical] = keep[near[place, 0]]
        weight[~lexical] = np.where(cosine[place, 0] >= threshold, cosine[place, 0], 0.0)
    found = weight > 0
    entries = (weight[found] * specificity[target[found]], (rows[found], target[found]))
    seeds = sp.csr_array(entries, shape=(len(questions.indptr) - 1, size))
    seeds.sum_duplicates()
    return seeds, {
        "question_names": len(names),
        "linked_lexically": int(lexical.sum()),
        "linked_by_embedding": int((found & ~lexical).sum()),
        "not_linked": int((~found).sum()),
    }


def nearest_passages(
    benchmark: Benchmark, encoder: Encoder, depth: int, sharpness: float, store: Store
) -> sp.csr_array:
    """Return [Q, D], the ``depth`` nearest passages of each question, in proportion to exp(cosine /
    sharpness).

    Each row sums to 1 (0 with depth 0).
    """
    shape = (len(benchmark.query_ids), len(benchmark.doc_ids))
    if not depth:
        return sp.csr_array(shape)
    passages = embed(encoder, benchmark.passages, "passage", store)
    questions = embed(encoder, benchmark.questions, "question", store)
    docs, scores = exact_search(passages, questions, depth)
    weights = np.exp((scores - scores[:, :1]) / sharpness)
    weights /= np.cumsum(weights, axis=1)[:, -1:]
    rows = np.repeat(np.arange(shape[0]), docs.shape[1])
    matrix = sp.csr_array((weights.ravel(), (rows, docs.ravel())), shape=shape)
    matrix.sort_indices()
    return matrix
