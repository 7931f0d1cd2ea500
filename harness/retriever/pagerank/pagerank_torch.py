"""The walk on a torch device: the same system, every node at once (Jacobi) from the values of the
step before.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray


class TorchWalk:
    """x <- M x + a s and then x scaled so that as much mass leaves as comes in; v = x / sum(x).

    After a step that changed x by d the residual is M d: ``change`` is 2 |d| weighted by M's column
    sums, divided by (1 - a) sum(x), and promises what it does in ``pagerank``.
    """

    def __init__(self, matrix: sp.csr_array, restart: float, device: str) -> None:
        """matrix: M, [N, N]."""
        kept = np.asarray(matrix.sum(axis=0), dtype=np.float64)[:, None]
        single = sp.csr_array(matrix, dtype=np.float32)
        single.sort_indices()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
            self._matrix = torch.sparse_csr_tensor(
                torch.from_numpy(single.indptr.astype(np.int64)),
                torch.from_numpy(single.indices.astype(np.int64)),
                torch.from_numpy(single.data),
                size=single.shape,
                device=device,
                check_invariants=False,  # said aloud, since torch warns where nothing is
            )
        self._kept, self._restart, self._device = torch.from_numpy(kept).to(device), restart, device

    def __call__(
        self, seeds: sp.csr_array, tolerance: float, max_iter: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]]:
        """seeds: [B, N]. Values float32[N, B], steps int64[B], change float64[B]."""
        dense = np.ascontiguousarray(self._restart * seeds.toarray().T, dtype=np.float32)
        right = torch.from_numpy(dense).to(self._device)
        target = right.sum(dim=0, dtype=torch.float64)
        values, active = right.clone(), torch.ones_like(target, dtype=torch.bool)
        steps, changes = torch.zeros_like(target, dtype=torch.int64), torch.zeros_like(target)
        weights = 2 / max(1 - self._restart, np.finfo(np.float64).tiny) * self._kept
        for step in range(1, max_iter + 1):
            new = torch.where(active, self._matrix @ values + right, values)
            change = (weights * (new - values).abs()).sum(dim=0) / new.sum(
                dim=0, dtype=torch.float64
            )
            steps[active], changes[active] = step, change.nan_to_num()[active]
            active = active & (changes >= tolerance)
            if step == max_iter or not active.any():
                break
            factor = torch.where(active, target / ((1 - self._kept) * new).sum(dim=0), 1.0)
            values = new * factor.nan_to_num(1.0).float()
        total = new.sum(dim=0, dtype=torch.float64)
        share = torch.where(total > 0, 1 / total, 0.0).float()
        return (new * share).cpu().numpy(), steps.cpu().numpy(), changes.cpu().numpy()
