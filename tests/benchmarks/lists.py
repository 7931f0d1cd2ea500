"""Lists like those of a multi-hop benchmark: a short dense one, a long graph one, gold that is
often near the top.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harness.run import Run

PASSAGES = 11_656


def lists(
    queries: int, dense: int = 50, graph: int = 2000, passages: int = PASSAGES, seed: int = 0
) -> tuple[dict[str, Run], NDArray[np.int32]]:
    """The runs ``dense`` and ``graph``, and gold int32[Q, 4]: two to four passages a query, in half
    of the lists.
    """
    random = np.random.default_rng(seed)
    hops = random.integers(2, 5, queries)
    gold = np.array(
        [random.choice(passages, 4, replace=False) for _ in range(queries)], dtype=np.int32
    )
    gold[np.arange(4) >= hops[:, None]] = -1
    ids = (
        pa.array([f"q{q}" for q in range(queries)]),
        pa.array([f"d{d:06d}" for d in range(passages)]),
    )

    def run(depth: int, shape: float) -> Run:
        docs = np.empty((queries, depth), dtype=np.int32)
        for q in range(queries):
            planted = gold[q][(gold[q] >= 0) & (random.random(4) < 0.6)]
            others = random.choice(passages, depth + 4, replace=False)
            others = others[~np.isin(others, planted)][: depth - len(planted)]
            places = np.sort(random.choice(min(30, depth), len(planted), replace=False))
            docs[q] = np.insert(others, places - np.arange(len(places)), planted)
        scores = -np.sort(-(random.random((queries, depth)) ** shape), axis=1)
        rows = np.repeat(np.arange(queries), depth)
        return Run.of(*ids, rows, docs.ravel(), scores.ravel())

    return {"dense": run(dense, 0.5), "graph": run(graph, 6.0)}, gold
