"""The walk of HippoRAG over one undirected graph of names and passages."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from harness.core.errors import check_fields
from harness.core.identity import LATER
from harness.graph import Network
from harness.retriever.walk import normalize_rows, scale_rows


@dataclass(frozen=True)
class Undirected:
    """A walk that follows edges in proportion to their weight.

    Two entities: number of passages with a triple that joins them, plus the cosine of synonyms. An
    entity and a passage that names it or has it as title: 1.

    Args:
        specificity: prior of an entity, 1 / (passages that hold it) ** specificity, >= 0. 0, as in
            the papers, is no prior.
        degree: prior of an entity, 1 / (number of neighbours) ** degree, >= 0. Without priors the
            walk is symmetric.
    """

    version = 1

    specificity: float = field(default=0.0, metadata=LATER)
    degree: float = field(default=0.0, metadata=LATER)

    def __post_init__(self) -> None:
        check_fields("lists.NAME.walk", self, specificity="[0, inf)", degree="[0, inf)")

    def transition(self, network: Network) -> sp.csr_array:
        """Return [E + D, E + D], whose rows sum to 1 or to 0."""
        whole = self.graph(network)
        if self.specificity or self.degree:
            held = np.diff((network.mentions + network.about).indptr)
            near = np.diff(whole.indptr)
            prior = np.ones(whole.shape[0])
            prior[: len(held)] = np.maximum(held, 1.0) ** -self.specificity
            prior[: len(held)] *= np.maximum(near[: len(held)], 1.0) ** -self.degree
            whole = scale_rows(prior, whole.T.tocsr()).T.tocsr()
        return normalize_rows(whole)

    def graph(self, network: Network) -> sp.csr_array:
        """Return [E + D, E + D], the symmetric weights of the edges."""
        held = network.mentions + network.about
        held.data = np.ones_like(held.data)
        return sp.csr_array(
            sp.block_array([[network.relation + network.synonym, held], [held.T, None]])
        )
