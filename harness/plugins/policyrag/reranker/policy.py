"""The policy's three bonuses on top of any fused list (PolicyRAG eq. 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor

from harness.core.errors import check_fields
from harness.fusion.context import needed
from harness.fusion.fuser import Calibrated
from harness.fusion.reranker import reorder, scale, top


@dataclass(frozen=True)
class Policy:
    """S(p | q) = u + lambda_title phi_title + lambda_cov phi_cov + lambda_path phi_path, over the
    top m.

    u is the fused score scaled to [0, 1] over the top m of each question (0 if all are equal), so
    that a weight means the same after every fuser: at 1, a full bonus lifts the last of the m to
    the first. The phis are those of ``policy/rerank.py``, by the same code. The seeds are those of
    the configuration's policy ``seeds``, after its gate; there is no walk.

    The defaults were best on the tune halves of 2Wiki, MuSiQue and HotpotQA, on average over a
    dense, a graph and a fused list, which already rank the titles that a question names first.

    Args:
        lambda_title: >= 0.
        lambda_cov: >= 0.
        lambda_path: >= 0.
        path: 0, 1 or 2.
        hub: >= 0.
        m: number of reranked documents, >= 1.
    """

    reads = frozenset({"seeds"})

    lambda_title: float = 0.0
    lambda_cov: float = 0.1
    lambda_path: float = 0.5
    path: int = 2
    hub: float = 0.0
    m: int = 50

    def __post_init__(self) -> None:
        check_fields(
            "reranker",
            self,
            lambda_title="[0, inf)",
            lambda_cov="[0, inf)",
            lambda_path="[0, inf)",
            hub="[0, inf)",
            path="whole [0, 2]",
            m="whole [1, inf)",
        )

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the reranked scores."""
        columns, there = top(fused, pool, self.m)
        terms = self.terms(fused, pool, columns, there)
        return reorder(fused, pool, columns, there, reduce(torch.add, terms.values()))

    def terms(
        self, fused: Tensor, pool: Calibrated, columns: Tensor, there: Tensor
    ) -> Mapping[str, Tensor]:
        """Return float64[Q, m] by name for the best m: ``fused`` (u), then each weight times its
        phi.
        """
        asking = "reranker=policy asks how the questions meet the graph of a benchmark"
        seeding = needed(pool.pool.context.seeding, asking)

        def compute() -> dict[str, Tensor]:
            bonuses = seeding.bonuses(pool.pool.docs.cpu().numpy(), self.path, self.hub)
            return {
                name: torch.from_numpy(values).to(fused.device) for name, values in bonuses.items()
            }

        phis = pool.remember(("policy bonuses", self.path, self.hub), compute)
        u = scale(fused.gather(-1, columns), there, 0.0)
        return {
            "fused": u,
            **{name: getattr(self, name) * phi.gather(-1, columns) for name, phi in phis.items()},
        }
