"""Fusers, which combine the lists of a pool to one score for each document.

A fuser is a frozen dataclass, called with a ``Calibrated`` pool; it returns float64[Q, U], a score
for each column. ``-inf`` keeps a document out of the fused list. Its declarations decide which
knobs belong to its trials:

reads: the inputs that its result depends on, of ``scores``, ``ranks``, ``values``,
``probabilities``, ``importance`` (a prior of the documents) and ``types`` (of the questions).
Without ``values`` or ``probabilities`` the normalizer has no effect, without ``probabilities`` the
temperature has none either. unit: whether it needs normalised values in [0, 1] (``probabilities``
always do).

A fuser that learns from judged questions has fields that are null until ``fit(pool, gold)`` returns
a copy with values (``harness.fusion.learning``); gold is int32[Q, H], padded with -1.

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
    "check_shares",
    "fused_scores",
    "shares",
    "total",
    "weighted_sum",
]


@runtime_checkable
class Fuser(Protocol):
    """The protocol of fusers; the package's docstring has the contract."""

    reads: ClassVar[frozenset[str]]
    unit: ClassVar[bool]

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], a new tensor."""
        ...


def fused_scores(fuser: Fuser, pool: Calibrated) -> Tensor:
    """Return a fuser's scores of a pool; raise HarnessError unless they are float64[Q, U]."""
    return checked(fuser, fuser(pool), pool.pool.docs.shape, "a score a document")


from harness.fusion.fuser.shares import (  # noqa: E402
    ConsensusBonus,
    Shared,
    check_shares,
    total,
    weighted_sum,
)
from harness.fusion.fuser.single import Single  # noqa: E402
