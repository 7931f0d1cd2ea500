"""Trials and their gold ranks to rows of a leaderboard, and to the table that is stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.core.configuration import by_name
from harness.evaluation.comparison import MARGIN
from harness.evaluation.metric import Metric, means
from harness.evaluation.statistic import Labels
from harness.sweep.judge.judgement import Row, judge
from harness.sweep.trial import Trial

COUNTS = ("wins", "losses", "wins_best", "losses_best")
SHARES = (
    *("p", "p_holm", "p_bh", "p_max", "p_best", "p_best_holm", "p_best_max", "odds_ratio"),
    *("difference", "difference_low", "difference_high", "p_equivalent"),
    *("p_cluster", "p_max_cluster", "p_best_cluster", "p_best_max_cluster", "p_equivalent_cluster"),
    *("p_holm_cluster", "p_bh_cluster", "p_best_holm_cluster"),
    *("difference_cluster_low", "difference_cluster_high", "design_effect"),
)
INTERVALS = ("wilson", "wilson_cluster")


def rows(
    trials: Sequence[Trial],
    hashes: Sequence[str],
    ranks: NDArray[np.int32],
    metrics: Sequence[str],
    objective: str,
    facts: Mapping[str, Any],
    best_single: str | None = None,
    reference: str = "dense",
    margin: float = MARGIN,
    labels: Labels | None = None,
) -> list[Row]:
    """A row a trial, in the order given.

    ranks: int32[T, Q, H]. facts: what all rows share (``dataset``, ``split``). ``n``: the queries that ``objective``
    counts (last_hop: those whose hop order is known). Wins and losses are counted on
    ``objective``: ``wins``, ``losses``, ``p`` against the list ``reference`` (None for itself),
    ``wins_best``, ``losses_best``, ``p_best`` against the best single list: ``best_single``, or the best one here.
    ``p_holm``, ``p_bh``, ``p_max`` (max-statistic permutation test), ``p_best_holm`` and ``p_best_max`` correct over
    all rows. ``difference`` is the objective's against ``reference``. Of a 0/1 objective, ``difference_low`` and
    ``_high`` are the difference's 95% score interval, ``p_equivalent`` tests that it is less than ``margin``,
    ``wilson`` is the objective's 95% interval and ``odds_ratio`` its odds against the reference's. What ends in
    ``_cluster`` is the same by clusters of queries that share gold passages (``labels``), and ``design_effect`` is the
    objective's.
    """
    metric = Metric.parse(objective)
    counted = int((~np.isnan(metric(ranks[0]))).sum()) if len(ranks) else 0
    scores = means(ranks, [Metric.parse(name) for name in metrics])
    made: list[Row] = [
        {
            "trial": key,
            "name": trial.name,
            "family": trial.family,
            "untuned": _untuned(trial),
            "overrides": list(trial.overrides),
            "parameters": by_name(trial.settings),
            **facts,
            "n": counted,
            **dict(zip(metrics, scores[number].tolist(), strict=True)),
        }
        for number, (trial, key) in enumerate(zip(trials, hashes, strict=True))
    ]
    single = {row["name"]: number for number, row in enumerate(made) if row["family"] == "single"}
    if best_single is None and single:
        best_single = min(single, key=lambda name: (-made[single[name]][objective], name != reference, name))
    judged = judge(ranks, metric, single, best_single, reference, margin, labels)
    return [{**row, **columns} for row, columns in zip(made, judged, strict=True)]


def frame(made: Sequence[Row]) -> pd.DataFrame:
    """The rows as a table with typed columns; overrides and parameters as JSON, the interval as two columns."""
    flat = [
        {
            **{key: value for key, value in row.items() if key not in INTERVALS},
            "overrides": json.dumps(row["overrides"]),
            "parameters": json.dumps(row["parameters"], sort_keys=True),
            **{f"{key}_low": row[key][0] if row[key] else None for key in INTERVALS},
            **{f"{key}_high": row[key][1] if row[key] else None for key in INTERVALS},
        }
        for row in made
    ]
    bounds = [f"{key}_{end}" for key in INTERVALS for end in ("low", "high")]
    types = {**dict.fromkeys(COUNTS, "Int64"), **dict.fromkeys((*SHARES, *bounds), "Float64")}
    return pd.DataFrame(flat).astype(types)


def _untuned(trial: Trial) -> bool:
    """Whether this is a baseline that nothing was chosen for: a list alone, or RRF at k 60 on the whole pool."""
    rrf = trial.family == "rrf" and trial.settings["fuser.k"] == 60 and trial.pool.effective_cap is None
    return trial.family == "single" or rrf
