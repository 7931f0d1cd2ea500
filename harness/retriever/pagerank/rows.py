"""Rows of scores over all passages, as walks yield them block by block, to ranked lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.run import Run

Scores = NDArray[np.float32] | NDArray[np.float64]


class WalkEnd(Protocol):
    """How the walks of a block of B queries ended: iterations int64[B], the bound on change float64[B]."""

    @property
    def iterations(self) -> NDArray[np.int64]:
        """int64[B]."""
        ...

    @property
    def change(self) -> NDArray[np.float64]:
        """float64[B]."""
        ...


def collect_lists(
    benchmark: Benchmark, blocks: Iterable[tuple[Scores, WalkEnd]], least: float
) -> tuple[Run, dict[str, Any]]:
    """The lists of all queries, of scores [B, D] in query order, and how their walks ended.

    A list holds the passages with a score of at least ``least``, the walks' tolerance: a walk whose last change is as
    great has not converged.
    """
    docs, scores, lengths = [np.empty(0, np.int32)], [np.empty(0)], [np.zeros(1, np.int64)]
    iterations, change = [np.empty(0, np.int64)], [np.empty(0)]
    for values, walked in blocks:
        found, ranked, count = rank_rows(values, least)
        docs.append(found)
        scores.append(ranked)
        lengths.append(count)
        iterations.append(walked.iterations)
        change.append(walked.change)
    steps, last = np.concatenate(iterations), np.concatenate(change)
    run = Run(
        benchmark.query_ids,
        benchmark.doc_ids,
        np.cumsum(np.concatenate(lengths), dtype=np.int64),
        np.concatenate(docs),
        np.concatenate(scores),
    )
    return run, {
        "iterations": {"mean": float(steps.mean()) if len(steps) else 0.0, "max": int(steps.max(initial=0))},
        "largest_change": float(last.max(initial=0)),
        "not_converged": int((last >= least).sum()),
    }


def rank_rows(values: Scores, least: float) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Documents int32[N], scores, lengths of rows [B, D]: each row's entries >= ``least``, in the one order."""
    docs, scores, lengths = [], [], []
    for row in values:
        found = np.flatnonzero(row >= least)
        found = found[np.argsort(-row[found], kind="stable")]
        docs.append(found.astype(np.int32))
        scores.append(row[found].astype(np.float64))
        lengths.append(len(found))
    return (
        np.concatenate([*docs, np.empty(0, np.int32)]),
        np.concatenate([*scores, np.empty(0)]),
        np.array(lengths, dtype=np.int64),
    )
