"""The scores of a sweep's lists, as in ``scores.parquet``, and the types of knobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.run import Run

if TYPE_CHECKING:
    import pandas as pd


Setting: TypeAlias = "bool | int | float | str | Sequence[Setting] | Mapping[str, Setting] | None"
"""A value of a knob, as YAML and JSON have it."""
Settings = Mapping[str, Setting]
"""Values by knob: ``{"fuser": "rrf", "fuser.k": 60, "pool.lists": ["dense", "graph"]}``."""
SCORES = ("list", "query", "score")


@dataclass(frozen=True)
class ListScores:
    """A list's scores float64[N], best first within a question, and its lengths int64[Q]."""

    scores: Float64Array
    lengths: Int64Array

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.lengths)

    def top(self, depth: int | None) -> ListScores:
        """Return the ``depth`` best scores of each question; None returns all."""
        if depth is None:
            return self
        starts = np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return ListScores(
            self.scores[np.arange(len(self.scores)) - starts < depth],
            np.minimum(self.lengths, depth),
        )


def scores_frame(runs: Mapping[str, Run]) -> pd.DataFrame:
    """Return a row for each document of each list: the list's name, the question's number, the
    score.
    """
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "list": name,
                "query": np.repeat(np.arange(len(run)), run.lengths()),
                "score": run.scores,
            }
        )
        for name, run in runs.items()
    ]
    return pd.concat(parts, ignore_index=True).astype({"list": "category", "query": "int32"})


def read_scores(frame: pd.DataFrame, queries: int) -> dict[str, ListScores]:
    """Return the lists of such a table by name."""
    parts = {str(name): part for name, part in frame.groupby("list", sort=False, observed=True)}
    return {
        name: ListScores(
            part["score"].to_numpy(np.float64), np.bincount(part["query"], minlength=queries)
        )
        for name, part in parts.items()
    }
