"""Candidates for exact search on GPUs: all inner products in slices, and the best of each slice."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.core.arrays import Float32Array, Int64Array
from harness.core.device import in_halves
from harness.core.threads import map_threads

if TYPE_CHECKING:
    from torch import Tensor

Proposed = tuple[Float32Array, Int64Array]
SLICE = 1 << 18
"""Number of passages that are multiplied at once."""
ASKED = 1024
"""Number of questions that are multiplied at once."""
MEND = "search on the CPU: device=cpu"
SHARE = 0.7
"""Share of a card's free memory for passages. The rest is for the products."""


class Products:
    """A ``propose`` function of ``decide``: the passages of greatest inner product, float32, on one
    or several devices.

    Args:
        passages: float32[D, d], copied once, in turns to the devices. Slices that do not fit into a
            device's memory are copied for each call.
        devices: the devices.
        room: bytes for passages on each device; by default ``SHARE`` of the free memory.
    """

    def __init__(
        self, passages: Float32Array, devices: Sequence[str], room: int | None = None
    ) -> None:
        self._passages, self._devices = passages, devices
        self._slices: list[list[tuple[int, Tensor | None]]] = [[] for _ in devices]
        left = [_room(device) if room is None else room for device in devices]
        for number, first in enumerate(range(0, len(passages), SLICE)):
            place = number % len(devices)
            part = passages[first : first + SLICE]
            left[place] -= part.nbytes
            copied = self._copy(first, devices[place]) if left[place] >= 0 else None
            self._slices[place].append((first, copied))

    def __call__(self, questions: Float32Array, width: int) -> Proposed:
        """Return float32[Q, k] and int64[Q, k], best first; k = min(width, D). Equal products are
        in any order.
        """
        width = min(width, len(self._passages))
        scores = np.empty((len(questions), width), np.float32)
        docs = np.empty((len(questions), width), np.int64)
        with _whole_float32():
            for begin in range(0, len(questions), ASKED):
                block = np.arange(begin, min(begin + ASKED, len(questions)))
                for _ in in_halves(
                    functools.partial(self._fill, questions, (scores, docs)), block, MEND
                ):
                    pass
        return scores, docs

    def _fill(self, questions: Float32Array, best: Proposed, block: Int64Array) -> None:
        """Write the best passages of a block of questions into ``best``."""
        scores, docs = best
        part_questions, width, jobs = questions[block], scores.shape[1], range(len(self._devices))
        search = functools.partial(self._best, part_questions=part_questions, width=width)
        per_device = list(map_threads(search, jobs, len(jobs)))
        rough, where = (np.concatenate(column, axis=1) for column in zip(*per_device, strict=True))
        order = np.argsort(-rough, axis=1, kind="stable")[:, :width]
        scores[block] = np.take_along_axis(rough, order, axis=1)
        docs[block] = np.take_along_axis(where, order, axis=1)

    def _best(self, place: int, part_questions: Float32Array, width: int) -> Proposed:
        """Return the best passages of one device."""
        import torch

        device = self._devices[place]
        on_device = torch.from_numpy(np.ascontiguousarray(part_questions)).to(device)
        scores = torch.empty((len(part_questions), 0), device=device)
        docs = torch.empty((len(part_questions), 0), dtype=torch.int64, device=device)
        with torch.inference_mode():
            for first, copy in self._slices[place]:
                rows = self._copy(first, device) if copy is None else copy
                best, at = (on_device @ rows.T).topk(min(width, len(rows)), dim=1)
                scores = torch.cat([scores, best], dim=1)
                docs = torch.cat([docs, at + first], dim=1)
                scores, best_at = scores.topk(min(width, scores.shape[1]), dim=1)
                docs = docs.gather(1, best_at)
        return scores.cpu().numpy(), docs.cpu().numpy()

    def _copy(self, first: int, device: str) -> Tensor:
        import torch

        with warnings.catch_warnings():
            # the array is only read
            warnings.filterwarnings("ignore", "The given NumPy array is not writable")
            return torch.from_numpy(self._passages[first : first + SLICE]).to(device)


def _room(device: str) -> int:
    import torch

    return int(SHARE * torch.cuda.mem_get_info(device)[0])


@contextlib.contextmanager
def _whole_float32() -> Iterator[None]:
    """Let no product in a block be rounded to TF32, since ``decide`` relies on the error of
    float32.
    """
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
