"""Projection: from mass on entities to scores of passages (PolicyRAG eq. 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float64Array
from harness.core.errors import check_fields, one_of
from harness.plugins.policyrag.policy.memory import TypedMemory

INCIDENCE = ("binary", "shares")


@dataclass(frozen=True)
class Project:
    """u = B' v + v_P, and u / (l(p)^beta IPF(p)^gamma).

    v_P is the mass of a passage's own restart, l(p) its words over the mean, and IPF(p) the
    specificity of its entities over the mean (see ``TypedMemory.ipf``).

    Args:
        incidence: B. ``binary`` as in eq. 6: every passage that holds an entity gets its whole
            mass; ``shares``, the row-normalised form T_E->P of eq. 1: they share it.
        beta: in [0, 1].
        gamma: in [0, 1].
    """

    incidence: str = "binary"
    beta: float = 0.2
    gamma: float = 0.2

    def __post_init__(self) -> None:
        one_of("policy.project.incidence", self.incidence, INCIDENCE)
        check_fields("policy.project", self, beta="[0, 1]", gamma="[0, 1]")

    def held(self, memory: TypedMemory) -> sp.csr_array:
        """Return [D, E], B' or its row-normalised form."""
        return (memory.context if self.incidence == "binary" else memory.onward).T.tocsr()

    def norm(self, memory: TypedMemory) -> Float64Array:
        """Return float64[D], l(p)^beta IPF(p)^gamma, > 0."""
        return np.asarray(
            np.exp(self.beta * np.log(memory.length) + self.gamma * np.log(memory.ipf))
        )
