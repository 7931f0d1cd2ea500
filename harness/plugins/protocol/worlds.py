"""Worlds for calibration, made from the real outcomes of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.benchmark.split import clusters
from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError, bounded
from harness.evaluation.metric import Metric
from harness.plugins.protocol.calibration import Rates, Signs, exchanged, most
from harness.plugins.protocol.forecasts import IntervalCoverage, check_forecasts
from harness.sweep.folder.judged_trial import tiebreak
from harness.sweep.trial.prepared import Prepared
from harness.sweep.trial.trial import Trial, trial_names
from harness.work.progress import over


def calibrated(prepared: Prepared, options: Mapping[str, Any]) -> list[Rates]:
    """Return the rates of exchanged worlds for each effect.

    ``options`` has ``worlds, n, effects, seed`` of conf/calibrate.yaml.
    """
    trials, lists = ordered(prepared), other_lists(prepared)
    signs = outcomes(prepared, [*trials, *lists])
    differing = np.abs(signs[: len(trials) - 1]).sum(axis=1)
    planted = int(np.argsort(differing, kind="stable")[len(differing) // 2])
    data = prepared.benchmark
    labels = clusters(data.gold)
    reachable = most(signs[planted], labels)
    bounded("calibrate.effects", min(map(float, options["effects"])), 0)
    if (largest := max(map(float, options["effects"]))) > reachable:
        raise HarnessError(
            f"calibrate.effects: {largest:g} is too large, at most "
            f"{int(1000 * reachable) / 1000:g} can be planted: "
            f"the grid's middle trial ({trials[planted + 1].name}) differs from the reference on "
            f"{reachable:.1%} of the "
            "questions; give smaller effects, or another grid"
        )
    return [
        exchanged(
            signs,
            options["n"],
            options["worlds"],
            planted,
            float(effect),
            options["seed"],
            labels,
            len(lists),
        )
        for effect in over("planted effects", options["effects"])
    ]


def ordered(prepared: Prepared) -> list[Trial]:
    """Return the reference alone, then the grid's trials that fuse, in the order that
    breaks ties.
    """
    trials = prepared.plan.trials()
    keyed = dict(zip(prepared.hashes(trials), trials, strict=True))
    reference = prepared.plan.reference
    alone = [trial for trial in _whole_lists(trials) if trial.name == reference]
    names = trial_names(keyed)
    fused = {key: trial for key, trial in keyed.items() if trial.family != "single"}
    if not fused:
        raise HarnessError(
            "calibration judges fusions, and this grid has none; choose another grid or fuser"
        )
    order = sorted(fused, key=lambda key: tiebreak(fused[key].settings, names[key], key))
    return [*alone, *map(fused.__getitem__, order)]


def other_lists(prepared: Prepared) -> list[Trial]:
    """Return every single list but the reference."""
    lists = _whole_lists(prepared.plan.trials())
    return [trial for trial in lists if trial.name != prepared.plan.reference]


def _whole_lists(trials: Sequence[Trial]) -> list[Trial]:
    return [
        trial for trial in trials if trial.family == "single" and trial.pool.effective_cap is None
    ]


def resplit(prepared: Prepared, splits: int, seed: int) -> list[IntervalCoverage]:
    """Return how often the forecast holds on re-splits of the benchmark."""
    values = Metric.parse(prepared.plan.config.objective)(_ranks(prepared, ordered(prepared)))
    data, known = prepared.benchmark, ~np.isnan(values[0])
    values, gold = values[:, known], data.gold[known]
    return check_forecasts(data.name, values[1:], values[1:] < values[0], gold, splits, seed)


def outcomes(prepared: Prepared, trials: Sequence[Trial]) -> Signs:
    """Return int8[T - 1, Q], wins (+1) and losses (-1) of each trial against the first, over all
    queries.
    """
    values = Metric.parse(prepared.plan.config.objective)(_ranks(prepared, trials))
    signs: Signs = np.sign(np.nan_to_num(values[1:] - values[0])).astype(np.int8)
    return signs


def _ranks(prepared: Prepared, trials: Sequence[Trial]) -> Int32Array:
    """Return int32[T, Q, H] over all queries, in their order."""
    ranks = np.empty((len(trials), *prepared.benchmark.gold.shape), dtype=np.int32)
    for split in ("tune", "test"):
        ranks[:, prepared.benchmark.members(split)] = prepared.ranks(trials, split, progress=False)
    return ranks
