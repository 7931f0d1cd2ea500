"""Ranked lists from rows of scores over all passages, which walks return block by block."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, Float64Array, Int32Array, Int64Array
from harness.core.artifact import Facts
from harness.run import Run
from harness.work.latency import time_alone
from harness.work.parts import Advance, shares
from harness.work.progress import Progress
from harness.work.shared_rows import Columns, map_rows

PART = 128
"""Number of queries of a part, if several processes walk."""
NOTHING: Columns = (
    np.empty(0, np.int32),
    np.empty(0),
    np.empty(0, np.int64),
    np.empty(0, np.int64),
    np.empty(0),
)
"""Documents, scores and lengths of no lists, and iterations and changes of no walks."""
Scores = Float32Array | Float64Array


Walked = tuple[Scores, Int64Array, Float64Array]
"""The scores [B, D] of a block of B queries, and the ends of their walks: iterations, and a bound
on the change.
"""


def collect_lists(
    benchmark: Benchmark,
    scored: Callable[[slice], Iterable[Walked]],
    least: float,
    error: float = 0.0,
) -> tuple[Run, Facts]:
    """Return the lists of all queries and how their walks ended, in parts that processes may share.

    A list holds the passages with a score of at least ``least``. A walk whose last change is as
    large has not converged.

    Args:
        benchmark: the benchmark.
        scored: returns blocks of the asked queries in order. A block must not depend on the other
            queries.
        least: the walks' tolerance.
        error: scores are rounded to its multiples; 0 for none.
    """
    count = len(benchmark.query_ids)

    def ranked(part: slice, advance: Advance = lambda _: None) -> Columns:
        columns = [NOTHING]
        for values, steps, change in scored(part):
            columns.append((*rank_rows(values, least, error), steps, change))
            advance(len(values))
        return tuple(np.concatenate(column) for column in zip(*columns, strict=True))

    total = count if shares() == 1 else None  # several shares report their own parts
    with Progress("walk", total, "question") as bar:
        walk = functools.partial(ranked, advance=bar.update)
        docs, scores, lengths, steps, last = map_rows("walk", walk, count, PART)
    time_alone(lambda query: ranked(slice(query, query + 1)), count)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return Run(benchmark.query_ids, benchmark.doc_ids, indptr, docs, scores), {
        "iterations": {
            "mean": float(steps.mean()) if len(steps) else 0.0,
            "max": int(steps.max(initial=0)),
        },
        "largest_change": float(last.max(initial=0)),
        "not_converged": int((last >= least).sum()),
    }


def rank_rows(
    values: Scores, least: float, error: float = 0.0
) -> tuple[Int32Array, Float64Array, Int64Array]:
    """Return documents int32[N], scores, and lengths of rows [B, D]: each row's entries of at least
    ``least``, best first.

    Scores are rounded to multiples of ``error`` (0: not at all), so that entries that are equal but
    for their errors tie.
    """
    docs, scores, lengths = [], [], []
    for row in values:
        entries = np.flatnonzero(row >= least)
        score = row[entries].astype(np.float64)
        if error:
            score = np.rint(score / error) * error
        order = np.argsort(-score, kind="stable")
        docs.append(entries[order].astype(np.int32))
        scores.append(score[order])
        lengths.append(len(entries))
    return (
        np.concatenate([*docs, np.empty(0, np.int32)]),
        np.concatenate([*scores, np.empty(0)]),
        np.array(lengths, dtype=np.int64),
    )
