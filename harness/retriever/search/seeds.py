"""The seeds of a question in a graph: its entities and its nearest passages."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import distinct
from harness.graph import Network
from harness.graph.extractor import QuestionNames
from harness.model.encoder import Encoder, embed
from harness.retriever.search.exact import exact_search
from harness.work.store import Store


def link_entities(
    network: Network,
    questions: QuestionNames,
    encoder: Encoder,
    threshold: float | None,
    store: Store,
) -> tuple[sp.csr_array, dict[str, int]]:
    """Return [Q, E], 1 for each entity that a question names, and counts.

    A name that no passage has is linked to the entity of nearest name that has one, with the cosine
    of the names, if it is at least ``threshold``. Names that are linked to one entity add up. A row
    does not depend on the other questions.
    """
    held = np.diff((network.mentions + network.about).indptr) > 0
    size, mentions = len(network.names), questions.mentions
    total = max(size + len(questions.others), 1)
    pairs = distinct(mentions.text.astype(np.int64) * total + mentions.entity)
    rows, names = np.divmod(pairs, total)
    lexical = np.append(held, np.zeros(len(questions.others), np.bool_))[names]
    target, weight = names.copy(), np.where(lexical, 1.0, 0.0)
    lost = np.unique(names[~lexical])
    if threshold is not None and lost.size and held.any():
        vectors = embed(encoder, network.names, "name", store)
        texts = [network.names[n] if n < size else questions.others[n - size] for n in lost]
        lost_vectors = embed(encoder, texts, "name", store)
        keep = np.flatnonzero(held)
        if not held.all():
            vectors = vectors[keep]
        near, cosine = exact_search(vectors, lost_vectors, 1)
        place = np.searchsorted(lost, names[~lexical])
        target[~lexical] = keep[near[place, 0]]
        weight[~lexical] = np.where(cosine[place, 0] >= threshold, cosine[place, 0], 0.0)
    linked = weight > 0
    entries = (weight[linked], (rows[linked], target[linked]))
    seeds = sp.csr_array(entries, shape=(len(mentions.indptr) - 1, size))
    seeds.sum_duplicates()
    return seeds, {
        "question_names": len(names),
        "linked_lexically": int(lexical.sum()),
        "linked_by_embedding": int((linked & ~lexical).sum()),
        "not_linked": int((~linked).sum()),
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
