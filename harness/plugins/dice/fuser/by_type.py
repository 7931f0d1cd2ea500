"""Dense's share by type of question, learned on tune (Dice-Sorensen hybrid 6: learned fusion)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import BoolArray, Int32Array
from harness.core.errors import bounded
from harness.fusion.context import needed
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import total
from harness.fusion.learning import LEARNED, learned_value

UNKNOWN = "-"
SHARES = tuple(place / 10 for place in range(11))
DEPTH = 10
"""Depth of the paper's Recall@10, by which a share is chosen."""


@dataclass(frozen=True)
class ByType:
    """score(d) = a_t p_dense(d) + (1 - a_t) p_others(d), a_t the share for questions of type t.

    p_dense is dense's value and p_others the mean of the other lists'. The type is the question's
    field ``type``; a question without one has the type ``-``.

    Args:
        shares: a_t by type, in [0, 1]. None: a sweep learns them on the folds of tune that it does
            not score, and ``winner.lock.json`` has those of all of tune: the share of 0, .1, ..., 1
            with which most questions of the type have gold in their top 10; of equal ones the
            nearest to ``otherwise``, then the smaller.
        otherwise: a of a type that was not learned, in [0, 1].
    """

    shares: Mapping[str, float] | None = field(default=None, hash=False, metadata=LEARNED)
    otherwise: float = 0.5
    reads = frozenset({"values", "types"})
    unit = False

    def __post_init__(self) -> None:
        bounded("fuser.otherwise", self.otherwise, 0, 1)
        for name, share in (self.shares or {}).items():
            bounded(f"fuser.shares.{name}", share, 0, 1)

    def fit(self, pool: Calibrated, gold: Int32Array) -> ByType:
        """Return the fuser with the best share of each type.

        Args:
            pool: the queries.
            gold: int32[Q, H], padded with -1.
        """
        types = np.array(_types(pool))
        columns = pool.pool.columns(gold)
        hits = np.stack(
            [
                _hits(self._fused(pool, torch.full((len(types),), share)), columns)
                for share in SHARES
            ]
        )
        order = sorted(
            range(len(SHARES)),
            key=lambda place: (abs(SHARES[place] - self.otherwise), SHARES[place]),
        )
        shares = {}
        for name in sorted(set(types.tolist())):
            counts = hits[:, types == name].sum(axis=1)
            shares[name] = SHARES[max(order, key=lambda place: counts[place])]
        return replace(self, shares=shares)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        shares = learned_value("fuser=by_type", "shares", self.shares, "fuser.shares={type: share}")
        if shares.keys() - {UNKNOWN}:
            needed(pool.pool.context.types, "fuser=by_type weighs lists by the type of a question")
        return self._fused(
            pool, torch.tensor([shares.get(name, self.otherwise) for name in _types(pool)])
        )

    def _fused(self, pool: Calibrated, shares: Tensor) -> Tensor:
        dense = pool[pool.anchor].values
        share = shares.double().to(dense.device)[:, None]
        others = [scored.values for scored in pool.lists if scored.name != pool.anchor]
        return (
            share * dense + (1 - share) * total(others) / len(others) if others else share * dense
        )


def _types(pool: Calibrated) -> list[str]:
    """Return the type of each question of a pool."""
    types = pool.pool.context.types or [None] * pool.pool.shape[0]
    return [name or UNKNOWN for name in types]


def _hits(fused: Tensor, columns: Tensor) -> BoolArray:
    """Return bool[Q], whether a gold document is among the best ``DEPTH``; ties count.

    ``columns`` is int64[Q, H], -1 for none.
    """
    values = (
        fused.gather(1, columns.clamp(min=0))
        .masked_fill(columns < 0, -torch.inf)
        .amax(dim=1, keepdim=True)
    )
    hits: BoolArray = (
        (((fused > values).sum(dim=1) < DEPTH) & (values[:, 0] > -torch.inf)).cpu().numpy()
    )
    return hits
