"""text-embedding-3-small, or any model behind an OpenAI-compatible ``/embeddings`` endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.core.configuration import REACHES
from harness.core.errors import whole_number
from harness.core.identity import NO_RESULT
from harness.plugins.llm.endpoint.texts import TextEndpoint
from harness.plugins.llm.endpoint.vectors import VectorServer, read_vectors

if TYPE_CHECKING:
    from harness.model.encoder import Role


@dataclass(frozen=True, kw_only=True)
class TextEmbedding3Small(TextEndpoint):
    """model: as the endpoint calls it. A text that is too long for it is the endpoint's error;
    nothing is cut.

    dimensions: what the endpoint is to shorten its vectors to; null sends nothing and takes them
    whole.
    """

    version: ClassVar[int] = 1

    concept: ClassVar[str] = "encoder"

    model: str = "text-embedding-3-small"
    base_url: str = field(default="https://api.openai.com/v1", metadata=REACHES)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=REACHES)
    dimensions: int | None = None
    batch_size: int = field(default=128, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dimensions is not None:
            whole_number("encoder.dimensions", self.dimensions, 1)

    def open(self) -> Client:
        """Make the client; nothing is sent yet."""
        return Client(self)


class Client(VectorServer):
    """The client of the endpoint; the role changes nothing."""

    def __init__(self, encoder: TextEmbedding3Small) -> None:
        super().__init__(encoder, None, "openai")
        shorter = {} if encoder.dimensions is None else {"dimensions": encoder.dimensions}
        self.request: Mapping[str, object] = {
            "model": encoder.model,
            "encoding_format": "float",
            **shorter,
        }
        self.dimension = encoder.dimensions or 0

    def vectors(self, texts: Sequence[str], role: Role, cut: bool) -> NDArray[np.float32]:
        """See ``VectorServer``."""

        def read(answer: Any, _: Mapping[str, str]) -> NDArray[np.float32]:
            self.client.note_model(answer.get("model"))
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            return read_vectors([row["embedding"] for row in rows], len(texts))

        return self.client.endpoint.post(
            "/embeddings", {**self.request, "input": list(texts)}, read
        )
