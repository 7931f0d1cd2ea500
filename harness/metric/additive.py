"""Gold ranks of weighted sums, for many weights at once (the hot path of a sweep on the CPU).

Of the documents that one list alone holds, the fused score falls along that list, since sums and products of floats
are monotone: a binary search tells how many beat a gold passage. Only the documents that several lists hold, and those
of short lists, are scored one by one. Every score that is compared is computed as ``Terms.fused`` computes it, so the
ranks are the same to the bit; lists whose values do not descend (the last bits of a vectorised exponential) are
searched one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from harness.fuser.terms import Terms
from harness.metric.measure import ABSENT, NONE
from harness.run import Run

WHOLE = 2**62
"""The depth of a list that is not cut."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the documents of L runs of the same Q queries stand, and the gold passages among them.

    names: of the runs, in the pool's order.    docs: int32[L][N] of each run, bounds: int64[L, Q + 1], its indptr.
    depths: int64[L], how many of the best documents of each list there are at most.
    several: int32[S, 1 + L], document and place in each run (-1: none) of what several runs hold; query q's are those
    from ``together[q]`` to ``together[q + 1]``. A place at or below the list's depth is none.
    gold: int32[Q, H, 1 + L], the same of the gold passages.    padding: bool[Q, H], where there is none.
    """

    names: tuple[str, ...]
    docs: tuple[NDArray[np.int32], ...]
    bounds: NDArray[np.int64]
    depths: NDArray[np.int64]
    several: NDArray[np.int32]
    together: NDArray[np.int64]
    gold: NDArray[np.int32]
    padding: NDArray[np.bool_]

    @classmethod
    def of(cls, runs: Mapping[str, Run], gold: NDArray[np.int32]) -> Layout:
        """gold: int32[Q, H], document numbers, -1 for none."""
        from harness.metric.additive_kernel import arrange

        bounds = np.stack([run.indptr for run in runs.values()])
        docs = tuple(run.docs for run in runs.values())
        size = len(next(iter(runs.values())).doc_ids)
        several, together, found = arrange(docs, bounds, size, gold)
        return cls(tuple(runs), docs, bounds, np.full(len(docs), WHOLE), several, together, found, gold < 0)

    def cut(self, queries: slice, depths: Mapping[str, int | None]) -> Layout:
        """The same of some queries, of each list's best documents; a depth of None leaves the list whole."""
        own = np.array([WHOLE if depths[name] is None else depths[name] for name in self.names], dtype=np.int64)
        rows = slice(queries.start, queries.stop + 1)
        return replace(self, bounds=self.bounds[:, rows], depths=own, together=self.together[rows],
                       gold=self.gold[queries], padding=self.padding[queries])  # fmt: skip


def additive_ranks(layout: Layout, group: Sequence[Terms]) -> NDArray[np.int32] | None:
    """int32[T, Q, H]: the gold ranks of T fused lists whose terms share their values and differ in weights.

    None when a value is not finite, which only the whole fused list can judge.
    """
    from harness.metric.additive_kernel import count

    queries = layout.gold.shape[0]
    of_list = {term.name: place for place, term in enumerate(group[0].terms)}
    order = [of_list[name] for name in layout.names]
    terms = [group[0].terms[place] for place in order]
    values = tuple(term.values.contiguous().numpy() for term in terms)
    absent = np.stack([_by_query(term.absent, queries) for term in terms])
    weights = np.array([[fusion.terms[place].weight for place in order] for fusion in group], dtype=np.float64)
    bonus = np.array([fusion.bonus for fusion in group], dtype=np.float64)
    held = np.array([fusion.held for fusion in group])
    if not (np.isfinite(weights).all() and np.isfinite(bonus).all() and np.isfinite(absent).all()):
        return None
    ranks, finite = count(
        values, absent, weights, bonus, held, layout.docs, np.ascontiguousarray(layout.bounds), layout.depths,
        layout.several, layout.together, layout.gold, ABSENT,
    )  # fmt: skip
    if not finite:
        return None
    ranks[:, layout.padding] = NONE
    result: NDArray[np.int32] = ranks
    return result


def shared_key(terms: Terms) -> tuple[int, ...]:
    """What fused lists must have in common to be counted together: their values, as long as the pool's memo lives."""
    return tuple(id(term.values) for term in terms.terms)


def _by_query(absent: Tensor | float, queries: int) -> NDArray[np.float64]:
    return absent.numpy()[:, 0] if isinstance(absent, Tensor) else np.full(queries, float(absent))
