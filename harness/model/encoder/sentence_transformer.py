"""Any sentence-transformers model, from the Hub or a folder, run by torch or, faster on a CPU, by OpenVINO."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.identity import LATER, NO_RESULT, files_sha256

if TYPE_CHECKING:
    import sentence_transformers

    from harness.model.encoder import Role

Forward = Callable[[Mapping[str, Any]], NDArray[np.float32]]


@dataclass(frozen=True)
class SentenceTransformer:
    """``model``: a Hub id (pin its ``revision``) or a folder, which is known by its content.

    *_prompt: put in front of each text of that role.    max_seq_length: tokens read of a text; null is the model's own.
    batch_size: texts a batch; it decides the padding, and with it the last bits.
    dtype: of the weights, ``float32``, ``float16`` or ``bfloat16``.    suffix: put after each text.
    backend: ``torch``, ``openvino`` (CPU), or ``auto``: openvino on a CPU, torch on a GPU.
    precision: what openvino computes in, ``float32``; ``bfloat16``, on a CPU that has it; or ``int8``. Both are nearly
    twice as fast as float32.
    device: ``auto`` (a GPU when there is one), ``cpu``, ``cuda`` or ``cuda:N``.
    """

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

    def content(self) -> str:
        """The hash of the folder's files; of nothing when the model comes from the Hub."""
        return files_sha256(*([Path(self.model)] if Path(self.model).is_dir() else []))

    def open(self) -> LoadedModel:
        """Load tokenizer and weights; imports sentence-transformers."""
        return LoadedModel(self)


class LoadedModel:
    """A loaded model and what runs it.

    Batches are fixed by the texts; each is computed by one thread, and the threads take different batches. So the bits
    do not depend on how many threads there are.
    """

    def __init__(self, encoder: SentenceTransformer) -> None:
        import torch

        self.encoder = encoder
        device = _device(encoder.device)
        backend = encoder.backend if encoder.backend != "auto" else ("torch" if device.type == "cuda" else "openvino")
        if backend == "torch" and encoder.precision != "float32":
            raise HarnessError(
                f"encoder.precision={encoder.precision} is for encoder.backend=openvino, found torch; set encoder.dtype"
            )
        self.model = _load(encoder, device)
        self.limit = self.model.max_seq_length or 2**31
        self.dimension = int(self.model.get_embedding_dimension() or 0)
        self.threads = torch.get_num_threads() if device.type == "cpu" else 1
        self.forward = self._forward(backend)
        self.facts = {"device": str(device), "backend": backend, "max_seq_length": self.model.max_seq_length}
        if encoder.precision != "float32":
            self.facts["precision"] = encoder.precision

    def _forward(self, backend: str) -> Forward:
        if backend == "torch":
            return functools.partial(_torch_forward, self.model)
        from harness.model.encoder.openvino import compile_model

        return compile_model(self.model, self.threads, self.encoder.precision)

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Batches of similar length, so that little is padding. See ``harness.model.encoder.Model``."""
        prompt: str = getattr(self.encoder, f"{role}_prompt")
        inputs = [text + self.encoder.suffix for text in texts]
        tokens = self.model.tokenizer([prompt + text for text in inputs], truncation=False, verbose=False)["input_ids"]
        lengths = np.array([len(ids) for ids in tokens])
        order = np.argsort(-lengths, kind="stable")
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        with _one_thread_each(self.threads) as pool:
            batches = {}
            for start in range(0, len(order), self.encoder.batch_size):
                batch = order[start : start + self.encoder.batch_size]
                features = self.model.preprocess([inputs[place] for place in batch], prompt=prompt or None)
                batches[pool.submit(self.forward, features)] = batch
            for done in as_completed(batches):
                vectors[batches[done]] = done.result()
                advance(len(batches[done]))
        return vectors, lengths > self.limit


def _load(encoder: SentenceTransformer, device: Any) -> sentence_transformers.SentenceTransformer:
    from sentence_transformers import SentenceTransformer as Loaded
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        model = Loaded(
            encoder.model,
            revision=encoder.revision,
            device=str(device),
            trust_remote_code=encoder.trust_remote_code,
            model_kwargs={"dtype": encoder.dtype},
        ).eval()
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise HarnessError(
            f"encoder.model={encoder.model}: cannot be loaded ({reason}); give a folder or a Hub id that can be reached"
        ) from error
    if encoder.max_seq_length is not None:
        model.max_seq_length = encoder.max_seq_length
    if encoder.padding_side is not None:
        model.tokenizer.padding_side = encoder.padding_side
    return model


def _device(name: str) -> Any:
    import torch

    found = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda" if found else "cpu")
    if name.startswith("cuda") and not found:
        raise HarnessError(f"encoder.device={name}: torch {torch.__version__} finds no GPU; use encoder.device=auto")
    return torch.device(name)


def _torch_forward(
    model: sentence_transformers.SentenceTransformer, features: Mapping[str, Any]
) -> NDArray[np.float32]:
    import torch
    from sentence_transformers.util import batch_to_device

    with torch.inference_mode():
        output = model(batch_to_device(dict(features), model.device))
        vectors: NDArray[np.float32] = output["sentence_embedding"].float().cpu().numpy()
    return vectors


@contextlib.contextmanager
def _one_thread_each(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads in each of which torch computes alone; an interrupt drops the batches that wait."""
    import torch

    before = torch.get_num_threads()
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(before)
