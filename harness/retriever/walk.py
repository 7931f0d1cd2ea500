"""The transition of a walk over the entity graph."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float64Array
from harness.core.errors import bounded
from harness.core.identity import LATER
from harness.graph import Network


@dataclass(frozen=True)
class Walk:
    """A row-stochastic transition over [entities, passages]. The parts of a row share the mass of
    its node.

    Attributes:
        title: weight of a mention of the kind ``title`` among the mentions of a passage, times 1 /
            (passages that mention the entity) ** specificity.
        entity: the same for ``entity``.
        span: the same for ``span``.
        open: the same for ``open``.
        own: weight of a passage's own title among its mentions.
        specificity: the exponent.
        about: weight of the passages with an entity's title together.
        back: weight of the passages that mention the entity together.
        relation: weight of the related entities together.
        synonym: weight of the synonyms together.
        degree: each of those entities is weighted by 1 / (its relations and synonyms) ** degree.
    """

    title: float = 1.0
    entity: float = 0.1
    span: float = 0.05
    open: float = 1.0
    own: float = 0.0
    specificity: float = 1.0
    about: float = 1.0
    back: float = 0.02
    relation: float = 0.5
    synonym: float = 0.1
    degree: float = field(default=0.0, metadata=LATER)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            bounded(f"lists.NAME.walk.{name}", value, 0)

    def transition(self, network: Network) -> sp.csr_array:
        """Return T [N, N], N = E + D: the share of i's mass that goes to j. A row sums to 1, or to
        0 for a dangling node.
        """
        mentions = network.mentions
        rarity = 1.0 / np.maximum(np.diff(mentions.indptr), 1) ** self.specificity
        weighted = sp.csr_array(mentions.shape)
        for kind, matrix in network.context.items():
            if weight := getattr(self, kind):
                weighted = weighted + weight * _sign(matrix)
        outward = scale_rows(rarity, weighted) + scale_rows(rarity, self.own * network.about)
        onward = self.about * normalize_rows(network.about) + self.back * normalize_rows(
            _sign(mentions)
        )
        related, alike = network.relation, network.synonym
        if self.degree:
            near = np.diff((related + alike).indptr)
            prior = np.maximum(near, 1.0) ** -self.degree
            related, alike = (scale_rows(prior, family).T.tocsr() for family in (related, alike))
        across = self.relation * normalize_rows(related) + self.synonym * normalize_rows(alike)
        whole = sp.csr_array(sp.block_array([[across, onward], [outward.T, None]]))
        whole.eliminate_zeros()
        return normalize_rows(whole)


def normalize_rows(matrix: sp.csr_array) -> sp.csr_array:
    """Return each row divided by its sum. A row without mass stays empty."""
    total = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    tiny = (total > 0) & (total < np.finfo(np.float64).tiny)
    if tiny.any():  # 1 / total would be infinite; a power of two changes no digit
        return normalize_rows(scale_rows(np.where(tiny, 2.0**100, 1.0), matrix))
    return scale_rows(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0), matrix)


def scale_rows(factors: Float64Array, matrix: sp.csr_array) -> sp.csr_array:
    """Return each row times its factor, float64."""
    copy = sp.csr_array(matrix, dtype=np.float64, copy=True)
    copy.data *= np.repeat(factors, np.diff(copy.indptr))
    return copy


def _sign(matrix: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(
        (np.ones_like(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape
    )
