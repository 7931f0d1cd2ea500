"""GritLM (Muennighoff et al. 2024) by its own package: bidirectional attention, mean pooling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.core.arrays import BoolArray, Float32Array
from harness.core.configuration.stored_strategy import REACHES
from harness.core.device import resolve_device
from harness.core.errors import HarnessError, check_fields
from harness.core.identity import NO_RESULT, folder_sha256
from harness.model.encoder import Model, Role


@dataclass(frozen=True)
class GritLM:
    """Questions follow ``<|user|>``, the instruction and ``<|embed|>``; passages and names
    ``<|embed|>``.

    Args:
        instruction: for questions.
        model: a folder or a Hub id.
        max_seq_length: tokens of a text that are read, >= 1.
        batch_size: texts of a batch, >= 1; it decides the last bits.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
    """

    version = 1

    instruction: str = "Given a question, retrieve passages that answer the question"
    model: str = field(default="GritLM/GritLM-7B", metadata=REACHES)
    max_seq_length: int = 2048
    batch_size: int = 8
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        check_fields("encoder", self, max_seq_length="whole [1, inf)", batch_size="whole [1, inf)")

    def content(self) -> str | None:
        """Return the hash of the files of a model's folder; None for the Hub."""
        return folder_sha256(self.model)

    def prompt(self, role: Role) -> str:
        """Return the text before each text."""
        return f"<|user|>\n{self.instruction}\n<|embed|>\n" if role == "question" else "<|embed|>\n"

    def open(self) -> Model:
        """Load the model from the Hub, its cache or a folder. Raise HarnessError without the
        package.
        """
        try:
            import gritlm
        except ImportError as error:
            raise HarnessError(
                "encoder=gritlm needs the package gritlm: pip install gritlm"
            ) from error
        device = resolve_device(self.device, "encoder.device")
        try:
            loaded = gritlm.GritLM(
                self.model, mode="embedding", torch_dtype="auto", device_map=device
            )
        except (OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0]
            mend = "give a folder or a Hub id that can be reached"
            raise HarnessError(
                f"encoder.model={self.model}: cannot be loaded ({reason}); {mend}"
            ) from error
        return Loaded(self, loaded, device)


class Loaded:
    """A loaded GritLM. See ``harness.model.encoder.Model``."""

    dimension = 4096

    def __init__(self, encoder: GritLM, model: Any, device: str) -> None:
        self.encoder, self.model = encoder, model
        self.facts: Mapping[str, object] = {
            "device": device,
            "max_seq_length": encoder.max_seq_length,
        }

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Return the vectors, in batches of the texts in their order."""
        longest, prompt = self.encoder.max_seq_length, self.encoder.prompt(role)
        vectors = self.model.encode(
            list(texts), batch_size=self.encoder.batch_size, max_length=longest, instruction=prompt
        )
        tokens = self.model.tokenizer([prompt + text for text in texts])["input_ids"]
        advance(len(texts))
        return np.asarray(vectors, dtype=np.float32), np.array(list(map(len, tokens))) > longest
