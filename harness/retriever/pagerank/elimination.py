"""Nodes taken out of a linear system exactly, before it is iterated (a Schur complement; cf. BePI, Jung et al. 2017).

Of x = M x + b, a node e gives x_e = (b_e + sum of M_ei x_i) / (1 - M_ee). Put into the other rows, that leaves a
smaller system with the same solution on what is left. A node with p sources and q targets takes p + q entries with it
and brings at most p q: it is eliminated where that is no more. So go the nodes that one passage alone mentions, those
that lead nowhere and those that nothing leads to; then their neighbours, which have fewer entries now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.retriever.walk import scale_rows

WORTH = 0.02
ROUNDS = 50
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class System:
    """x = M x + b over N nodes, of which the first N - n in ``order`` are eliminated and the last n are the core.

    order: int64[N], the node at each place; all that follows counts by places.
    forward: [N, N], what a node gets of those eliminated before it: y_i = scale_i (b_i + sum of forward_ij y_j).
    core: [n, n], the system left, without its diagonal: x_i = scale_i (y_i / scale_i + sum of core_ij x_j).
    back: [N - n, N], what an eliminated node gets of those after it: x_i = y_i + scale_i sum of back_ij x_j.
    scale: float64[N], 1 / (1 - M_ii) at the time of its elimination, or in the core.
    loss: float64[n], 1 - the sum of a core column (with its diagonal): what a unit of mass there never brings back.
    mass: float64[N], the sum of x is that of mass_i y_i over the eliminated and of mass_i x_i over the core.
    """

    order: NDArray[np.int64]
    forward: sp.csr_array
    core: sp.csr_array
    back: sp.csr_array
    scale: NDArray[np.float64]
    loss: NDArray[np.float64]
    mass: NDArray[np.float64]


def eliminate(matrix: sp.csr_array, worth: float = WORTH) -> System:
    """Rounds of nodes that do not touch each other, while a round takes at least the share ``worth`` of the entries.

    matrix: M, [N, N], non-negative, columns that sum to less than 1; not changed.
    """
    left, size = np.arange(matrix.shape[0]), matrix.shape[0]
    gone: list[NDArray[np.int64]] = []
    forward: list[Entries] = []
    back: list[Entries] = []
    scale, mass = np.empty(size), np.ones(size)
    rest = sp.csr_array(matrix, dtype=np.float64)
    for _ in range(ROUNDS):
        out, entries = _loose(rest)
        if not out.any() or entries < worth * rest.nnz:
            break
        e, c = np.flatnonzero(out), np.flatnonzero(~out)
        rows, columns = rest[c], rest[e]
        down, up = sp.csr_array(rows[:, e]), sp.csr_array(columns[:, c])
        factor = 1.0 / (1.0 - rest.diagonal()[e])
        forward.append(_entries(down, left[c], left[e]))
        back.append(_entries(up, left[e], left[c]))
        scale[left[e]] = factor
        gone.append(left[e])
        up = scale_rows(factor, up)
        mass[left[c]] += up.T @ mass[left[e]]
        rest, left = sp.csr_array(rows[:, c] + down @ up), left[c]
    scale[left] = 1.0 / (1.0 - rest.diagonal())
    loss = 1.0 - np.asarray(rest.sum(axis=0)).ravel()
    order = np.concatenate([*gone, left]).astype(np.int64)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    first = size - len(left)
    return System(
        order=order,
        forward=_matrix(forward, place, (size, size)),
        core=_off_diagonal(rest),
        back=_matrix(back, place, (first, size)),
        scale=scale[order],
        loss=loss,
        mass=mass[order],
    )


def _loose(matrix: sp.csr_array) -> tuple[NDArray[np.bool_], int]:
    """bool[n]: nodes whose elimination adds no entries, no two of them neighbours; and how many entries they have."""
    size = matrix.shape[0]
    rows, columns = np.repeat(np.arange(size), np.diff(matrix.indptr)), matrix.indices
    other = rows != columns
    sources = np.bincount(rows[other], minlength=size)
    targets = np.bincount(columns[other], minlength=size)
    loose = sources * targets <= sources + targets
    rank = np.arange(size, dtype=np.uint32) * np.uint32(2654435761)
    both = other & loose[rows] & loose[columns]
    one, two = rows[both], columns[both]
    loose[np.where(rank[one] > rank[two], one, two)] = False
    return loose, int((sources + targets)[loose].sum())


def _entries(matrix: sp.csr_array, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Entries:
    held = sp.coo_array(matrix)
    return rows[held.row], columns[held.col], held.data


def _matrix(parts: list[Entries], place: NDArray[np.int64], shape: tuple[int, int]) -> sp.csr_array:
    rows, columns = (np.concatenate([np.empty(0, np.int64), *(part[i] for part in parts)]) for i in (0, 1))
    values = np.concatenate([np.empty(0), *(part[2] for part in parts)])
    made = sp.csr_array(sp.coo_array((values, (place[rows], place[columns])), shape=shape))
    made.sort_indices()
    return made


def _off_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    made = matrix.copy()
    if made.diagonal().any():
        made.setdiag(0)
        made.eliminate_zeros()
    made.sort_indices()
    return made
