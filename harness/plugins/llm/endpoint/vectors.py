"""Vectors of texts by a server: what encoders behind endpoints share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.plugins.llm.endpoint.texts import TextClient, TextEndpoint

if TYPE_CHECKING:
    from harness.model.encoder import Role


class VectorServer(ABC):
    """The client of a server of vectors. See ``harness.model.encoder.Model``.    truncate: see
    ``TextClient``.
    """

    def __init__(self, encoder: TextEndpoint, truncate: bool | None, backend: str) -> None:
        self.client, self.dimension = TextClient(encoder, truncate), 0
        self.facts: Mapping[str, object] = {"device": encoder.base_url, "backend": backend}

    @abstractmethod
    def vectors(self, texts: Sequence[str], role: Role, cut: bool) -> NDArray[np.float32]:
        """float32[n, d] of one request. Raises as ``Endpoint.post``."""

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """See ``harness.model.encoder.Model``."""
        size = self.client.size
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        answers = self.client.ask(
            batches, lambda batch, cut: list(self.vectors(batch, role, cut)), advance
        )
        if len(lengths := {len(vector) for vector, _ in answers}) > 1:
            raise HarnessError(
                f"encoder.base_url={self.client.asking.base_url}: vectors of "
                f"{' and '.join(map(str, sorted(lengths)))} "
                "numbers; check the address: one server must answer all requests"
            )
        found = np.stack([vector for vector, _ in answers])
        self.dimension = found.shape[1]
        return found, np.array([cut for _, cut in answers])


def read_vectors(rows: Any, count: int) -> NDArray[np.float32]:
    """float32[n, d] of rows of numbers. Raises ValueError unless there are ``count`` of
    one length.
    """
    vectors = np.array(rows, np.float32)
    if vectors.ndim != 2 or len(vectors) != count:
        raise ValueError(
            f"an answer of the form {vectors.shape}, expected a vector for each of {count} texts"
        )
    return vectors
