"""Asking a server for a number or a vector of each text: batches, several at once, halved where one
is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError, whole_number
from harness.core.identity import NO_RESULT
from harness.plugins.llm.endpoint.client import Away, Endpoint, Refused, Server
from harness.work.parts import Stop

log = logging.getLogger(__name__)
SIZE = 256 << 20
"""Bytes of an answer, at most: 2048 vectors of 4096 numbers, as text."""
Item = TypeVar("Item")
Result = TypeVar("Result")
Send = Callable[[Sequence[Item], bool], Sequence[Result]]
"""What the server says of each item of a batch, cut to what its model reads or not. Raises as
``Endpoint.post``.
"""


@dataclass(frozen=True, kw_only=True)
class TextEndpoint(Server):
    """A base of strategies: the fields of a server that answers batches of texts.    batch_size:
    texts a request.
    """

    model: str
    base_url: str = field(default="http://127.0.0.1:8080", metadata=REACHES)
    key_variable: str = field(default="ENDPOINT_API_KEY", metadata=NO_RESULT | REACHES)
    batch_size: int = field(default=32, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(f"{self.concept}.batch_size", self.batch_size, 1, 2048)


class TextClient:
    """The client of such a server; nothing is sent yet.    size: texts a request.

    truncate: whether a text that the server finds too long is asked for again, cut by the server,
    and counted; None where the server cuts nothing.
    """

    def __init__(self, asking: TextEndpoint, truncate: bool | None) -> None:
        self.asking, self.size, self.truncate, self._halved = (
            asking,
            asking.batch_size,
            truncate,
            False,
        )
        self.endpoint = Endpoint(asking, size=SIZE)
        self._others: set[str] = set()

    def check_tei(self) -> None:
        """Ask Text Embeddings Inference which model it serves, and how many texts it takes at once.

        Raises HarnessError where that is another model than ``model``, which results are named by.
        """
        try:
            info = self.endpoint.get("/info")
        except Away as error:
            raise self._stop(error) from error
        served = info.get("model_id") if isinstance(info, dict) else None
        concept, model = self.asking.concept, self.asking.model
        if served and served != model:
            raise HarnessError(
                f"{concept}.model={model}: the server at {self.asking.base_url} serves {served}; "
                "type "
                f"{concept}.model={served}, which its results are named by, or another "
                f"{concept}.base_url"
            )
        most = info.get("max_client_batch_size") if isinstance(info, dict) else None
        self.size = min(self.size, most) if isinstance(most, int) and most > 0 else self.size

    def ask(
        self,
        batches: Sequence[Sequence[Item]],
        send: Send[Item, Result],
        advance: Callable[[int], object],
    ) -> list[tuple[Result, bool]]:
        """The answer to each item of the batches, in their order, and whether the server cut it."""
        found: list[tuple[Result, bool]] = []
        pool = ThreadPoolExecutor(self.asking.parallel)
        try:
            for part in pool.map(lambda batch: self._halve(batch, send), batches):
                found += part
                advance(len(part))
        except Away as error:
            raise self._stop(error) from error
        except Refused as error:
            concept = self.asking.concept
            mend = (
                f" (where it is too long, type {concept}.truncate=true)"
                if self.truncate is False
                else ""
            )
            raise HarnessError(
                f"{concept}.base_url={self.asking.base_url}: {self.asking.model} refuses a text "
                f"({error}); "
                f"mend what the server names{mend}; finished parts are kept"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
        return found

    def _halve(self, batch: Sequence[Item], send: Send[Item, Result]) -> list[tuple[Result, bool]]:
        """A batch that is refused is sent by halves; an item that is refused alone is sent again,
        to be cut.
        """
        try:
            return [(one, False) for one in send(batch, False)]
        except Refused as error:
            if len(batch) == 1:
                if not self.truncate:
                    raise
                return [(one, True) for one in send(batch, True)]
            reason = str(error)
        middle = len(batch) // 2
        found = self._halve(batch[:middle], send) + self._halve(batch[middle:], send)
        if not self._halved and not any(cut for _, cut in found):
            self._halved = True
            log.warning(
                "%s.base_url=%s: %d texts at once are refused (%s), so they are sent by halves; "
                "a smaller "
                "%s.batch_size saves these requests",
                self.asking.concept,
                self.asking.base_url,
                len(batch),
                reason,
                self.asking.concept,
            )
        return found

    def note_model(self, model: str | None) -> None:
        """Say once that the server calls the model otherwise than it was asked for."""
        if model and model != self.asking.model and model not in self._others:
            self._others.add(model)
            log.warning(
                "%s.model=%s: answers are of %s, as the server says",
                self.asking.concept,
                self.asking.model,
                model,
            )

    def _stop(self, error: Exception) -> Stop:
        return Stop(
            f"{self.asking.concept}.base_url={self.asking.base_url}: no answer from "
            f"{self.asking.model} ({error}); "
            "finished parts are kept, so run the command again when the endpoint answers"
        )


def by_index(rows: Any, key: str, count: int) -> list[float]:
    """The numbers under ``key`` in rows that come in any order, by their ``index``. Raises
    ValueError for others.
    """
    found = {int(row["index"]): float(row[key]) for row in rows}
    if sorted(found) != list(range(count)) or len(rows) != count:
        raise ValueError(
            f"{len(rows)} rows with the indexes {sorted(found)[:5]}, expected one for each of "
            f"{count} texts"
        )
    return [found[place] for place in range(count)]
