"""The locked trials with their gold ranks: on test when they were held out, else on tune."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.metric import Metric
from harness.sweep.result import SweepResult
from harness.tracking.entry import records

GOLD = {
    "last_hop": "the last gold passage in hop order is",
    "full_sup": "all gold passages are",
    "any_sup": "any gold passage is",
    "recall": "the share of gold passages that are",
}


@dataclass(frozen=True)
class View:
    """Rows of trials on one split; ``ranks`` int32[R, Q, H] and ``queries`` (Q rows) belong to them.

    k: depth of the objective, as text (empty where it has none).    evaluation: 0 on tune.
    """

    rows: Sequence[Mapping[str, Any]]
    ranks: NDArray[np.int32]
    queries: pd.DataFrame
    dataset: str
    split: str
    objective: str
    data_sha256: str
    winner: str
    evaluation: int

    @classmethod
    def of(cls, result: SweepResult) -> View:
        """The held-out rows when there are any, else the locked trials on tune."""
        return cls.heldout(result) if result.heldout else cls.tune(result)

    @classmethod
    def heldout(cls, result: SweepResult) -> View:
        """The rows of ``heldout.json``."""
        rows = result.heldout or ()
        evaluation = max((int(row["evaluation"]) for row in rows), default=1)
        return cls(rows, result.heldout_ranks, result.heldout_queries, *_facts(result, "test"), evaluation)

    @classmethod
    def tune(cls, result: SweepResult) -> View:
        """The locked trials on tune."""
        places = {trial: place for place, trial in enumerate(result.trials["trial"])}
        locked = [result.lock["winner"], *result.lock["fusers"], *result.lock["baselines"]]
        chosen = list(dict.fromkeys(places[row["trial"]] for row in locked))
        rows = records(result.trials.iloc[chosen])
        return cls(rows, result.ranks[chosen], result.queries, *_facts(result, "tune"), 0)

    @property
    def n(self) -> int:
        """Number of queries."""
        return len(self.queries)

    def scores(self) -> NDArray[np.float64]:
        """float64[R, Q]: the objective of each row on each query."""
        metric = Metric.parse(self.objective)
        return np.stack([metric(ranks) for ranks in self.ranks])

    def row_of(self, name: str) -> int | None:
        """The place of the single list of that name."""
        found = (place for place, row in enumerate(self.rows) if row["family"] == "single" and row["name"] == name)
        return next(found, None)

    def winner_place(self) -> int:
        """The place of the locked winner."""
        return next(place for place, row in enumerate(self.rows) if row["trial"] == self.winner)

    def caption(self, where: str = "") -> str:
        """What every table says: data, split, n, k, what counts as found, the hash of the data, which evaluation.

        where: said instead of split and n, by a table that shows several.
        """
        name, at, k = self.objective.partition("@")
        meant = [key for key in dict.fromkeys((name, "full_sup", "recall")) if key in GOLD]
        told = "; ".join(f"{key}@k: {GOLD[key]} in the top k" for key in meant)
        times = f"; evaluation {self.evaluation} of this split" if self.evaluation else ""
        place = where or f"{self.split} split, n = {self.n} queries"
        return f"{self.dataset}, {place}{f', k = {k}' if at else ''}. {told}. Data {self.data_sha256[:12]}{times}."


def _facts(result: SweepResult, split: str) -> tuple[str, str, str, str, str]:
    facts = result.manifest
    return facts["dataset"], split, facts["objective"], facts["data_sha256"], result.lock["winner"]["trial"]
