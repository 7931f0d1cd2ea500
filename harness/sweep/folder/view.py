"""The trials of a sweep on a split with their gold ranks: scores, indices, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from harness.core.errors import HarnessError
from harness.core.table import counted
from harness.evaluation.metric import Metric
from harness.evaluation.paired_comparison import MARGIN, Comparison, Finding, Outcome, Verdict
from harness.evaluation.statistic import charge, share, too_few
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.lock import Baselines, Group, Lock, group_of, list_of, title_of

if TYPE_CHECKING:
    import pandas as pd

Selection = BoolArray | Int64Array | slice
"""Some of a view's questions."""


@dataclass(frozen=True)
class View:
    """Rows of trials on one split.

    Attributes:
        ranks: int32[R, Q, H].
        queries: the Q questions that the objective counts.
        in_split: number of questions in the split; None: Q.
        sizes: number of comparisons of each group that is decided together, also of other trials.
    """

    split: str
    rows: Sequence[JudgedTrial]
    ranks: Int32Array
    queries: pd.DataFrame
    manifest: Mapping[str, Any]
    lock: Lock
    in_split: int | None = None
    sizes: Mapping[Group, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of questions."""
        return len(self.queries)

    @property
    def dataset(self) -> str:
        """The name of the benchmark."""
        return str(self.manifest["dataset"])

    @property
    def data_sha256(self) -> str:
        """The hash of the benchmark's files."""
        return str(self.manifest["data_sha256"])

    @property
    def objective(self) -> str:
        """The name of the metric by which the winner was chosen."""
        return str(self.manifest["objective"])

    @property
    def winner(self) -> str:
        """The hash of the locked winner."""
        return str(self.lock["winner"]["trial"])

    @property
    def margin(self) -> float:
        """The largest difference of the objective that does not matter."""
        return float(self.lock.get("margin", MARGIN))

    @property
    def baselines(self) -> Baselines:
        """The trials of the single lists, the reference and the best list, as locked."""
        return Baselines.of_lock(self.lock)

    @property
    def reference(self) -> str:
        """The list against which wins are counted."""
        return self.baselines.reference

    @property
    def best_single(self) -> str | None:
        """The best list alone on tune."""
        return self.baselines.best

    @property
    def usual_metrics(self) -> list[str]:
        """The objective, and full_sup and recall at its depth."""
        k = self.metric.k or 5
        return list(dict.fromkeys([self.objective, f"full_sup@{k}", f"recall@{k}"]))

    @property
    def evaluation(self) -> int:
        """The number of this evaluation of test; 0 on tune."""
        return max((row.on_test.evaluation for row in self.rows if row.on_test), default=0)

    @cached_property
    def metric(self) -> Metric:
        """The objective."""
        return Metric.parse(self.objective)

    @cached_property
    def scores(self) -> Float64Array:
        """float64[R, Q]: the objective of each row on each question."""
        return np.stack([self.values(place) for place in range(len(self.rows))])

    def values(self, place: int, metric: Metric | None = None) -> Float64Array:
        """Return float64[Q], a metric (by default the objective) of a row on each question."""
        return (metric or self.metric)(np.asarray(self.ranks[place]))

    @cached_property
    def originals(self) -> list[int]:
        """For each row, the index of the first one with the same gold ranks (see ``equals``)."""
        first: dict[str, int] = {}
        return [
            first.setdefault(row.equals or row.trial, place) for place, row in enumerate(self.rows)
        ]

    @cached_property
    def repeats(self) -> list[bool]:
        """For each row, whether it is shown by another one: an earlier one with its gold ranks, or
        the winner.
        """
        won = self.originals[self.winner_place] if self.winner_list is not None else None
        return [
            first < place or place == self.winner_place or first == won
            for place, first in enumerate(self.originals)
        ]

    @cached_property
    def winner_place(self) -> int:
        """Index of the locked winner."""
        if (place := self.place(self.winner)) is None:
            raise HarnessError(
                f"{self.dataset}: the locked winner {self.winner} has no row on {self.split}"
            )
        return place

    @property
    def winner_list(self) -> str | None:
        """The list that the winning fusion ranks as, or None."""
        return self.ranks_as(self.winner_place)

    def ranks_as(self, place: int) -> str | None:
        """Return the list that a fusion has the gold ranks of, or None."""
        row = self.rows[place]
        return list_of(row.family, row.equals, self._lists)

    @property
    def _lists(self) -> dict[str, str]:
        """The hashes of the practical single lists by name."""
        return {name: self.rows[place].trial for name, place in self.singles.items()}

    def named(self, place: int) -> str:
        """Return the name of a row; ``linear alpha=0 = graph`` if it ranks as a list."""
        listed = self.ranks_as(place)
        return f"{self.rows[place].name}{f' = {listed}' if listed else ''}"

    @property
    def fusers(self) -> list[int]:
        """Indices of the best trial of each fuser on tune."""
        places = (self.place(row["trial"]) for row in self.lock["fusers"])
        return [place for place in places if place is not None]

    @property
    def best_place(self) -> int:
        """Index of the winner, or of the list that it copies."""
        return self.singles[self.winner_list] if self.winner_list else self.winner_place

    @property
    def best_first(self) -> list[int]:
        """Indices of the rows by descending objective; impractical ones last."""

        def key(place: int) -> tuple[bool, float]:
            return not self.rows[place].practical, -self.gain(place)

        return sorted(range(len(self.rows)), key=key)

    @property
    def rivals(self) -> dict[str, int]:
        """Indices of the reference and the best single list by name, without the winner."""
        names = dict.fromkeys([self.reference, self.best_single])
        excluded = (None, self.winner_place, self.best_place)
        return {
            name: self.singles[name]
            for name in names
            if name and self.singles.get(name) not in excluded
        }

    def compare(
        self, place: int, other: int, part: Selection = slice(None), metric: Metric | None = None
    ) -> Comparison:
        """Compare two rows by the objective, or ``metric``, on all questions or on ``part``."""
        if metric is None:
            metric, ours, theirs = self.metric, self.scores[place], self.scores[other]
        else:
            ours, theirs = self.values(place, metric), self.values(other, metric)
        return Comparison.of(
            ours[part],
            theirs[part],
            metric.binary,
            self.margin,
            self.clusters[part],
            higher_is_better=metric.higher_is_better,
        )

    def outcome(self, place: int, against: str | None) -> Outcome | None:
        """Return the stored comparison of a row with a single list; None if there is none."""
        return self.rows[place].outcomes.get(str(against))

    def finding(self, place: int, against: str | None) -> Finding:
        """Return what the stored comparison of a row with a single list shows."""
        outcome = self.outcome(place, against)
        if outcome is None or outcome.difference is None:
            return "even"
        gain = outcome.difference if self.metric.higher_is_better else -outcome.difference
        return Verdict(outcome.p_holm).finding(gain)

    def _verdict(self, name: str, outcome: Outcome) -> Verdict:
        """Return the stored verdict of the winner's comparison with a list."""
        group, times = group_of(self.split, self.winner, name, self.winner), charge(self.evaluation)
        if group[0] == "winner":
            tested = outcome.p_holm is not None or too_few(self.clusters)
            return Verdict(outcome.p_holm, "sequence", 1, times, tested)
        return Verdict(outcome.p_holm, "holm", self.sizes[group], times)

    def winner_against(self, name: str | None) -> Comparison | None:
        """Compare the winner with the reference or the best list, with the stored verdict; None for
        another list, and for one that the winner is or ranks as.
        """
        place, stored = self.singles.get(name or ""), self.outcome(self.winner_place, name)
        if place is None or stored is None or place == self.best_place:
            return None
        verdict = self._verdict(str(name), stored)
        return self.compare(self.winner_place, place).with_fields(verdict=verdict)

    def score(self, row: JudgedTrial) -> float:
        """Return the objective of a row."""
        return row.scores[self.objective]

    def gain(self, place: int) -> float:
        """Return the objective of a row so that more is better."""
        value = self.score(self.rows[place])
        return value if self.metric.higher_is_better else -value

    @property
    def tests(self) -> dict[str, Comparison]:
        """The decided comparison of the winner with each of its rivals, by the rival's name."""
        comparisons = {name: self.winner_against(name) for name in self.rivals}
        return {
            name: comparison for name, comparison in comparisons.items() if comparison is not None
        }

    @cached_property
    def singles(self) -> dict[str, int]:
        """Indices of the practical single lists by name, each on the whole list."""
        places = {row.trial: place for place, row in enumerate(self.rows)}
        lists = {name: places[key] for name, key in self.baselines.lists.items() if key in places}
        usable = {name: place for name, place in lists.items() if self.rows[place].practical}
        return dict(sorted(usable.items(), key=lambda item: item[1]))

    @cached_property
    def fused(self) -> list[int]:
        """Indices of all rows except single lists."""
        return [place for place, row in enumerate(self.rows) if not row.is_single]

    def place(self, trial: str) -> int | None:
        """Return the index of the trial with that hash."""
        return next((place for place, row in enumerate(self.rows) if row.trial == trial), None)

    @property
    def clusters(self) -> Int64Array:
        """int64[Q]: questions with the same number share gold passages; unique if the sweep lacks
        clusters.
        """
        labels: Int64Array = np.asarray(self.queries.get("cluster", np.arange(self.n)))
        return labels

    @property
    def charge(self) -> str:
        """How p is corrected for earlier evaluations of test; empty for the first, and on tune."""
        times = charge(self.evaluation)
        return f", p times {times}" if times > 1 else ""

    @property
    def winner_title(self) -> str:
        """The winner as it is printed: ``graph (locked as boltzmann alpha=0 ...)`` if it ranks as a
        list.
        """
        return title_of(self.rows[self.winner_place].name, self.winner_list)

    @property
    def half(self) -> str:
        """``the test half of musique (417 questions)``."""
        part = "part" if self.splitting == "given" else "half"
        return f"the {self.split} {part} of {self.dataset} ({counted(self.n, 'question')})"

    @property
    def deciding(self) -> str:
        """`` by cluster`` if questions share gold passages, otherwise "": the unit of deciding p
        and intervals.
        """
        if not share(self.clusters):
            return ""
        return " (too few clusters)" if too_few(self.clusters) else " by cluster"

    @property
    def splitting(self) -> str:
        """``md5``, ``disjoint`` (whole clusters), or ``given``."""
        return self.manifest.get("splitting") or "md5"
