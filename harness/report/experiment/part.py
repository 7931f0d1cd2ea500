"""A split of a finished sweep, and the slices of its queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.metric import Metric
from harness.sweep.result import SweepResult
from harness.tracking.entry import records


@dataclass(frozen=True)
class Part:
    """The trials of a split with their gold ranks int32[T, Q, H] and the Q queries."""

    split: str
    rows: Sequence[Mapping[str, Any]]
    ranks: NDArray[np.int32]
    queries: pd.DataFrame

    def place(self, trial: str) -> int | None:
        """The place of the trial of that hash."""
        return next((place for place, row in enumerate(self.rows) if row["trial"] == trial), None)

    def slice(self, where: Mapping[str, Any]) -> NDArray[np.bool_]:
        """bool[Q]: the queries of a slice.

        where: values of columns of the queries (``hops: 2``), or ``list, metric, is``: the queries on which the metric
        of that single list has that value (``list: graph, metric: full_sup@200, is: 1``).
        """
        if "list" not in where:
            unknown = [column for column in where if column not in self.queries]
            if unknown:
                raise HarnessError(
                    f"experiment: {unknown[0]} is no column of queries: {', '.join(map(str, self.queries))}"
                )
            kept = [self.queries[column].to_numpy() == value for column, value in where.items()]
            return np.logical_and.reduce(kept) if kept else np.ones(len(self.queries), dtype=bool)
        alone = [n for n, row in enumerate(self.rows) if row["family"] == "single" and row["name"] == where["list"]]
        if not alone:
            raise HarnessError(f"experiment: a slice is of list {where['list']}, which the sweep does not have")
        met: NDArray[np.bool_] = Metric.parse(where["metric"])(self.ranks[alone[0]]) == where["is"]
        return met


def parts(result: SweepResult) -> Iterator[Part]:
    """Tune, and test when it was held out."""
    yield Part("tune", records(result.trials), result.ranks, result.queries)
    if result.heldout:
        yield Part("test", result.heldout, result.heldout_ranks, result.heldout_queries)
