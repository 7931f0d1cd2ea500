"""A trial scored again: the same numbers, or which input differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.core.configuration import StoredReader
from harness.core.errors import HarnessError
from harness.core.identity import code_version, library_versions, record
from harness.evaluation.metric import Metric, average
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial.knobs import read_knobs
from harness.sweep.trial.prepared import Prepared


@dataclass(frozen=True)
class Rerun:
    """``name`` of the trial; ``then`` and ``now``: its metrics; ``ranks``: how many gold ranks differ (None: not the
    same queries); ``inputs``: what differs, a line each, with both values.
    """

    name: str
    then: Mapping[str, float]
    now: Mapping[str, float]
    ranks: int | None
    inputs: list[str]

    @property
    def same(self) -> bool:
        """Whether all numbers are the same to the bit."""
        return self.ranks == 0 and self.then == self.now


def rerun(result: SweepResult, place: int, prepared: Prepared, trusted: bool = False) -> Rerun:
    """Score the trial in row ``place`` of the leaderboard again, on tune; test is not touched.

    trusted: whether its models may be others than those of conf/.
    """
    row = result.trials.iloc[place]
    reader = StoredReader(result.folder / "trials.parquet", trusted)
    knobs = read_knobs(json.loads(row["parameters"]), reader)
    trial = prepared.plan.grid.trial(knobs)  # whatever its grid would expand to now
    if list(trial.overrides) != json.loads(row["overrides"]):
        raise HarnessError(f"{result.folder}/config.yaml no longer gives trial {row['trial']} ({row['name']})")
    ranks = prepared.ranks([trial], "tune")[0]
    before = np.asarray(result.ranks[place])
    wanted = [name for name in prepared.plan.metrics if name in row.index]
    differ = int((ranks != before).sum()) if ranks.shape == before.shape else None
    return Rerun(
        str(row["name"]),
        {name: float(row[name]) for name in wanted},
        {name: float(average(Metric.parse(name)(ranks))) for name in wanted},
        differ,
        list(inputs(result, prepared)),
    )


def inputs(result: SweepResult, prepared: Prepared) -> Iterator[str]:
    """What the sweep was computed from and is other now: data, lists (retrievers, encoders, ...), code, libraries."""
    then = result.manifest
    now = {
        "data_sha256": prepared.benchmark.sha256,
        "split_sha256": prepared.benchmark.split_facts.get("split_sha256"),
        "code": code_version(),
        "libraries": library_versions(),
        "lists": record(prepared.identities),
    }
    for key, value in now.items():
        yield from _differences(key, record(then.get(key)), value)


def _differences(key: str, then: Any, now: Any) -> Iterator[str]:
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for name in sorted({*then, *now}):
            yield from _differences(f"{key}.{name}", then.get(name), now.get(name))
    elif then != now:
        yield f"{key}: {then} then, {now} now"
