"""Temperatures of the Boltzmann family: how sharply a list's energies become weights.

The energy of a value p is -ln(p + 1e-6). A temperature is a frozen dataclass, called with the
normalised ``values`` (float64[Q, N] for each list, rows in the list's own order) and ``present``
(bool[Q, N]) of all lists of a pool. It returns float64[Q, 1] for each list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from harness.fusion.normalizer import ordered_sum

EPSILON = 1e-6
"""Added to a value before its logarithm, so that 0 has a finite energy (PhaseGraph eq. 2)."""

LARGEST = 10**9
"""The largest temperature. Probabilities differ by the share (difference of energies) / T, and
float64 keeps 2^-53: at a higher one different documents would become equal.
"""


@runtime_checkable
class Temperature(Protocol):
    """The protocol of temperatures."""

    def __call__(self, values: Sequence[Tensor], present: Sequence[Tensor]) -> list[Tensor]:
        """Return float64[Q, 1] for each list, 0 or more."""
        ...


def energies(values: Tensor) -> Tensor:
    """Return E = -ln(p + 1e-6), for values p in [0, 1] (PhaseGraph eq. 2)."""
    return -torch.log(values + EPSILON)


def boltzmann(values: Tensor, present: Tensor, temperature: Tensor) -> Tensor:
    """Return P_i = exp(-E_i / T) / sum_j exp(-E_j / T) over the list's documents (PhaseGraph eq.
    4).

    T = 0 gives the uniform distribution. The smallest energy is subtracted first, so that no T
    underflows. P is 0 in the padding.

    Args:
        values: float64[Q, N].
        present: bool[Q, N].
        temperature: float64[Q, 1].
    """
    energy = energies(values)
    lowest = (
        torch.where(present, energy, torch.inf).amin(dim=-1, keepdim=True)
        if values.shape[-1]
        else energy
    )
    cold = temperature == 0
    exponent = torch.where(cold, 0.0, -(energy - lowest) / torch.where(cold, 1.0, temperature))
    weights = torch.where(present, torch.exp(exponent), 0.0)
    total = ordered_sum(weights)
    return weights / torch.where(total == 0, 1.0, total)


from harness.fusion.temperature.auto import Auto as Auto  # noqa: E402
