"""Personalised PageRank by pushing what a node holds on to its neighbours: work that does not grow
with the graph.

(Andersen, Chung, Lang, Local graph partitioning using PageRank vectors, 2006.) Of x = M x + a s, M
= (1 - a) T', each node keeps a residual r, at first a s. A push adds r_u to x_u and (1 - a) r_u
T_uv to the residual of each v. It goes on until no residual reaches ``least``. Then x is short of
the solution by at most |r| / a in L1, since the columns of M sum to 1 - a at most, and v = x /
sum(x) errs by at most 2 |r| / (a sum(x)). That is measured, query by query: ``change`` is 2 |r| /
((1 - a) sum(x)), so that v is within (1 - a) / a x ``change``, as in ``pagerank``.

Pushes follow one queue, first in, first out, so that a query's bits depend on no other query, block
or thread.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from harness.core.threads import available, map_threads
from harness.retriever.pagerank import Solution

TINY = np.finfo(np.float64).tiny
CELLS = 1 << 25
"""Values of a block of queries at most: 128 MiB of float32."""


class Pushes:
    """The pushes of any number of seeds.

    transition: [N, N], T[i, j] the share of i's mass that goes to j; each row sums to 1, or to 0
    for a dangling node.
    least: of the residuals that are pushed, > 0.    block: queries that are walked at once, at
    most.
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
        self._kept = ((1 - restart) * transition.data).astype(np.float32)
        self._block, self._threads = max(1, min(block, CELLS // max(1, self._size))), threads

    def __call__(self, seeds: sp.csr_array) -> Iterator[Solution]:
        """The blocks in query order; ``iterations`` counts the pushes.

        seeds: [Q, N], rows sum to 1 (a query without seeds has an empty row, and gets 0
        everywhere).
        """
        from harness.plugins.large.walk.push_kernel import push_rows

        seeds = sp.csr_array(seeds)
        first, nodes, shares = (
            seeds.indptr.astype(np.int64),
            seeds.indices.astype(np.int32),
            self._restart * seeds.data,
        )

        def one(start: int) -> Solution:
            own = first[start : min(start + self._block, seeds.shape[0]) + 1]
            out = np.zeros((len(own) - 1, self._size), dtype=np.float32)
            pushes, left, total = (
                np.zeros(len(out), dtype=np.int64),
                np.zeros(len(out)),
                np.zeros(len(out)),
            )
            push_rows(
                self._bounds,
                self._columns,
                self._kept,
                own,
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

        return map_threads(one, range(0, seeds.shape[0], self._block), self._threads or available())
