"""Personalised PageRank by pushes, whose work does not grow with the graph.

Andersen, Chung, Lang, Local graph partitioning using PageRank vectors, 2006. Of x = M x + a s, M =
(1 - a) T', each node has a residual r, at first a s. A push adds r_u to x_u and (1 - a) r_u T_uv to
the residual of each v. Pushes end when no residual reaches ``least``. Then x is below the solution
by up to |r| / a in L1, since the columns of M sum to 1 - a or less, and v = x / sum(x) errs by up
to 2 |r| / (a sum(x)). ``change`` is 2 |r| / ((1 - a) sum(x)) for each query, so that v is within (1
- a) / a x ``change``, as in ``pagerank``. Pushes follow one first-in first-out queue, so a query's
result depends on no other query, block or thread.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from harness.core.threads import available, map_threads
from harness.retriever.pagerank.pagerank import Solution

TINY = np.finfo(np.float64).tiny
CELLS = 1 << 25
"""Largest number of values of a block of queries: 128 MiB of float32."""


class Pushes:
    """The pushes of any number of seeds.

    Args:
        transition: [N, N], T[i, j] the share of i's mass that goes to j; each row sums to 1, or to
            0 for a dangling node.
        restart: a.
        least: least residual that is pushed, > 0.
        block: largest number of simultaneous queries.
        threads: number of threads; None for all processors.
    """

    def __init__(
        self,
        transition: sp.csr_array,
        restart: float,
        least: float,
        block: int = 64,
        threads: int | None = None,
    ) -> None:
        self._size, self._restart, self._least = transition.shape[0], restart, least
        self._bounds, self._columns = (
            transition.indptr.astype(np.int64),
            transition.indices.astype(np.int32),
        )
        self._weights = ((1 - restart) * transition.data).astype(np.float32)
        self._block, self._threads = max(1, min(block, CELLS // max(1, self._size))), threads

    def __call__(self, seeds: sp.csr_array) -> Iterator[Solution]:
        """Yield the blocks in query order; ``iterations`` counts the pushes.

        ``seeds`` is [Q, N] with rows that sum to 1. A query without seeds has an empty row, and 0
        everywhere.
        """
        from harness.plugins.large.walk.push_kernel import push_rows

        seeds = sp.csr_array(seeds)
        first, nodes, shares = (
            seeds.indptr.astype(np.int64),
            seeds.indices.astype(np.int32),
            self._restart * seeds.data,
        )

        def solve(start: int) -> Solution:
            starts = first[start : min(start + self._block, seeds.shape[0]) + 1]
            out = np.zeros((len(starts) - 1, self._size), dtype=np.float32)
            pushes, left, total = (
                np.zeros(len(out), dtype=np.int64),
                np.zeros(len(out)),
                np.zeros(len(out)),
            )
            push_rows(
                self._bounds,
                self._columns,
                self._weights,
                starts,
                nodes,
                shares,
                self._least,
                out,
                pushes,
                left,
                total,
            )
            whole = max(1 - self._restart, TINY) * total
            change = np.divide(2 * left, whole, out=np.zeros_like(left), where=total > 0)
            return Solution(start, out.T, pushes, change)

        return map_threads(
            solve, range(0, seeds.shape[0], self._block), self._threads or available()
        )
