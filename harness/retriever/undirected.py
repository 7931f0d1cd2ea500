"""The walk of HippoRAG: over one undirected graph of phrases and passages, as its edges weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.graph import Network
from harness.retriever.walk import rows_sum_to_one


@dataclass(frozen=True)
class Undirected:
    """A node leads to its neighbours in proportion to the edge: of two entities the number of passages with a triple
    that joins them, plus the cosine of synonyms; 1 of an entity and a passage that names it or has it as title.
    """

    def transition(self, network: Network) -> sp.csr_array:
        """[E + D, E + D]; a row sums to 1, or to 0."""
        held = sp.csr_array(network.mentions + network.about)
        held.data = np.ones_like(held.data)
        whole = sp.block_array([[network.relation + network.synonym, held], [held.T, None]])
        return rows_sum_to_one(sp.csr_array(whole))
