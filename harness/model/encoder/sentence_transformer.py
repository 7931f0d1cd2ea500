"""Any sentence-transformers model, from the Hub or a folder, run by torch or by OpenVINO, which is
faster on a CPU.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from harness.core.arrays import BoolArray, Float32Array
from harness.core.artifact import Facts
from harness.core.configuration.stored_strategy import REACHES
from harness.core.device import check_device, gpus, resolve_device
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.identity import LATER, NO_RESULT, files_sha256
from harness.model.weights import check_reachable

if TYPE_CHECKING:
    import sentence_transformers
    from torch import Tensor

    from harness.model.encoder.batches import BatchedModel
    from harness.model.encoder.embedding import Model, Role

log = logging.getLogger(__name__)
Forward = Callable[[Mapping[str, "Tensor"]], Float32Array]


@dataclass(frozen=True)
class SentenceTransformer:
    """A sentence-transformers model.

    Attributes:
        model: an id on the Hub (pin its ``revision``), or a folder, which is identified by its
            content.
        revision: a commit on the Hub.
        passage_prompt: text before each passage.
        question_prompt: text before each question.
        name_prompt: text before each name of an entity.
        suffix: text after each text.
        max_seq_length: number of tokens read of a text; null is the model's own.
        batch_size: number of texts of a batch. It decides the padding, and so the last bits. A
            batch on a GPU has 2,048 tokens for each of these texts
            (``harness.model.encoder.batches``).
        dtype: type of the weights: ``float32``, ``float16`` or ``bfloat16``.
        trust_remote_code: whether code of the model is run.
        padding_side: ``left`` or ``right``; null is the model's own.
        backend: ``torch``, ``openvino`` (CPU), or ``auto``: torch on a GPU, openvino on a CPU if it
            is installed, otherwise torch.
        precision: precision of openvino: ``float32``, ``bfloat16`` on a CPU that has it, or
            ``int8``. The latter two are nearly twice as fast.
        device: ``auto`` (all GPUs if there are any), ``cpu``, ``cuda`` or ``cuda:N``.
    """

    version = 1

    model: str = field(metadata=REACHES)
    revision: str | None = field(default=None, metadata=REACHES)
    passage_prompt: str = ""
    question_prompt: str = ""
    name_prompt: str = ""
    suffix: str = ""
    max_seq_length: int | None = None
    batch_size: int = 32
    dtype: str = "float32"
    trust_remote_code: bool = field(default=False, metadata=REACHES)
    padding_side: str | None = None
    backend: str = "auto"
    precision: str = field(default="float32", metadata=LATER)
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        whole_number("encoder.batch_size", self.batch_size, 1)
        if self.max_seq_length is not None:
            whole_number("encoder.max_seq_length", self.max_seq_length, 3)
        one_of("encoder.backend", self.backend, ("auto", "torch", "openvino"))
        one_of("encoder.dtype", self.dtype, ("float32", "float16", "bfloat16"))
        one_of("encoder.precision", self.precision, ("float32", "bfloat16", "int8"))
        check_device("encoder.device", self.device)

    def content(self) -> str:
        """Return the hash of the folder's files. For a model on the Hub it is that of no file."""
        return files_sha256(*([Path(self.model)] if Path(self.model).is_dir() else []))

    def check_reachable(self) -> None:
        """Raise HarnessError if the model cannot be loaded."""
        check_reachable("encoder.model", self.model)

    def open(self) -> Model:
        """Load tokenizer and weights."""
        device = resolve_device(self.device, "encoder.device")
        backend = self.backend if self.backend != "auto" else _backend(device)
        if backend == "torch" and self.precision != "float32":
            raise HarnessError(
                f"encoder.precision={self.precision} is for encoder.backend=openvino, found "
                "torch; set encoder.dtype"
            )
        if device != "cpu" and backend == "torch":
            devices = gpus() if self.device == "auto" else [device]
            if (batched := open_batched(self, devices)) is not None:
                return batched
        return LoadedModel(self, device, backend)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The fields of ``SentenceTransformer`` that encoders of one model have, too."""

    batch_size: int = 32
    dtype: str = field(default="float32", metadata=LATER)
    backend: str = "auto"
    precision: str = field(default="float32", metadata=LATER)
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        self.of_model("")

    def of_model(self, model: str) -> SentenceTransformer:
        """Return the encoder of a folder with these fields."""
        settings = {field.name: getattr(self, field.name) for field in fields(Settings)}
        return SentenceTransformer(model, **settings)


class LoadedModel:
    """A loaded model.

    The texts decide the batches. Each batch is computed by one thread, so the bits do not depend on
    the number of threads.
    """

    def __init__(self, encoder: SentenceTransformer, device: str, backend: str) -> None:
        import torch

        self.encoder = encoder
        self.model = _load(encoder, device)
        self.limit = self.model.max_seq_length or 2**31
        self.dimension = int(self.model.get_embedding_dimension() or 0)
        self.threads = torch.get_num_threads() if device == "cpu" else 1
        self.forward: Forward = functools.partial(_torch_forward, self.model)
        if backend == "openvino":
            from harness.model.encoder.openvino import compile_model

            self.forward = compile_model(self.model, self.threads, encoder.precision)
        precision_fact = {"precision": encoder.precision} if encoder.precision != "float32" else {}
        limit = self.model.max_seq_length
        self.facts: Facts = {
            "device": device,
            "backend": backend,
            "max_seq_length": limit,
            **precision_fact,
        }

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Encode texts in batches of similar length, which need little padding. See
        ``harness.model.encoder.Model``.
        """
        prompt: str = getattr(self.encoder, f"{role}_prompt")
        inputs = [text + self.encoder.suffix for text in texts]
        tokens = self.model.tokenizer(
            [prompt + text for text in inputs], truncation=False, verbose=False
        )["input_ids"]
        lengths = np.array([len(ids) for ids in tokens])
        order = np.argsort(-lengths, kind="stable")
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        with _one_thread_each(self.threads) as pool:
            batches = {}
            for start in range(0, len(order), self.encoder.batch_size):
                batch = order[start : start + self.encoder.batch_size]
                features = self.model.preprocess(
                    [inputs[place] for place in batch], prompt=prompt or None
                )
                batches[pool.submit(self.forward, features)] = batch
            for done in as_completed(batches):
                vectors[batches[done]] = done.result()
                advance(len(batches[done]))
        return vectors, lengths > self.limit


def open_batched(encoder: SentenceTransformer, devices: Sequence[str]) -> BatchedModel | None:
    """Return the model for GPUs, or None if sentence-transformers itself must prepare its texts.

    The latter is so for a model without a fast tokenizer, one that pads on the left, and one that
    leaves prompts out of the mean.
    """
    from tokenizers import Tokenizer

    from harness.model.encoder.batches import BatchedModel

    prompts: dict[Role, str] = {
        "passage": encoder.passage_prompt,
        "question": encoder.question_prompt,
        "name": encoder.name_prompt,
    }
    models = [_load(encoder, device) for device in devices]
    first = models[0]
    if not _takes_batches(first):
        return None
    forwards = [
        (device, functools.partial(_features_forward, model))
        for device, model in zip(devices, models, strict=True)
    ]
    tokenizer = Tokenizer.from_str(first.tokenizer.backend_tokenizer.to_str())
    dimension, limit = int(first.get_embedding_dimension() or 0), int(first.max_seq_length or 0)
    facts = {
        "device": "cuda" if len(devices) > 1 else devices[0],
        "backend": "torch",
        "max_seq_length": limit,
    }
    return BatchedModel(
        tokenizer, forwards, dimension, limit, encoder.batch_size, facts, prompts, encoder.suffix
    )


def _takes_batches(model: sentence_transformers.SentenceTransformer) -> bool:
    """Return whether the texts of a model may be prepared outside of sentence-transformers."""
    prompts = all(getattr(module, "include_prompt", True) is not False for module in model)
    fast = getattr(model.tokenizer, "is_fast", False) and model.tokenizer.padding_side == "right"
    return bool(prompts and fast and model.max_seq_length)


def _features_forward(
    model: sentence_transformers.SentenceTransformer, ids: Tensor, mask: Tensor
) -> Tensor:
    vectors: Tensor = model({"input_ids": ids, "attention_mask": mask.long()})["sentence_embedding"]
    return vectors.float()


def _backend(device: str) -> str:
    """Return the backend that ``auto`` means on a device."""
    if device != "cpu":
        return "torch"
    if importlib.util.find_spec("openvino") is None:
        log.warning(
            "encoder.backend=auto: openvino is not installed, so torch encodes (openvino is faster)"
        )
        return "torch"
    return "openvino"


def _load(encoder: SentenceTransformer, device: str) -> sentence_transformers.SentenceTransformer:
    from sentence_transformers import SentenceTransformer as Loaded
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        model = Loaded(
            encoder.model,
            revision=encoder.revision,
            device=device,
            trust_remote_code=encoder.trust_remote_code,
            model_kwargs={"dtype": encoder.dtype},
        ).eval()
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise HarnessError(
            f"encoder.model={encoder.model}: cannot be loaded ({reason}); give a folder or a Hub "
            "id that can be reached"
        ) from error
    if encoder.max_seq_length is not None:
        model.max_seq_length = encoder.max_seq_length
    if encoder.padding_side is not None:
        model.tokenizer.padding_side = encoder.padding_side
    return model


def _torch_forward(
    model: sentence_transformers.SentenceTransformer, features: Mapping[str, Tensor]
) -> Float32Array:
    import torch
    from sentence_transformers.util import batch_to_device

    with torch.inference_mode():
        output = model(batch_to_device(dict(features), model.device))
        vectors: Float32Array = output["sentence_embedding"].float().cpu().numpy()
    return vectors


@contextlib.contextmanager
def _one_thread_each(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads that each run torch alone. An interruption drops the waiting
    batches.
    """
    import torch

    before = torch.get_num_threads()
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(before)
