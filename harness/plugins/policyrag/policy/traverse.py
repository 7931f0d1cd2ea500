"""Traversal: the walk from entities and passages (PolicyRAG eqs. 1, 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.core.errors import HarnessError, check_fields
from harness.plugins.policyrag.policy.memory import TypedMemory
from harness.retriever.walk import normalize_rows, scale_rows


@dataclass(frozen=True)
class Traverse:
    """v = (1 - alpha) (T' v + m s) + alpha s, with m the mass of nodes without an edge.

    An entity's row of T is T_E = eta_r A_r + eta_s A_s (eq. 4), plus eta_c T_E->P to its passages
    if eta_c > 0 (the paper's walk has none). The weights are relative: a row is divided by its sum,
    so an entity without an edge of one family leaves its share to the others, and one weight can be
    edited alone. A passage's row is T_P->E, where the paper's walk is over entities alone.

    Args:
        eta_r: in [0, 1]; not all three are 0.
        eta_s: in [0, 1].
        eta_c: in [0, 1].
        alpha: restart probability, in (0, 1].
        untitled: weight of a relation to an entity that is no passage's title, in [0, 1]; 1 in the
            paper. Such a name is less certainly an entity, and no passage is about it.
        synonym: least cosine of two names for a synonym edge, in [0, 1].
        tolerance: the walk ends at an L1 error of (1 - alpha) / alpha times this, > 0.
        max_iter: largest number of steps, >= 1.
    """

    eta_r: float = 0.9
    eta_s: float = 0.1
    eta_c: float = 0.0
    alpha: float = 0.5
    untitled: float = 1.0
    synonym: float = 0.7
    tolerance: float = 1e-6
    max_iter: int = 200

    def __post_init__(self) -> None:
        check_fields(
            "policy.traverse",
            self,
            eta_r="[0, 1]",
            eta_s="[0, 1]",
            eta_c="[0, 1]",
            alpha="(0, 1]",
            untitled="[0, 1]",
            synonym="[0, 1]",
            tolerance="(0, inf)",
            max_iter="whole [1, inf)",
        )
        if not (self.eta_r or self.eta_s or self.eta_c):
            raise HarnessError(
                "policy.traverse.eta_r, eta_s and eta_c must not all be 0: the walk would have "
                "no edge; for no walk "
                "set policy.traverse.alpha=1"
            )

    def families(self, memory: TypedMemory) -> dict[str, sp.csr_array]:
        """Return [E + D, E + D] by family of edges: relation, synonym, context. Their sum is T."""
        entities, passages = memory.context.shape
        weighed = {
            "relation": (self._relation(memory), self.eta_r),
            "synonym": (memory.synonym, self.eta_s),
            "context": (memory.onward, self.eta_c),
        }
        total = np.asarray(
            sum(weight * (np.diff(matrix.indptr) > 0) for matrix, weight in weighed.values())
        )
        tiny = (total > 0) & (total < np.finfo(np.float64).tiny)  # 1 / total would be infinite
        share = np.divide(1.0, total, out=np.zeros(entities), where=(total > 0) & ~tiny)
        rows = {
            name: scale_rows(
                np.divide(weight, total, out=weight * share, where=tiny & (weight <= total)), matrix
            )
            for name, (matrix, weight) in weighed.items()
        }
        none = sp.csr_array((passages, passages))
        families = {}
        for name, matrix in rows.items():
            blocks = [[matrix, None], [None, none]]
            if name == "context":
                blocks = [[None, matrix], [memory.back, None]]
            families[name] = sp.csr_array(sp.block_array(blocks))
        return families

    def _relation(self, memory: TypedMemory) -> sp.csr_array:
        """Return A_r with ``untitled``."""
        if self.untitled == 1:
            return memory.relation
        weight = np.full(len(memory.names), self.untitled)
        weight[memory.titled[memory.titled >= 0]] = 1
        joined = sp.csr_array(memory.joined, copy=True)
        joined.data = joined.data * weight[joined.indices]
        joined.eliminate_zeros()
        return normalize_rows(joined)

    def transition(self, memory: TypedMemory) -> sp.csr_array:
        """Return [E + D, E + D], T; a row sums to 1, or to 0."""
        relation, synonym, context = self.families(memory).values()
        whole = relation + synonym + context
        whole.eliminate_zeros()
        return normalize_rows(whole)
