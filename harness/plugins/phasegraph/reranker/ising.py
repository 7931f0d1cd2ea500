"""Mean-field Ising model on documents coupled by shared entities (PhaseGraph App. D)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from harness.core.errors import HarnessError, check_fields
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer import ordered_sum
from harness.fusion.reranker import reorder, scale, top

TOLERANCE = 1e-9
"""Largest change of a magnetisation at which the iteration of its query ends."""
STEPS = 1000
"""Largest number of iterations; at the critical point, J = T, convergence is arbitrarily slow."""


@dataclass(frozen=True)
class Ising:
    """score = (1 - blend) h + blend M, over the fused top m.

    h is the fused score scaled to [-1, 1] (0 if all are equal). M_i = tanh((h_i + J sum_j A_ij M_j)
    / T), with A the row-normalised weights of shared entities, is found by iteration from M = h
    with steps of 1 / (1 + J / T), the longest for which two opposite documents that attract each
    other cannot oscillate for ever.

    Args:
        J: coupling, >= 0.
        T: temperature, > 0.
        blend: in [0, 1].
        m: number of reranked documents, >= 1.
    """

    reads = frozenset({"mentions"})

    J: float = 0.5
    T: float = 1.0
    blend: float = 0.2
    m: int = 20

    def __post_init__(self) -> None:
        check_fields(
            "reranker", self, J="[0, inf)", T="(0, inf)", blend="[0, 1]", m="whole [1, inf)"
        )

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the reranked scores."""
        columns, there = top(fused, pool, self.m)
        field = scale(fused.gather(-1, columns), there)
        order = content(columns, there)
        weights = pool.remember(("coupling", order), lambda: coupling(pool, columns, there))
        spins = pool.remember(
            ("magnetisation", order, content(field), self.J, self.T),
            lambda: magnetisation(field, weights, self.J, self.T),
        )
        return reorder(fused, pool, columns, there, (1 - self.blend) * field + self.blend * spins)


def content(*tensors: Tensor) -> str:
    """Return a hash of tensors: trials that rerank the same documents share their coupling."""
    hashed = hashlib.sha256()
    for tensor in tensors:
        hashed.update(
            repr(tuple(tensor.shape)).encode() + tensor.contiguous().cpu().numpy().tobytes()
        )
    return hashed.hexdigest()


def magnetisation(field: Tensor, weights: Tensor, j: float, t: float) -> Tensor:
    """Return float64[Q, m], the fixed point M = tanh((h + J A M) / T). Each query stops
    by itself.
    """
    spins = field.clone()
    active = torch.ones(field.shape[0], dtype=torch.bool, device=field.device)
    for _ in range(STEPS):
        if not active.any() or not field.shape[-1]:
            break
        old = spins[active]
        pull = ordered_sum(weights[active] * old[:, None, :])[..., 0]
        new = torch.lerp(old, torch.tanh((field[active] + j * pull) / t), 1 / (1 + j / t))
        spins[active] = new
        active[active.clone()] = ((new - old).abs() > TOLERANCE).any(dim=-1)
    return spins


def coupling(pool: Calibrated, columns: Tensor, there: Tensor) -> Tensor:
    """Return float64[Q, m, m], row-normalised weights of shared entities, with 0 on the diagonal.

    The weight of two documents is the sum over their shared entities of 1 / (passages that mention
    it), the specificity of the graph. A document without a neighbour, or a missing one, has a row
    of zeros.
    """
    mentions = pool.pool.mentions
    if mentions is None:
        raise HarnessError(
            "reranker=ising needs the entities of the passages; choose a graph list, or "
            "reranker=none"
        )
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
        left, right = order[both], order[both + apart]
        np.add.at(shared, (owner[left], slot[left], slot[right]), weight[left])
        np.add.at(shared, (owner[left], slot[right], slot[left]), weight[left])
    weights = torch.from_numpy(shared).to(columns.device)
    sums = ordered_sum(weights)
    return weights / torch.where(sums == 0, 1.0, sums)
