"""Any embedding model behind Text Embeddings Inference's own ``/embed``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.core.configuration import REACHES
from harness.plugins.llm.endpoint.texts import TextEndpoint
from harness.plugins.llm.endpoint.vectors import VectorServer, read_vectors

if TYPE_CHECKING:
    from harness.model.encoder import Role


@dataclass(frozen=True, kw_only=True)
class Tei(TextEndpoint):
    """model: as the server's ``/info`` calls it; another one is refused.

    truncate: a text that the server finds too long is asked for again, cut by the server, and
    counted; false stops.
    *_prompt: name of the prompt, among those of the model's own settings (``prompts`` of
    sentence-transformers, such as ``query``), that the server puts before texts of that role; null
    for none.
    """

    version: ClassVar[int] = 1

    concept: ClassVar[str] = "encoder"

    model: str = field(default="sentence-transformers/all-MiniLM-L6-v2", metadata=REACHES)
    passage_prompt: str | None = None
    question_prompt: str | None = None
    name_prompt: str | None = None
    truncate: bool = True

    def open(self) -> Server:
        """Make the client, and ask which model is served."""
        return Server(self)


class Server(VectorServer):
    """The client of the server."""

    def __init__(self, encoder: Tei) -> None:
        super().__init__(encoder, encoder.truncate, "tei")
        self.encoder = encoder
        self.client.check_tei()

    def vectors(self, texts: Sequence[str], role: Role, cut: bool) -> NDArray[np.float32]:
        """See ``VectorServer``."""
        name = getattr(self.encoder, f"{role}_prompt")
        request = {
            "inputs": list(texts),
            "truncate": cut,
            **({} if name is None else {"prompt_name": name}),
        }
        return self.client.endpoint.post(
            "/embed", request, lambda answer, _: read_vectors(answer, len(texts))
        )
