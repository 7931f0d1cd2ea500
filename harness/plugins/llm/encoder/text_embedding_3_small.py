"""text-embedding-3-small, or any model behind an OpenAI-compatible ``/embeddings`` endpoint."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.identity import NO_RESULT
from harness.core.secret import check_address, check_variable
from harness.plugins.llm.endpoint.client import describe, open_client

if TYPE_CHECKING:
    from harness.model.encoder import Role


log = logging.getLogger(__name__)
SIZE = 256 << 20
"""Bytes of an answer, at most: 2048 vectors of 4096 numbers, as text."""


@dataclass(frozen=True)
class TextEmbedding3Small:
    """base_url: of the endpoint; the key is read from the environment variable ``key_variable``.

    dimensions: what the endpoint is to shorten its vectors to; null sends nothing and takes them whole.
    retries: how often a request is repeated, each time after a longer pause, when the endpoint is busy or away.
    batch_size: texts a request.    parallel: requests at once.    timeout: seconds a whole answer.
    """

    model: str = "text-embedding-3-small"
    base_url: str = field(default="https://api.openai.com/v1", metadata=REACHES)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=REACHES)
    dimensions: int | None = None
    batch_size: int = field(default=128, metadata=NO_RESULT)
    parallel: int = field(default=4, metadata=NO_RESULT)
    retries: int = field(default=6, metadata=NO_RESULT)
    timeout: float = field(default=60, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        if self.dimensions is not None:
            whole_number("encoder.dimensions", self.dimensions, 1)
        whole_number("encoder.batch_size", self.batch_size, 1, 2048)
        whole_number("encoder.parallel", self.parallel, 1)
        whole_number("encoder.retries", self.retries, 0)
        bounded("encoder.timeout", self.timeout, 0, open_low=True)
        check_variable("encoder.key_variable", self.key_variable)
        mend = "put a key into the environment variable that encoder.key_variable names"
        check_address("encoder.base_url", self.base_url, mend)

    def open(self) -> Endpoint:
        """Make the client; nothing is sent yet."""
        return Endpoint(self)


class Endpoint:
    """The client of an endpoint. A text that is too long for the model is the endpoint's error; nothing is cut here."""

    def __init__(self, encoder: TextEmbedding3Small) -> None:
        self.encoder = encoder
        openai, self.client = open_client(
            encoder.base_url, encoder.key_variable, "encoder", encoder.retries, encoder.timeout, SIZE
        )
        self.error: type[Exception] = openai.OpenAIError
        self.dimension = encoder.dimensions or 0
        self.others: set[str] = set()
        self.facts: Mapping[str, Any] = {"device": encoder.base_url, "backend": "openai"}

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """See ``harness.model.encoder.Model``; the role changes nothing."""
        size = self.encoder.batch_size
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        pool = ThreadPoolExecutor(self.encoder.parallel)
        parts = []
        try:
            for part in pool.map(self._request, batches):
                parts.append(part)
                advance(len(part))
        except self.error as error:
            reason = describe(error)
            raise HarnessError(
                f"encoder.base_url={self.encoder.base_url}: no vectors from {self.encoder.model} ({reason}); "
                "what is encoded so far is kept, so run the command again when the endpoint answers"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
        if len({part.shape[1] for part in parts}) > 1:
            raise self._strange(f"vectors of {' and '.join(str(part.shape[1]) for part in parts[:2])} numbers")
        vectors = np.concatenate(parts)
        self.dimension = vectors.shape[1]
        return vectors, np.zeros(len(texts), dtype=np.bool_)

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        wanted: dict[str, Any] = {} if self.encoder.dimensions is None else {"dimensions": self.encoder.dimensions}
        try:
            answer = self.client.embeddings.create(
                model=self.encoder.model, input=texts, encoding_format="float", **wanted
            )
            model, items = answer.model, sorted(answer.data, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in items], np.float32)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self._strange(describe(error)) from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._strange(f"{len(vectors)} vectors for {len(texts)} texts")
        if model and model != self.encoder.model and model not in self.others:
            self.others.add(model)
            log.warning("encoder.model=%s: vectors are of %s, as the server says", self.encoder.model, model)
        return vectors

    def _strange(self, found: str) -> HarnessError:
        return HarnessError(
            f"encoder.base_url={self.encoder.base_url}: the answer holds no vector of one length for each text "
            f"({found}); check the address: the endpoint is not OpenAI-compatible"
        )
