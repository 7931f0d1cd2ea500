"""Which entities of a graph a question names: the same name, else the nearest one by embedding."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from harness.graph import Network
from harness.graph.extractor import Mentions
from harness.model.encoder import Encoder, embed
from harness.retriever.search.index import exact_search
from harness.work.store import Store


def link_entities(
    network: Network, questions: Mentions, encoder: Encoder, threshold: float | None, store: Store
) -> tuple[sp.csr_array, dict[str, int]]:
    """[Q, E], the specificity 1 / (passages that mention it) of each entity that the question names, and counts.

    An entity that no passage mentions or is titled by is replaced by the one of nearest name that some passage does,
    if the cosine of the names is at least ``threshold``; its weight is then times the cosine.
    """
    mentioned = np.diff(network.mentions.indptr)
    held = (mentioned > 0) | (np.diff(network.about.indptr) > 0)
    specificity = 1.0 / np.maximum(mentioned, 1)
    size = len(network.names)
    rows, names = questions.text.astype(np.int64), questions.entity.astype(np.int64)
    rows, names = np.divmod(np.unique(rows * max(size, 1) + names), max(size, 1))
    lexical = held[names]
    target, weight = names.copy(), np.where(lexical, 1.0, 0.0)
    lost = np.unique(names[~lexical])
    if threshold is not None and lost.size and held.any():
        vectors = np.asarray(embed(encoder, network.names, "name", store))
        keep = np.flatnonzero(held)
        near, cosine = exact_search(vectors[keep], vectors[lost], 1)
        place = np.searchsorted(lost, names[~lexical])
        target[~lexical] = keep[near[place, 0]]
        weight[~lexical] = np.where(cosine[place, 0] >= threshold, cosine[place, 0], 0.0)
    found = weight > 0
    entries = (weight[found] * specificity[target[found]], (rows[found], target[found]))
    seeds = sp.csr_array(sp.coo_array(entries, shape=(len(questions.indptr) - 1, size)))
    seeds.sum_duplicates()
    return seeds, {
        "question_names": len(names),
        "linked_lexically": int(lexical.sum()),
        "linked_by_embedding": int((found & ~lexical).sum()),
        "not_linked": int((~found).sum()),
    }
