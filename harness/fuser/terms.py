"""Fused scores that are weighted sums over the lists. They can be counted in a list's own order, without the pool's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from torch import Tensor

from harness.fuser.calibrated import Calibrated, Scored
from harness.fuser.shares import weighted_sum


@dataclass(frozen=True, eq=False)
class Term:
    """One list's summand: weight x value.

    values: float64[Q, N], or [1, N] for all queries, in the list's own order; one tensor for all trials that share it.
    absent: the value of a document that the list lacks, a number or float64[Q, 1].
    spread: float64[Q, U], the values in the columns of the pool.    weight: >= 0.
    """

    name: str
    values: Tensor
    absent: Tensor | float
    spread: Callable[[], Tensor]
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Terms:
    """score(d) = sum of the terms + bonus [at least two lists hold d], times the number of lists that do if ``held``.

    terms: one for every list of the pool.
    """

    terms: Sequence[Term]
    bonus: float = 0.0
    held: bool = False

    def fused(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]: what a fuser returns."""
        fused = weighted_sum([(term.spread(), term.weight) for term in self.terms])
        if self.bonus:
            fused.add_(pool.consensus * self.bonus)
        return fused.mul_(pool.held) if self.held else fused


@runtime_checkable
class Additive(Protocol):
    """A fuser whose scores are ``Terms``; then ``terms(pool).fused(pool)`` is what it returns."""

    def terms(self, pool: Calibrated) -> Terms | None:
        """The terms in this pool; None where the scores have no such form there."""
        ...


def of_values(scored: Scored, weight: float = 1.0) -> Term:
    """The list's summand: weight x normalised value."""
    values, absent = scored.owner.remember_own(("summand", scored.name), lambda: _values(scored))
    return Term(scored.name, values, absent, lambda: scored.values, weight)


def of_probabilities(scored: Scored, weight: float = 1.0) -> Term:
    """The list's summand: weight x Boltzmann probability."""
    values = scored.owner.remember_own(("weights", scored.name), lambda: scored.weights)
    return Term(scored.name, values, 0.0, lambda: scored.probabilities, weight)


def _values(scored: Scored) -> tuple[Tensor, Tensor | float]:
    values = scored.owner.listed(scored.name)
    return values, scored.normalizer.absent(values, scored.listing.present)
