"""Gold ranks: counted from fused scores (most of a sweep's time), or looked up in a run, and the
exact bounds of a metric over all orders of equal scores.

Documents of equal score take adjacent places of a list, a + 1 to a + m, and any order of them may
have been meant. Every metric but last_hop decreases with the rank of each gold passage and does not
depend on which passage is which. It is highest if the gold of each such group comes first, best
grade first, and lowest if the gold comes last. last_hop depends on one passage, which may have
every place of its group. Questions are independent, so the bounds of a mean are the means of the
bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from harness.core.arrays import Int32Array, Int64Array, arrow, find
from harness.core.errors import HarnessError
from harness.core.table import percent
from harness.evaluation.metric.measure import (
    ABSENT,
    MEASURES,
    JudgedRanks,
    Metric,
    Ranks,
    Values,
    average,
)
from harness.run import Run

if TYPE_CHECKING:
    from torch import Tensor

    from harness.evaluation.gold import Gold

Ties = Literal["house", "trec"]
Range = tuple[float, float]
"""The lowest and the highest mean."""


def gold_ranks(fused: Tensor, docs: Tensor, columns: Tensor, gold: Tensor | None = None) -> Tensor:
    """Return int32[Q, H] on the CPU: 1 + the number of documents above each gold passage.

    A document is above another if its score is greater or, with equal scores, its number is
    smaller. Nothing is sorted: O(Q U H), exact, the same on CPU and GPU.

    Args:
        fused: float64[Q, U], a score for each column, ``-inf`` for a document that is not in the
            fused list.
        docs: int32[Q, U], the document of each column, ascending, then -1 (padding, whose scores
            are not read).
        columns: int64[Q, H], the column of each gold passage, -1 if the pool lacks it
            (``Pool.columns``).
        gold: int32[Q, H], the gold passages, from which NONE and UNORDERED are copied. None: such
            places are ABSENT.
    """
    import torch

    if fused.is_cuda:
        ranks, broken = _count_on_device(fused, docs, columns)
    else:
        from harness.evaluation.metric.gold_rank_kernel import count_better

        counted, broken = count_better(
            fused.detach().contiguous().numpy(),
            docs.contiguous().numpy(),
            columns.contiguous().numpy(),
            ABSENT,
        )
        ranks = torch.from_numpy(counted)
    if broken >= 0:
        raise HarnessError(
            f"query {broken}: a fused score is not finite; scale the lists' scores down, or fix "
            "the fuser or normalizer that made it"
        )
    if gold is not None:
        ranks = torch.where(gold.to(ranks.device) < 0, gold.to(ranks.device), ranks)
    return ranks


def _count_on_device(fused: Tensor, docs: Tensor, columns: Tensor) -> tuple[Tensor, int]:
    import torch

    scores = fused.masked_fill(docs < 0, -torch.inf)
    broken = (scores.isnan() | (scores == torch.inf)).any(dim=1)
    if bool(broken.any()):
        return columns.int(), int(broken.nonzero()[0])
    ranks = torch.full_like(columns, ABSENT)
    if scores.shape[1]:
        places = torch.arange(scores.shape[1], device=scores.device)
        for place in range(columns.shape[1]):
            gold_columns = columns[:, place : place + 1].clamp(min=0)
            score = scores.gather(1, gold_columns)
            better = (scores > score) | ((scores == score) & (places < gold_columns))
            held = (columns[:, place] >= 0) & (score[:, 0] > -torch.inf)
            ranks[:, place] = torch.where(held, 1 + better.sum(dim=1), ABSENT)
    return ranks.int().cpu(), -1


def run_ranks(run: Run, gold: Int32Array, ties: Ties = "house") -> Int32Array:
    """Return int32[Q, H], the ranks of the gold passages in the lists of a run.

    Args:
        run: the lists.
        gold: int32[Q, H], document numbers in hop order, padded with NONE and UNORDERED; a number
            that the run does not have (>= D) is ABSENT.
        ties: ``house`` orders equal scores by document id ascending. ``trec`` works as trec_eval:
            it reads scores as 32-bit floats and orders equal ones by document id descending.
    """
    docs, lists = run.docs, np.repeat(np.arange(len(run)), run.lengths())
    if ties == "trec":
        scores = run.scores.astype(np.float32)
        if ((scores[1:] == scores[:-1]) & (lists[1:] == lists[:-1])).any():
            docs = docs[np.lexsort((-docs, -scores, lists))]
    ranks = np.where(gold < 0, gold, ABSENT).astype(np.int32)
    size = len(run.doc_ids)
    known = (gold >= 0) & (gold < size)
    rows = np.nonzero(known)[0]
    held = lists * size + docs
    place = find(arrow(rows * size + gold[known]), arrow(held))
    ranks[known] = np.where(place < 0, ABSENT, place - run.indptr[rows] + 1)
    return ranks


@dataclass(frozen=True, eq=False)
class RunRanks:
    """The ranks of the gold in a run, and its scores.

    Attributes:
        run: the lists, with any questions.
        gold: the Q questions.
        ties: the order of equal scores; with ``trec``, scores are equal if they are the same 32-bit
            float.
    """

    run: Run
    gold: Gold
    ties: Ties = "house"

    @cached_property
    def lists(self) -> Run:
        """The lists of the gold's questions, in its order."""
        return self.run.aligned(arrow(self.gold.query_ids), self.run.doc_ids)

    @cached_property
    def ranks(self) -> Ranks:
        """int32[Q, H], the ranks of the supporting documents."""
        return run_ranks(self.lists, self.gold.numbers(self.run.doc_ids), self.ties)

    @cached_property
    def judged(self) -> JudgedRanks | None:
        """The ranks int32[Q, J] of all judged documents and their grades; None without
        judgements.
        """
        judged = self.gold.judged(self.run.doc_ids)
        return None if judged is None else (run_ranks(self.lists, judged[0], self.ties), judged[1])

    def values(self, metric: Metric) -> Values:
        """Return float64[Q], a metric on each question."""
        return metric(self.ranks, self.judged)

    def tie_ranges(self, metrics: Sequence[Metric]) -> dict[str, Range]:
        """Return the range of each metric over all orders of equal scores, by name.

        A metric that no order changes is left out, and so is a metric of a package, whose formula
        is unknown.
        """
        groups = _groups(self.lists, self.ties)
        if groups is None:
            return {}
        gold, judged = self.gold.numbers(self.run.doc_ids), self.gold.judged(self.run.doc_ids)
        together = _bounds(self.lists, groups, gold, alone=False)
        alone = _bounds(self.lists, groups, gold, alone=True)
        every: Sequence[JudgedRanks | None] = (None, None)
        if judged is not None:
            every = [(ranks, judged[1]) for ranks in _bounds(self.lists, groups, *judged)]
        ranges = {}
        for metric in metrics:
            if metric.name in MEASURES:
                bounds = alone if metric.ordered else together
                ends = zip(bounds, every, strict=True)
                best, worst = (float(average(metric(*end))) for end in ends)
                if worst < best:
                    ranges[str(metric)] = (worst, best)
        return ranges


def describe_ranges(run: str, ranges: Mapping[str, Range]) -> str:
    """Return the ranges in percent as a sentence without its full stop; "" if there is none.

    Args:
        run: its name.
        ranges: lowest and highest mean by metric.
    """
    shown = {name: (percent(low), percent(high)) for name, (low, high) in ranges.items()}
    moved = ", ".join(
        f"{name} {low} to {high}" for name, (low, high) in shown.items() if low != high
    )
    return f"{run} has equal scores; in another order of these it has {moved}" if moved else ""


class Groups(NamedTuple):
    """For each of the N entries of a run, int64[N]: its group of equal scores, the places before,
    its size.
    """

    number: Int64Array
    before: Int64Array
    size: Int64Array


def _groups(run: Run, ties: Ties) -> Groups | None:
    """Return the groups of equal scores; None if no scores of a list are equal."""
    scores = run.scores.astype(np.float32) if ties == "trec" else run.scores
    first = np.ones(len(scores), dtype=np.bool_)
    first[1:] = scores[1:] != scores[:-1]
    first[run.indptr[:-1][run.lengths() > 0]] = True
    if first.all():
        return None
    number, starts = first.cumsum() - 1, np.flatnonzero(first)
    rows = np.repeat(np.arange(len(run)), run.lengths())
    before = starts - run.indptr[rows[starts]]
    return Groups(number, before[number], np.diff([*starts, len(first)])[number])


def _bounds(
    run: Run,
    groups: Groups,
    gold: Int32Array,
    grades: Values | None = None,
    alone: bool = False,
) -> tuple[Ranks, Ranks]:
    """Return the ranks int32[Q, H] if the passages come first in their groups, and if they come
    last.

    Passages of one group are ordered by grade. ``alone``: each passage is treated as the only one.
    """
    ranks = run_ranks(run, gold)
    held = (ranks > 0) & (ranks < ABSENT)
    entry = run.indptr[np.nonzero(held)[0]] + ranks[held] - 1
    within = np.zeros(len(entry), dtype=np.int64)
    if not alone:
        number = groups.number[entry]
        order = np.lexsort((np.zeros(len(entry)) if grades is None else -grades[held], number))
        within[order] = np.arange(len(entry)) - np.searchsorted(number[order], number[order])
    best, worst = ranks.copy(), ranks.copy()
    best[held] = groups.before[entry] + 1 + within
    worst[held] = groups.before[entry] + groups.size[entry] - within
    return best, worst
