"""How strongly the best documents of a query share entities."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from harness.core.errors import HarnessError
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer import ordered_sum


def coupling(pool: Calibrated, columns: Tensor, there: Tensor) -> Tensor:
    """float64[Q, m, m]: row-normalised weights of shared entities, 0 on the diagonal and where there is no document.

    The weight of two documents is the sum over the entities that both mention of 1 / (passages that mention it), the
    specificity of the graph. A document without a neighbour has a row of zeros.
    """
    mentions = pool.pool.mentions
    if mentions is None:
        raise HarnessError("reranker=ising needs the entities of the passages; choose a graph list, or reranker=none")
    rows, width = columns.shape
    docs = pool.pool.docs.gather(-1, columns).cpu().numpy()
    query, place = np.nonzero(there.cpu().numpy())
    numbers = docs[query, place]
    lengths = np.diff(mentions.indptr)[numbers]
    starts = np.repeat(mentions.indptr[numbers] - np.cumsum(lengths) + lengths, lengths)
    entity = mentions.indices[starts + np.arange(lengths.sum())]
    owner, slot = np.repeat(query, lengths), np.repeat(place, lengths)
    weight = 1.0 / np.bincount(mentions.indices, minlength=mentions.shape[1])[entity]
    shared = np.zeros((rows, width, width))
    _, group = np.unique(owner.astype(np.int64) * mentions.shape[1] + entity, return_inverse=True)
    order = np.argsort(group, kind="stable")
    group = group[order]
    for apart in range(1, int(np.bincount(group).max(initial=0))):
        both = np.flatnonzero(group[apart:] == group[:-apart])
        one, other = order[both], order[both + apart]
        np.add.at(shared, (owner[one], slot[one], slot[other]), weight[one])
        np.add.at(shared, (owner[one], slot[other], slot[one]), weight[one])
    found = torch.from_numpy(shared).to(columns.device)
    sums = ordered_sum(found)
    return found / torch.where(sums == 0, 1.0, sums)
