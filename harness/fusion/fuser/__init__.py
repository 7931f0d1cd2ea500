"""Fusers: the lists of a pool to one score a document.

A fuser is a frozen dataclass, called with a ``Calibrated`` pool; it returns float64[Q, U], one
score a column. ``-inf`` keeps a document out of the fused list. What it declares decides which
knobs belong to its trials:

reads: of ``scores``, ``ranks``, ``values``, ``probabilities``, ``importance`` (a prior of the
documents) and ``types`` (of the questions), what its result depends on. Without ``values`` or
``probabilities`` the normalizer changes nothing, without ``probabilities`` the temperature does not
either.
unit: whether it needs normalised values in [0, 1] (``probabilities`` always do).

One that learns from judged queries has fields that are null until ``fit(pool, gold)`` returns the
same with values in them (``harness.fusion.learning``); gold is int32[Q, H], -1 padding. So has a
normalizer, whose ``fit(listings)`` sees no gold.

Powers are written ``exp(y * log(x))``: the vectorised ``pow`` gives other bits at the end of a row
than inside it.
"""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from torch import Tensor

from harness.fusion.calibrated import Calibrated, Scored
from harness.fusion.contract import checked
from harness.fusion.fuser.shares import shares

__all__ = [
    "Calibrated",
    "ConsensusBonus",
    "Fuser",
    "Scored",
    "Shared",
    "Single",
    "fused_scores",
    "shares",
    "total",
    "weighted_sum",
]


@runtime_checkable
class Fuser(Protocol):
    """See the package's docstring for the contract."""

    reads: ClassVar[frozenset[str]]
    unit: ClassVar[bool]

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U], a new tensor."""
        ...


def fused_scores(fuser: Fuser, pool: Calibrated) -> Tensor:
    """What a fuser makes of a pool. Raises HarnessError where that is something else than
    float64[Q, U].
    """
    return checked(fuser, fuser(pool), pool.pool.docs.shape, "a score a document")


from harness.fusion.fuser.shares import ConsensusBonus, Shared, total, weighted_sum  # noqa: E402
from harness.fusion.fuser.single import Single  # noqa: E402
