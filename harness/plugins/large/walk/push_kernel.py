"""The inner loop of pushes."""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True, nogil=True)
def push_rows(bounds, columns, weights, starts, nodes, shares, least, out, pushes, left, total):
    """Write v of the queries with seeds ``starts[q]:starts[q + 1]`` to ``out``, float32[B, N] of 0.

    ``bounds``, ``columns`` and ``weights`` are the compressed rows of (1 - a) T. ``pushes`` is
    int64[B]; ``left`` and ``total`` are |r| and sum(x), float64[B].
    """
    size = out.shape[1]
    x, r = np.zeros(size), np.zeros(size)
    queue, waits = np.empty(size, np.int32), np.zeros(size, np.bool_)
    touched, seen = np.empty(size, np.int32), np.zeros(size, np.bool_)
    for row in range(len(starts) - 1):
        head = tail = waiting = count = 0
        u, mass, first, last = (
            -1,
            1.0,
            starts[row],
            starts[row + 1],
        )  # the seeds, then each node that is pushed
        while True:
            for k in range(first, last):
                v = nodes[k] if u < 0 else columns[k]
                r[v] += shares[k] if u < 0 else mass * weights[k]
                if not seen[v]:
                    seen[v] = True
                    touched[count] = v
                    count += 1
                if r[v] >= least and not waits[v]:
                    waits[v] = True
                    queue[tail] = v
                    tail = tail + 1 if tail + 1 < size else 0
                    waiting += 1
            if not waiting:
                break
            u = queue[head]
            head = head + 1 if head + 1 < size else 0
            waiting -= 1
            waits[u] = False
            mass, r[u] = r[u], 0.0
            x[u] += mass
            pushes[row] += 1
            first, last = bounds[u], bounds[u + 1]
        for k in range(count):
            total[row] += x[touched[k]]
            left[row] += r[touched[k]]
        for k in range(count):
            v = touched[k]
            if total[row] > 0:
                out[row, v] = x[v] / total[row]
            x[v] = 0.0
            r[v] = 0.0
            seen[v] = False
