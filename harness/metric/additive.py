"""Gold ranks of weighted sums, for many weights at once (the hot path of a sweep on the CPU).

Of the documents that one list alone holds, the fused score falls along that list, since sums and products of floats
are monotone: a binary search tells how many beat a gold passage. Only the documents that several lists hold are scored
one by one. Every score that is compared is computed as ``Terms.fused`` computes it, so the ranks are the same to the
bit; lists whose values do not descend (the last bits of a vectorised exponential) are searched one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from harness.fuser.terms import Term, Terms
from harness.metric.measure import ABSENT, NONE
from harness.pool import Pool


@dataclass(frozen=True, eq=False)
class Layout:
    """Where a pool's documents stand, and the gold passages among them. L lists, in the pool's order.

    names: of the lists.    lengths: int64[L, Q].
    lone: int32[L, Q, N, 2], place in the list and column of the documents that it alone holds, in its order; ``alone``
    int64[L, Q] counts them.
    several: int32[Q, S, 1 + L], column and place in each list (-1: none) of the others; ``together`` int64[Q] counts
    them.
    gold: int32[Q, H, 1 + L], the same of the gold passages, column -1 for one that the pool lacks.
    padding: bool[Q, H], where there is no gold passage.
    """

    names: tuple[str, ...]
    lengths: NDArray[np.int64]
    lone: NDArray[np.int32]
    alone: NDArray[np.int64]
    several: NDArray[np.int32]
    together: NDArray[np.int64]
    gold: NDArray[np.int32]
    padding: NDArray[np.bool_]

    @classmethod
    def of(cls, pool: Pool, gold: NDArray[np.int32]) -> Layout:
        """gold: int32[Q, H], document numbers, -1 for none."""
        from harness.metric.additive_kernel import arrange

        lengths = np.stack([listing.present.sum(dim=1).numpy() for listing in pool.listings.values()])
        slots = tuple(listing.slots.numpy() for listing in pool.listings.values())
        lone, alone, several, together, found = arrange(pool.docs.numpy(), slots, lengths, gold)
        return cls(tuple(pool.listings), lengths, lone, alone, several, together, found, gold < 0)


def additive_ranks(layout: Layout, group: Sequence[Terms]) -> NDArray[np.int32] | None:
    """int32[T, Q, H]: the gold ranks of T fused lists whose terms share their values and differ in weights.

    None when a value is not finite, which only the whole fused list can judge.
    """
    from harness.metric.additive_kernel import count

    terms, *_ = ordered = [_in_order(fusion, layout.names) for fusion in group]
    values = tuple(term.values.contiguous().numpy() for term in terms)
    absent = np.stack([_by_query(term.absent, layout.lengths.shape[1]) for term in terms])
    weights = np.array([[term.weight for term in own] for own in ordered])
    bonus = np.array([fusion.bonus for fusion in group], dtype=np.float64)
    held = np.array([fusion.held for fusion in group])
    if not (np.isfinite(weights).all() and np.isfinite(bonus).all() and np.isfinite(absent).all()):
        return None
    ranks, finite = count(
        values, absent, weights, bonus, held, layout.lengths, layout.lone, layout.alone, layout.several,
        layout.together, layout.gold, ABSENT,
    )  # fmt: skip
    if not finite:
        return None
    ranks[:, layout.padding] = NONE
    result: NDArray[np.int32] = ranks
    return result


def shared_key(terms: Terms) -> tuple[int, ...]:
    """What fused lists must have in common to be counted together: their values, as long as the pool's memo lives."""
    return tuple(id(term.values) for term in terms.terms)


def _in_order(fusion: Terms, names: tuple[str, ...]) -> list[Term]:
    return sorted(fusion.terms, key=lambda term: names.index(term.name))


def _by_query(absent: Tensor | float, queries: int) -> NDArray[np.float64]:
    return absent.numpy()[:, 0] if isinstance(absent, Tensor) else np.full(queries, float(absent))
