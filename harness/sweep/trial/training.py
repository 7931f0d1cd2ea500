"""Trials that learn: what they learn from, so that no query is scored by what it has taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.fold import FOLDS
from harness.core.errors import HarnessError
from harness.fusion.context import NOTHING, Context
from harness.fusion.pool import Pool
from harness.run import Run
from harness.sweep.trial import PoolSpec, Trial, engine


def fit(
    trials: Sequence[Trial], runs: Mapping[str, Run], gold: NDArray[np.int32], context: Context = NOTHING
) -> list[Trial]:
    """The trials with what each learns from these queries, whatever the device: on the CPU. gold: int32[Q, H].

    context: what these queries have beside their lists.
    """
    if trials and not len(gold):
        raise HarnessError(f"fuser={trials[0].family} has no query to learn from; tune is too small for {FOLDS} folds")
    found: dict[int, Trial] = {}
    shared: dict[PoolSpec, list[int]] = {}
    for number, trial in enumerate(trials):
        shared.setdefault(trial.pool, []).append(number)
    for spec, numbers in shared.items():
        pool: Pool = engine.align(spec, runs, "cpu", context)
        found |= {number: trials[number].fit(pool, gold) for number in numbers}
    return [found[number] for number in range(len(trials))]
