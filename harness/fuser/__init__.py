"""Fusers: the lists of a pool to one score a document (SPEC 6).

A fuser is a frozen dataclass, called with a ``Calibrated`` pool; it returns float64[Q, U], one score a column. ``-inf``
keeps a document out of the fused list. What it declares decides which knobs belong to its trials:

reads: of ``ranks``, ``values`` and ``probabilities``, what its scores depend on. Without ``values`` or
``probabilities`` the normalizer changes nothing, without ``probabilities`` the temperature does not either.
unit: whether it needs normalised values in [0, 1] (``probabilities`` always do).

Powers are written ``exp(y * log(x))``: the vectorised ``pow`` gives other bits at the end of a row than inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, runtime_checkable

from torch import Tensor

from harness.errors import HarnessError
from harness.fuser.calibrated import Calibrated, Scored
from harness.fuser.fusion import fuse

__all__ = ["Calibrated", "Fuser", "Scored", "fuse", "shares"]


@runtime_checkable
class Fuser(Protocol):
    """See the package's docstring for the contract."""

    reads: ClassVar[frozenset[str]]
    unit: ClassVar[bool]

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        ...


def shares(pool: Calibrated, alpha: float, weights: Mapping[str, float] | None) -> list[tuple[Scored, float]]:
    """Each list with its weight: ``weights`` by name, or for two lists alpha for the dense one and 1 - alpha.

    Without a list named ``dense``, alpha is the first list's share.
    """
    if weights is not None:
        missing = [name for name in pool.names if name not in weights]
        if missing:
            raise HarnessError(
                f"fuser.weights names {', '.join(weights) or 'no list'}; add a weight for {', '.join(missing)}"
            )
        return [(pool[name], float(weights[name])) for name in pool.names]
    first, second = pool.pair()
    return [(first, alpha), (second, 1 - alpha)]
