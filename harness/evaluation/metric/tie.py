"""Exact bounds of a metric over all orders of equal scores.

Documents of equal score take adjacent places of a list, a + 1 to a + m, and any order of them may
have been meant. Every metric but last_hop decreases with the rank of each gold passage and does not
depend on which passage is which. It is highest if the gold of each such group comes first, best
grade first, and lowest if the gold comes last. last_hop depends on one passage, which may have
every place of its group. Questions are independent, so the bounds of a mean are the means of the
bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness.core.arrays import Int32Array, Int64Array
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
from harness.evaluation.metric.rank import Ties, run_ranks
from harness.run import Run

Range = tuple[float, float]
"""The lowest and the highest mean."""


def tie_ranges(
    run: Run,
    gold: Int32Array,
    judged: JudgedRanks | None,
    metrics: Sequence[Metric],
    ties: Ties = "house",
) -> dict[str, Range]:
    """Return the range of each metric over all orders of equal scores, by name.

    A metric that no order changes is left out, and so is a metric of a package, whose formula is
    unknown.

    Args:
        run: the lists.
        gold: int32[Q, H], numbers of the supporting documents (see ``run_ranks``).
        judged: numbers of all judged documents and their grades.
        metrics: the metrics.
        ties: with ``trec``, scores are equal if they are the same 32-bit float.
    """
    groups = _groups(run, ties)
    if groups is None:
        return {}
    own, alone = _bounds(run, groups, gold), _bounds(run, groups, gold, alone=True)
    every = None if judged is None else _bounds(run, groups, *judged)
    ranges = {}
    for metric in metrics:
        if metric.name in MEASURES:
            best, worst = (
                float(
                    average(
                        metric(
                            ranks,
                            None if every is None or judged is None else (every[end], judged[1]),
                        )
                    )
                )
                for end, ranks in enumerate(alone if metric.ordered else own)
            )
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
