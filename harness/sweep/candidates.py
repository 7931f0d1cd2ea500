"""How many candidates a pool holds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from harness.run import Run
from harness.sweep.trial import PoolSpec


def candidates(spec: PoolSpec, runs: Mapping[str, Run]) -> float:
    """Mean number of different passages in a query's pool."""
    keys = []
    for name in spec.lists:
        run = runs[name].top(spec.effective_cap if name in spec.capped else None)
        query = np.repeat(np.arange(len(run)), run.lengths())
        keys.append(query * len(run.doc_ids) + run.docs)
    return len(np.unique(np.concatenate(keys))) / max(len(runs[spec.lists[0]]), 1)
