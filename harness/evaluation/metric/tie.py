"""How far the order of equal scores can move a metric: exact bounds over all orders, from counts.

Documents of equal score stand side by side in a list, in places a + 1 to a + m. Any order of them
may have been meant. Every metric but last_hop falls with the rank of each gold passage and does not
care which is which, so it is highest where the gold of each such group comes first, best grade
first, and lowest where that comes last. last_hop asks for one passage alone, which may have every
place of its group. Queries are independent, so the bounds of a mean are the means of the bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    gold: NDArray[np.int32],
    judged: JudgedRanks | None,
    metrics: Sequence[Metric],
    ties: Ties = "house",
) -> dict[str, Range]:
    """The range of each metric over all orders of equal scores, by name; a metric that no order
    moves is left out.

    gold: int32[Q, H], numbers of the supporting documents, as of ``run_ranks``.    judged: the
    numbers of all judged
    documents and their grades.    ties: ``trec`` takes scores as equal that are the same 32-bit
    float. A metric of a package, whose formula may be anything, has no range.
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
    """The ranges that a table would show, in percent, as a sentence without its full stop; empty
    where there is none.

    run: its name.
    """
    shown = {name: (percent(low), percent(high)) for name, (low, high) in ranges.items()}
    moved = ", ".join(
        f"{name} {low} to {high}" for name, (low, high) in shown.items() if low != high
    )
    return f"{run} has equal scores; in another order of these it has {moved}" if moved else ""


class Groups(NamedTuple):
    """Of each entry of a run, int64[N]: the number of its group of equal scores, the places before
    it, its size.
    """

    number: NDArray[np.int64]
    before: NDArray[np.int64]
    size: NDArray[np.int64]


def _groups(run: Run, ties: Ties) -> Groups | None:
    """None where no scores of a list are equal."""
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
    gold: NDArray[np.int32],
    grades: Values | None = None,
    alone: bool = False,
) -> tuple[Ranks, Ranks]:
    """int32[Q, H] twice: the ranks where the passages come first in their groups, best grade first,
    and where last.

    alone: each passage for itself, as if it were the only one.
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
