"""Fusion learned from judged queries: logistic regression on what the lists say of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from harness.core.errors import HarnessError, bounded, one_of
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.logistic import logistic
from harness.fusion.fuser.shares import total
from harness.fusion.learning import LEARNED


@dataclass(frozen=True)
class Learned:
    """score(d) = sum over lists of w p(d) + v [the list holds d], of normalised values p: log-odds, but for a constant.

    penalty: > 0, the ridge: w and v minimise the log loss summed over all documents of all queries' pools, plus
    penalty / 2 times their squares (C = 1 / penalty in scikit-learn).
    target: what is learned to be found, ``supporting`` passages or the ``last_hop``.
    coefficients: [w, v] by list name. null: a sweep learns them, on the folds of tune that it does not score, and
    ``winner.lock.json`` keeps what all of tune gives. A list whose score speaks against a document has w < 0.
    """

    penalty: float = 1.0
    target: str = "supporting"
    coefficients: Mapping[str, Sequence[float]] | None = field(default=None, hash=False, metadata=LEARNED)
    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False
    version: ClassVar[int] = 2  # 2: the weight of being held is added in float64

    def __post_init__(self) -> None:
        bounded("fuser.penalty", self.penalty, 0, open_low=True)
        one_of("fuser.target", self.target, ("supporting", "last_hop"))
        for name, pair in (self.coefficients or {}).items():
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
                raise HarnessError(f"fuser.coefficients.{name} must be [w, v], of value and presence, got {pair!r}")
            for value in pair:
                bounded(f"fuser.coefficients.{name}", value)

    def fit(self, pool: Calibrated, gold: NDArray[np.int32]) -> Learned:
        """The same with the coefficients that these queries give. gold: int32[Q, H], -1 padding."""
        last = np.maximum((gold >= 0).sum(axis=1, keepdims=True) - 1, 0)
        wanted = np.take_along_axis(gold, last, axis=1) if self.target == "last_hop" and gold.shape[1] else gold
        columns = pool.pool.columns(wanted)
        there = pool.pool.docs >= 0
        found = torch.zeros(pool.pool.shape, dtype=torch.int32, device=there.device)
        if pool.pool.shape[1]:
            found.scatter_add_(1, columns.clamp(min=0), (columns >= 0).int())
        labels = (found[there] > 0).cpu().numpy()
        if labels.all() or not labels.any():
            raise HarnessError(
                f"fuser=learned cannot learn from these {len(gold)} queries: {int(labels.sum())} of the {len(labels)} "
                f"documents in their pools are {self.target}, and it needs some that are and some that are not"
            )
        names = sorted(pool.names)
        features = [part[there].double().cpu().numpy() for name in names for part in _said(pool, name)]
        flat = logistic(features, labels, self.penalty)[1:].tolist()
        pairs = zip(flat[::2], flat[1::2], strict=True)
        return replace(self, coefficients={name: [*pair] for name, pair in zip(names, pairs, strict=True)})

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        if self.coefficients is None:
            raise HarnessError(
                "fuser=learned has no coefficients: `harness sweep` learns them on tune, and `harness fuse "
                "lock=winner.lock.json` uses what it learned; or give fuser.coefficients={list: [w, v]}"
            )
        missing = [name for name in pool.names if name not in self.coefficients]
        if missing:
            raise HarnessError(
                f"fuser.coefficients are of {', '.join(self.coefficients) or 'no list'}, not of {', '.join(missing)}; "
                "learn them on these lists"
            )
        return total([_summand(pool, name, *self.coefficients[name]) for name in pool.names])


def _said(pool: Calibrated, name: str) -> tuple[Tensor, Tensor]:
    """[Q, U] each: a list's values, and whether it holds the document."""
    return pool[name].values, pool[name].present


def _summand(pool: Calibrated, name: str, weight: float, held: float) -> Tensor:
    values, present = _said(pool, name)
    return values * weight + present.double() * held
