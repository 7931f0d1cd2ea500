"""Reranking by three bonuses (PolicyRAG eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float64Array
from harness.core.errors import check_fields
from harness.plugins.policyrag.policy.chain_kernel import chains
from harness.plugins.policyrag.policy.memory import TypedMemory

Floats = Float64Array


@dataclass(frozen=True)
class Rerank:
    """S(p | q) = u + lambda_title phi_title + lambda_cov phi_cov + lambda_path phi_path.

    Every phi is in [0, 1]. phi_title tells how certainly the question names the passage's title: 1,
    or the cosine of a synonym that it names. phi_cov is the share of the question's phrase seeds
    that the passage holds. phi_path is the greatest 1 / (1 + n) over chains of n <= path edges of
    one family (relations, or synonyms) from a phrase seed to the passage's title; every node that a
    chain leaves divides it by (its edges)^hub.

    Args:
        lambda_title: >= 0.
        lambda_cov: >= 0.
        lambda_path: >= 0.
        path: 0, 1 or 2.
        hub: >= 0.
        depth: number of passages of a list; None for all with a score.
    """

    lambda_title: float = 0.2
    lambda_cov: float = 0.1
    lambda_path: float = 0.2
    path: int = 2
    hub: float = 0.0
    depth: int | None = 200

    def __post_init__(self) -> None:
        check_fields(
            "policy.rerank",
            self,
            lambda_title="[0, inf)",
            lambda_cov="[0, inf)",
            lambda_path="[0, inf)",
            hub="[0, inf)",
            path="whole [0, 2]",
            depth="whole [1, inf) or null",
        )

    def bonuses(
        self, memory: TypedMemory, named: sp.csr_array, seeds: sp.csr_array
    ) -> dict[str, Floats]:
        """Return float64[Q, D] by name of weight, the phis. ``named`` and ``seeds`` are [Q, E]."""
        return {
            "lambda_title": self._title(memory, named),
            "lambda_cov": self._coverage(memory, seeds),
            "lambda_path": self._path(memory, seeds),
        }

    def _title(self, memory: TypedMemory, named: sp.csr_array) -> Floats:
        shares = named.minimum(1.0) if named.nnz else named
        lexical = sp.csr_array(shares)
        values = lexical.toarray()
        entries = lexical.tocoo()
        for row, entity, sure in zip(*entries.coords, entries.data, strict=True):
            part = slice(memory.alike.indptr[entity], memory.alike.indptr[entity + 1])
            near = memory.alike.indices[part]
            values[row, near] = np.maximum(values[row, near], sure * memory.alike.data[part])
        return _titled(values, memory)

    def _coverage(self, memory: TypedMemory, seeds: sp.csr_array) -> Floats:
        count = np.maximum(np.diff(seeds.indptr), 1)
        whole = sp.csr_array((np.ones(seeds.nnz), seeds.indices, seeds.indptr), shape=seeds.shape)
        covered: Floats = np.asarray((whole @ memory.context).toarray(), dtype=np.float64)
        return np.asarray(covered / count[:, None])

    def _path(self, memory: TypedMemory, seeds: sp.csr_array) -> Floats:
        values = np.zeros(seeds.shape)
        for family in (memory.joined, memory.alike):
            degree = np.maximum(np.diff(family.indptr), 1)
            toll = np.exp(-self.hub * np.log(degree))
            chains(
                family.indptr, family.indices, toll, seeds.indptr, seeds.indices, self.path, values
            )
        return _titled(values, memory)


def _titled(values: Floats, memory: TypedMemory) -> Floats:
    """Return float64[Q, D], the value of each passage's title; 0 without one."""
    title_value = np.zeros((len(values), len(memory.titled)))
    titled = np.flatnonzero(memory.titled >= 0)
    title_value[:, titled] = values[:, memory.titled[titled]]
    return title_value
