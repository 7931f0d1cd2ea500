"""The trials of a sweep on a split with their gold ranks: scores, places, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.evaluation.comparison import MARGIN, Comparison, Outcome
from harness.evaluation.metric import Metric
from harness.sweep.folder.lock import Lock
from harness.sweep.folder.manifest import SweepManifest
from harness.sweep.folder.rows import Compared, Row, score

if TYPE_CHECKING:
    import pandas as pd

Selection = NDArray[np.bool_] | NDArray[np.int64] | slice
"""Some of a view's questions."""


@dataclass(frozen=True)
class TrialScores:
    """Rows of trials on one split; ``ranks`` int32[R, Q, H] and ``queries`` (Q rows) belong to
    them.

    queries: those that the objective counts; in_split: how many the split has, None: these.
    comparisons: the rows of the long frame on this split; of other trials, too.
    """

    split: str
    rows: Sequence[Row]
    ranks: NDArray[np.int32]
    queries: pd.DataFrame
    manifest: SweepManifest
    lock: Lock
    in_split: int | None = None
    comparisons: Sequence[Compared] = ()

    @property
    def n(self) -> int:
        """Number of queries."""
        return len(self.queries)

    @property
    def dataset(self) -> str:
        """The benchmark's name."""
        return self.manifest["dataset"]

    @property
    def data_sha256(self) -> str:
        """The hash of the benchmark's files."""
        return self.manifest["data_sha256"]

    @property
    def objective(self) -> str:
        """The name of the metric that the winner was chosen by."""
        return self.manifest["objective"]

    @property
    def winner(self) -> str:
        """The hash of the locked winner."""
        return self.lock["winner"]["trial"]

    @property
    def margin(self) -> float:
        """The largest difference of the objective that does not matter."""
        return self.lock.get("margin", MARGIN)

    @property
    def reference(self) -> str:
        """The list that wins are counted against."""
        return self.lock.get("reference") or "dense"

    @property
    def best_single(self) -> str | None:
        """The best list alone on tune."""
        return self.lock.get("best_single")

    @property
    def usual_metrics(self) -> list[str]:
        """The objective, and full_sup and recall at its depth."""
        k = self.metric.k or 5
        return list(dict.fromkeys([self.objective, f"full_sup@{k}", f"recall@{k}"]))

    @property
    def evaluation(self) -> int:
        """Which evaluation of test this is; 0 on tune."""
        return max((row.get("evaluation", 0) for row in self.rows), default=0)

    @cached_property
    def metric(self) -> Metric:
        """The objective."""
        return Metric.parse(self.objective)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """float64[R, Q]: the objective of each row on each query."""
        return np.stack([self.values(place) for place in range(len(self.rows))])

    def values(self, place: int, metric: Metric | None = None) -> NDArray[np.float64]:
        """float64[Q]: a metric, by default the objective, of a row on each query."""
        return (metric or self.metric)(np.asarray(self.ranks[place]))

    @cached_property
    def originals(self) -> list[int]:
        """Of each row, the place of the first one with the same gold ranks, as all have that follow
        one list alone.
        """
        first: dict[bytes, int] = {}
        return [
            first.setdefault(ranks.tobytes(), place)
            for place, ranks in enumerate(np.asarray(self.ranks))
        ]

    @property
    def copies(self) -> list[bool]:
        """Of each row, whether one before it has the same gold ranks."""
        return [first < place for place, first in enumerate(self.originals)]

    @cached_property
    def winner_place(self) -> int:
        """The place of the locked winner."""
        if (place := self.place(self.winner)) is None:
            raise HarnessError(
                f"{self.dataset}: the locked winner {self.winner} has no row on {self.split}"
            )
        return place

    @property
    def winner_name(self) -> str:
        """The name of the locked winner; of a fusion that ranks as one list does, that
        list's name.
        """
        return self.winner_list or self.rows[self.winner_place]["name"]

    @cached_property
    def winner_list(self) -> str | None:
        """The list that the winning fusion is in disguise: all gold of the objective's first k
        stands as in it.
        """
        if self.winner_place not in self.fused:
            return None
        return next((name for name, place in self.singles.items() if self._is_alike(place)), None)

    @property
    def best_place(self) -> int:
        """The place of the winner, or of the list that it is."""
        return self.singles[self.winner_list] if self.winner_list else self.winner_place

    @property
    def best_first(self) -> list[int]:
        """The places of the rows, the highest objective first; those not practical last."""

        def key(place: int) -> tuple[bool, float]:
            row = self.rows[place]
            return row.get("practical") is False, -self.score(row)

        return sorted(range(len(self.rows)), key=key)

    @property
    def rivals(self) -> dict[str, int]:
        """What the winner is shown beside, by name: reference and best single list, where these are
        not itself.
        """
        names = dict.fromkeys([self.reference, self.best_single])
        own = (None, self.winner_place, self.best_place)
        return {
            name: self.singles[name] for name in names if name and self.singles.get(name) not in own
        }

    @property
    def added(self) -> dict[str, int]:
        """The places of the best trials of what the command line added, by its name."""
        added = (self.lock.get("added") or {}).items()
        places = ((name, self.place(row["trial"])) for name, row in added)
        return {name: place for name, place in places if place is not None}

    def compare(
        self, place: int, other: int, part: Selection = slice(None), metric: Metric | None = None
    ) -> Comparison:
        """A row against another one by the objective, or by ``metric``, on all questions or on
        some.
        """
        ours, theirs = (
            self.scores[one] if metric is None else self.values(one, metric)
            for one in (place, other)
        )
        return Comparison.of(
            ours[part],
            theirs[part],
            (metric or self.metric).binary,
            self.margin,
            self.clusters[part],
        )

    def outcome(self, place: int, against: str | None) -> Outcome | None:
        """What is stored of a row against a single list; None of that list itself, and where they
        were not compared.
        """
        found = self._stored.get((self.rows[place]["trial"], str(against)))
        if found is None:
            return None
        return Outcome(**{field.name: found[field.name] for field in fields(Outcome)})

    @cached_property
    def _stored(self) -> dict[tuple[str, str], Mapping[str, Any]]:
        return {(one["trial"], one["against"]): one for one in self.comparisons}

    def winner_against(self, name: str | None) -> Comparison | None:
        """The winner against a single list; None against itself, and where the sweep has no such
        list.

        Against the reference and the best list of tune its p is corrected as it is stored.
        """
        place = self.singles.get(name or "")
        if place is None or place in (self.winner_place, self.best_place):
            return None
        stored = self.outcome(self.winner_place, name)
        return self.compare(self.winner_place, place).with_fields(
            p_holm=None if stored is None else stored.p_holm
        )

    def is_winner(self, place: int) -> bool:
        """Whether a row is the winner or, where that is a list in disguise, any other disguise of
        it.
        """
        other = self.winner_list is not None and self._is_alike(place)
        return place == self.winner_place or other

    def _is_alike(self, place: int) -> bool:
        """Whether a row has the winner's gold ranks, all beyond the objective's k counted alike."""
        ranks = self.ranks[[place, self.winner_place]]
        ours, winner = ranks if self.metric.k is None else np.minimum(ranks, self.metric.k + 1)
        return np.array_equal(ours, winner)

    def score(self, row: Row) -> float:
        """The objective of a row."""
        return score(row, self.objective)

    @cached_property
    def singles(self) -> dict[str, int]:
        """The places of the practical lists alone, by name: the first where several trials are one
        list under other caps.
        """
        found: dict[str, int] = {}
        for place, row in enumerate(self.rows):
            if row["family"] == "single" and row.get("practical") is not False:
                found.setdefault(row["name"], place)
        return found

    @cached_property
    def fused(self) -> list[int]:
        """The places of all rows but lists alone."""
        return [place for place, row in enumerate(self.rows) if row["family"] != "single"]

    @property
    def knobs(self) -> set[str]:
        """The names of the parameters that any trial has."""
        return {knob for row in self.rows for knob in row["parameters"]}

    def place(self, trial: str) -> int | None:
        """The place of the trial of that hash."""
        return next((place for place, row in enumerate(self.rows) if row["trial"] == trial), None)

    def slice(self, where: Mapping[str, Any]) -> NDArray[np.bool_]:
        """bool[Q]: the queries of a slice.

        where: values of columns of the queries (``hops: 2``, ``in_hipporag_1000: true``), or
        ``list, metric, is``: the queries on which the metric of that single list has that value
        (``list: graph, metric: full_sup@200, is: 1``).
        """
        if "list" in where:
            alone = self.singles.get(where["list"])
            if alone is None:
                raise HarnessError(
                    f"experiment: a slice is of list {where['list']}, which the sweep does not have"
                )
            met: NDArray[np.bool_] = Metric.parse(where["metric"])(self.ranks[alone]) == where["is"]
            return met
        kept = np.ones(self.n, dtype=np.bool_)
        for column, value in where.items():
            if column not in self.queries:
                known = ", ".join(map(str, self.queries))
                raise HarnessError(f"experiment: {column} is no column of questions: {known}")
            kept &= self.queries[column].to_numpy() == value
        return kept

    @property
    def clusters(self) -> NDArray[np.int64]:
        """int64[Q]: queries with the same number share gold passages; each its own in a sweep that
        did not store it.
        """
        found: NDArray[np.int64] = np.asarray(self.queries.get("cluster", np.arange(self.n)))
        return found
