"""Any embedding model behind Text Embeddings Inference's own ``/embed``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError
from harness.plugins.llm.endpoint.texts import TextClient, TextEndpoint

if TYPE_CHECKING:
    from harness.model.encoder import Role


@dataclass(frozen=True, kw_only=True)
class Tei(TextEndpoint):
    """model: as the server's ``/info`` calls it; another one is refused.

    *_prompt: name of the prompt, among those of the model's own settings (``prompts`` of sentence-transformers, such as
    ``query``), that the server puts before texts of that role; null for none.
    """

    concept: ClassVar[str] = "encoder"

    model: str = field(default="sentence-transformers/all-MiniLM-L6-v2", metadata=REACHES)
    passage_prompt: str | None = None
    question_prompt: str | None = None
    name_prompt: str | None = None

    def open(self) -> Server:
        """Make the client, and ask which model is served."""
        return Server(self)


class Server:
    """The client of the server. See ``harness.model.encoder.Model``."""

    def __init__(self, encoder: Tei) -> None:
        self.encoder, self.dimension = encoder, 0
        self.client = TextClient(encoder)
        self.client.check_tei()
        self.facts: Mapping[str, Any] = {"device": encoder.base_url, "backend": "tei"}

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """See ``harness.model.encoder.Model``."""
        size = self.client.size
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        name = getattr(self.encoder, f"{role}_prompt")

        def send(batch: Sequence[str], cut: bool) -> list[NDArray[np.float32]]:
            request = {"inputs": list(batch), "truncate": cut, **({} if name is None else {"prompt_name": name})}
            return list(self.client.endpoint.post("/embed", request, lambda answer, _: _read(answer, len(batch))))

        answers = self.client.ask(batches, send, advance)
        lengths = {len(vector) for vector, _ in answers}
        if len(lengths) > 1:
            raise HarnessError(
                f"encoder.base_url={self.encoder.base_url}: vectors of {' and '.join(map(str, sorted(lengths)))} "
                "numbers; check the address: one server must answer all requests"
            )
        vectors = np.stack([vector for vector, _ in answers])
        self.dimension = vectors.shape[1]
        return vectors, np.array([cut for _, cut in answers])


def _read(answer: Any, count: int) -> NDArray[np.float32]:
    vectors = np.array(answer, np.float32)
    if vectors.ndim != 2 or len(vectors) != count:
        raise ValueError(f"an answer of the form {vectors.shape}, expected a vector for each of {count} texts")
    return vectors
