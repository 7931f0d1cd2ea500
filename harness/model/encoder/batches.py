"""Encoding on GPUs: texts are tokenised once and in parallel, batches have a number of tokens, and
vectors are copied once at the end.

On one kind of card, with the same versions of torch and CUDA, the same texts give the same bits for
any number of threads or cards, since the batches depend only on the texts. Together with other
texts, a text's vector may differ by the rounding of its dtype, as between a GPU and a CPU.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from harness.core.arrays import BoolArray, Float32Array, Int64Array
from harness.core.artifact import Facts

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

    from harness.model.encoder.embedding import Role

TOKENS = 2048
WIDTH = 384
"""Dimensions of a model up to which a batch has ``TOKENS`` tokens for each text of
``encoder.batch_size``. A wider model has fewer in proportion.
"""
AHEAD = 3
"""Number of shards at work on a card: one is tokenised, one is computed, one is written."""

Forward = Callable[["Tensor", "Tensor"], "Tensor"]
"""A function from token numbers int64[B, T] and mask bool[B, T] on a device to vectors float32[B,
d] there.
"""


class BatchedModel:
    """A model on one or several devices, each of which encodes whole calls. See
    ``harness.model.encoder.Model``.

    Args:
        tokenizer: the tokenizer, which is changed: it cuts texts at ``limit`` tokens and pads
            nothing.
        forwards: the forward pass of each device.
        dimension: length of the vectors.
        limit: number of tokens read of a text.
        batch_size: number of texts of a batch, which sets its number of tokens.
        facts: facts for the manifest.
        prompts: text in front of the texts of each role.
        suffix: text after each text.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        forwards: Sequence[tuple[str, Forward]],
        dimension: int,
        limit: int,
        batch_size: int,
        facts: Facts,
        prompts: Mapping[Role, str],
        suffix: str = "",
    ) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(limit)
        self.dimension, self.facts = dimension, facts
        self.at_once = AHEAD * len(forwards)
        self._tokenizer, self._prompts, self._suffix = tokenizer, prompts, suffix
        self._budget = max(1, TOKENS * batch_size * WIDTH // max(WIDTH, dimension))
        self._free: SimpleQueue[tuple[str, Forward]] = SimpleQueue()
        for _ in range(AHEAD):
            for free in forwards:
                self._free.put(free)
        self._launching = threading.Lock()

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Encode texts on any free device. See ``harness.model.encoder.Model``."""
        prompt = self._prompts[role]
        encodings = self._tokenizer.encode_batch_fast(
            [f"{prompt}{text}{self._suffix}" for text in texts]
        )
        device, forward = free = self._free.get()
        try:
            with self._launching:  # Python code: two threads that take turns are slower than one
                ids = [encoding.ids for encoding in encodings]
                cut = np.fromiter(
                    (bool(encoding.overflowing) for encoding in encodings), np.bool_, len(ids)
                )
                order, on_device = self._launch(ids, device, forward)
            computed = on_device.cpu().numpy()  # waits for the device without holding the lock
        finally:
            self._free.put(free)
        vectors = np.empty_like(computed)
        vectors[order] = computed
        advance(len(texts))
        return vectors, cut

    def _launch(
        self, ids: list[list[int]], device: str, forward: Forward
    ) -> tuple[Int64Array, Tensor]:
        """Return the order of computation, and float32[n, d] in that order, which the device still
        computes.

        Attention is not cuDNN's, which would make a plan for each shape of a batch in each thread.
        """
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        order = np.argsort(-lengths, kind="stable")
        lengths = lengths[order]
        sorted_ids = itertools.chain.from_iterable(ids[place] for place in order.tolist())
        flat = np.fromiter(sorted_ids, np.int64, int(lengths.sum()))
        starts = np.cumsum(lengths) - lengths
        out = torch.empty((len(ids), self.dimension), dtype=torch.float32, device=device)
        tokens, first, length = (_to(array, device) for array in (flat, starts, lengths))
        with torch.inference_mode(), sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
            for begin, end in batches(lengths, self._budget):
                places = torch.arange(int(lengths[begin]), device=device)
                mask = places < length[begin:end, None]
                at = torch.where(mask, first[begin:end, None] + places, 0)
                out[begin:end] = forward(torch.where(mask, tokens[at], 0), mask)
        return order, out


def batches(lengths: Int64Array, budget: int) -> list[tuple[int, int]]:
    """Return the first text and the one after the last of each batch.

    Texts are sorted by length, longest first. A batch fills ``budget`` tokens, padding included.
    """
    bounds, begin = [], 0
    while begin < len(lengths):
        end = min(len(lengths), begin + max(1, budget // max(1, int(lengths[begin]))))
        bounds.append((begin, end))
        begin = end
    return bounds


def _to(array: Int64Array, device: str) -> Tensor:
    import torch

    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.pin_memory().to(device, non_blocking=True) if device != "cpu" else tensor
