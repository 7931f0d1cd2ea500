"""text-embedding-3-small, or any model behind an OpenAI-compatible ``/embeddings`` endpoint."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.arrays import BoolArray, Float32Array
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError, check_fields
from harness.core.identity import NO_RESULT
from harness.plugins.llm.endpoint.client import Away, Endpoint, Refused, Server
from harness.work.parts import Stop

if TYPE_CHECKING:
    from harness.model.encoder import Role

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class TextEmbedding3Small(Server):
    """An encoder that asks an OpenAI-compatible ``/embeddings`` endpoint.

    Nothing is cut: a text that is too long for the model is an error of the endpoint.

    Args:
        model: name of the model at the endpoint.
        dimensions: length to which the endpoint shortens its vectors, >= 1; None for whole vectors.
        batch_size: texts of one request, 1 to 2048.
    """

    version = 1

    concept = "encoder"

    model: str = "text-embedding-3-small"
    base_url: str = field(default="https://api.openai.com/v1", metadata=REACHES)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=REACHES)
    dimensions: int | None = None
    batch_size: int = field(default=128, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(
            "encoder", self, batch_size="whole [1, 2048]", dimensions="whole [1, inf) or null"
        )

    def open(self) -> Client:
        """Return the client. It sends nothing before it is asked."""
        return Client(self)


class Client:
    """The client of the endpoint, a ``harness.model.encoder.Model``. It ignores the role."""

    def __init__(self, encoder: TextEmbedding3Small) -> None:
        self.encoder, self.dimension = encoder, encoder.dimensions or 0
        self.facts: Mapping[str, object] = {"device": encoder.base_url, "backend": "openai"}
        self.endpoint = Endpoint(encoder)
        self.request = {"model": encoder.model, "encoding_format": "float"} | (
            {"dimensions": self.dimension} if self.dimension else {}
        )
        self._others: set[str] = set()

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Return float32[n, d] vectors and bool[n], whether a text was cut (none is).

        Raises:
            HarnessError: the endpoint refuses a text, or its vectors have several lengths.
            Stop: the endpoint does not answer.
        """
        asked = f"encoder.base_url={self.encoder.base_url}"
        step, vectors = self.encoder.batch_size, list[Float32Array]()
        batches = [texts[start : start + step] for start in range(0, len(texts), step)]
        pool = ThreadPoolExecutor(self.encoder.parallel)
        try:
            for part in pool.map(self._vectors, batches):
                vectors += part
                advance(len(part))
        except Away as error:
            raise Stop(
                f"{asked}: no answer from {self.encoder.model} ({error}); finished parts are "
                "kept, so run the command again when the endpoint answers"
            ) from error
        except Refused as error:
            raise HarnessError(
                f"{asked}: {self.encoder.model} refuses a text or a batch ({error}); mend what "
                "the server names, or set a smaller encoder.batch_size; finished parts are kept"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
        if len(lengths := sorted(set(map(len, vectors)))) > 1:
            raise HarnessError(
                f"{asked}: vectors of {' and '.join(map(str, lengths))} numbers; check the "
                "address: one server must answer all requests"
            )
        self.dimension = len(vectors[0])
        return np.stack(vectors), np.zeros(len(vectors), dtype=np.bool_)

    def _vectors(self, texts: Sequence[str]) -> list[Float32Array]:
        """Return the vectors of one batch."""
        request, count = self.request | {"input": list(texts)}, len(texts)
        answer = self.endpoint.post("/embeddings", request, partial(self._read, count=count))
        return list(answer)

    def _read(self, answer: Any, count: int) -> Float32Array:
        if (model := answer.get("model")) not in {None, "", self.encoder.model, *self._others}:
            self._others.add(model)
            log.warning(
                "encoder.model=%s: the server says that %s answers", self.encoder.model, model
            )
        rows = sorted(answer["data"], key=lambda row: int(row["index"]))
        vectors = np.array([row["embedding"] for row in rows], np.float32)
        if vectors.ndim != 2 or len(vectors) != count:
            raise ValueError(f"vectors of shape {vectors.shape}, expected one for {count} texts")
        return vectors
