"""Gold ranks: counted from fused scores (most of a sweep's time), or looked up in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError
from harness.evaluation.metric.measure import ABSENT
from harness.run import Run

if TYPE_CHECKING:
    from torch import Tensor

Ties = Literal["house", "trec"]


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
            own = columns[:, place : place + 1].clamp(min=0)
            score = scores.gather(1, own)
            better = (scores > score) | ((scores == score) & (places < own))
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
    entry = pc.index_in(pa.array(rows * size + gold[known]), value_set=pa.array(held))
    place = pc.fill_null(entry, -1).to_numpy()
    ranks[known] = np.where(place < 0, ABSENT, place - run.indptr[rows] + 1)
    return ranks
