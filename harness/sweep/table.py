"""Trials and their gold ranks to rows: metrics, wins and losses, exact p-values, their corrections, intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.metric import Metric, wins_losses
from harness.statistic import benjamini_hochberg, holm, mcnemar, odds_ratio, wilson
from harness.sweep.trial import Trial

Row = dict[str, Any]
COUNTS = ("wins", "losses", "wins_best", "losses_best")
SHARES = ("p", "p_holm", "p_bh", "p_best", "p_best_holm", "odds_ratio")


def rows(
    trials: Sequence[Trial],
    hashes: Sequence[str],
    ranks: NDArray[np.int32],
    metrics: Sequence[str],
    objective: str,
    facts: Mapping[str, Any],
    best_single: str | None = None,
) -> list[Row]:
    """A row a trial, in the order given.

    ranks: int32[T, Q, H]. facts: what all rows share (``dataset``, ``split``). Wins and losses are counted on
    ``objective``: ``wins``, ``losses``, ``p`` against the list named dense (None without one, and for itself),
    ``wins_best``, ``losses_best``, ``p_best`` against the best single list: ``best_single``, or the best one here.
    ``p_holm``, ``p_bh``, ``p_best_holm`` correct over all rows. ``wilson`` is the 95% interval of a 0/1 objective and
    ``odds_ratio`` its odds against dense's.
    """
    metric = Metric.parse(objective)
    made: list[Row] = [
        {
            "trial": key,
            "name": trial.name,
            "family": trial.family,
            "untuned": _untuned(trial),
            "overrides": list(trial.overrides),
            "parameters": dict(trial.settings),
            **facts,
            "n": ranks.shape[1],
            **{name: float(Metric.parse(name)(ranks[number]).mean()) for name in metrics},
        }
        for number, (trial, key) in enumerate(zip(trials, hashes, strict=True))
    ]
    single = {row["name"]: number for number, row in enumerate(made) if row["family"] == "single"}
    if best_single is None and single:
        best_single = min(single, key=lambda name: (-made[single[name]][objective], name != "dense", name))
    for suffix, baseline in (("", "dense"), ("_best", best_single)):
        _judge(made, ranks, metric, suffix, single.get(baseline or ""))
    for corrected, p, correct in (
        ("p_holm", "p", holm),
        ("p_bh", "p", benjamini_hochberg),
        ("p_best_holm", "p_best", holm),
    ):
        _correct(made, corrected, p, correct)
    _size(made, metric, made[single["dense"]] if "dense" in single else None)
    return made


def frame(made: Sequence[Row]) -> pd.DataFrame:
    """The rows as a table with typed columns; overrides and parameters as JSON, the interval as two columns."""
    flat = [
        {
            **{key: value for key, value in row.items() if key != "wilson"},
            "overrides": json.dumps(row["overrides"]),
            "parameters": json.dumps(row["parameters"], sort_keys=True),
            "wilson_low": row["wilson"][0] if row["wilson"] else None,
            "wilson_high": row["wilson"][1] if row["wilson"] else None,
        }
        for row in made
    ]
    types = {**dict.fromkeys(COUNTS, "Int64"), **dict.fromkeys((*SHARES, "wilson_low", "wilson_high"), "Float64")}
    return pd.DataFrame(flat).astype(types)


def _judge(made: Sequence[Row], ranks: NDArray[np.int32], metric: Metric, suffix: str, baseline: int | None) -> None:
    for number, row in enumerate(made):
        row[f"wins{suffix}"] = row[f"losses{suffix}"] = row[f"p{suffix}"] = None
        if baseline is not None and number != baseline:
            wins, losses = (int(found.sum()) for found in wins_losses(ranks[number], ranks[baseline], metric))
            row[f"wins{suffix}"], row[f"losses{suffix}"], row[f"p{suffix}"] = wins, losses, mcnemar(wins, losses)


def _correct(made: Sequence[Row], corrected: str, p: str, correct: Any) -> None:
    tested = [row for row in made if row[p] is not None]
    for row in made:
        row[corrected] = None
    for row, value in zip(tested, correct([row[p] for row in tested]), strict=True):
        row[corrected] = float(value)


def _size(made: Sequence[Row], metric: Metric, dense: Row | None) -> None:
    for row in made:
        row["wilson"], row["odds_ratio"] = None, None
        if metric.binary:
            n = row["n"]
            hits = round(row[str(metric)] * n)
            row["wilson"] = list(wilson(hits, n))
            ratio = odds_ratio(hits, round(dense[str(metric)] * n), n) if dense and row is not dense else math.nan
            row["odds_ratio"] = ratio if math.isfinite(ratio) else None


def _untuned(trial: Trial) -> bool:
    """Whether this is a baseline that nothing was chosen for: a list alone, or RRF at k 60 on the whole pool."""
    rrf = trial.family == "rrf" and trial.settings["fuser.k"] == 60 and trial.pool.effective_cap is None
    return trial.family == "single" or rrf
