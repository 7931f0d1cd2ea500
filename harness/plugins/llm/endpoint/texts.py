"""Asking a server for a number or a vector of each text: batches, several at once, halved where one is refused."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.identity import NO_RESULT
from harness.core.secret import check_address, check_variable
from harness.plugins.llm.endpoint.client import Away, Endpoint, Refused
from harness.work.parts import Stop

log = logging.getLogger(__name__)
SIZE = 256 << 20
"""Bytes of an answer, at most: 2048 vectors of 4096 numbers, as text."""
Item = TypeVar("Item")
Result = TypeVar("Result")
Send = Callable[[Sequence[Item], bool], Sequence[Result]]
"""What the server says of each item of a batch, cut to what its model reads or not. Raises as ``Endpoint.post``."""


@dataclass(frozen=True, kw_only=True)
class TextEndpoint:
    """A base of strategies: the fields of a server that answers batches of texts.

    base_url: of the server.    key_variable: the environment variable that holds its key.
    truncate: a text that the server finds too long is asked for again, cut by the server, and counted; false stops.
    batch_size: texts a request.    parallel: requests at once.    retries, backoff (seconds), timeout (seconds for a
    whole answer): see Endpoint.
    """

    concept: ClassVar[str]
    model: str
    base_url: str = field(default="http://127.0.0.1:8080", metadata=REACHES)
    key_variable: str = field(default="ENDPOINT_API_KEY", metadata=NO_RESULT | REACHES)
    truncate: bool = True
    batch_size: int = field(default=32, metadata=NO_RESULT)
    parallel: int = field(default=4, metadata=NO_RESULT)
    retries: int = field(default=6, metadata=NO_RESULT)
    backoff: float = field(default=0.5, metadata=NO_RESULT)
    timeout: float = field(default=60, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        whole_number(f"{self.concept}.batch_size", self.batch_size, 1, 2048)
        whole_number(f"{self.concept}.parallel", self.parallel, 1)
        whole_number(f"{self.concept}.retries", self.retries, 0)
        bounded(f"{self.concept}.backoff", self.backoff, 0)
        bounded(f"{self.concept}.timeout", self.timeout, 0, open_low=True)
        check_variable(f"{self.concept}.key_variable", self.key_variable)
        mend = f"put a key into the environment variable that {self.concept}.key_variable names"
        check_address(f"{self.concept}.base_url", self.base_url, mend)


class TextClient:
    """The client of such a server; nothing is sent yet.    size: texts a request."""

    def __init__(self, asking: TextEndpoint) -> None:
        self.asking, self.size, self._halved = asking, asking.batch_size, False
        self.endpoint = Endpoint(
            asking.base_url, asking.key_variable, asking.retries, asking.backoff, asking.timeout, asking.concept, SIZE
        )

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
                f"{concept}.model={model}: the server at {self.asking.base_url} serves {served}; type "
                f"{concept}.model={served}, which its results are named by, or another {concept}.base_url"
            )
        most = info.get("max_client_batch_size") if isinstance(info, dict) else None
        self.size = min(self.size, most) if isinstance(most, int) and most > 0 else self.size

    def ask(
        self, batches: Sequence[Sequence[Item]], send: Send[Item, Result], advance: Callable[[int], object]
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
            mend = "" if self.asking.truncate else f" (where it is too long, type {concept}.truncate=true)"
            raise HarnessError(
                f"{concept}.base_url={self.asking.base_url}: {self.asking.model} refuses a text ({error}); "
                f"mend what the server names{mend}; finished parts are kept"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
        return found

    def _halve(self, batch: Sequence[Item], send: Send[Item, Result]) -> list[tuple[Result, bool]]:
        """A batch that is refused is sent by halves; an item that is refused alone is sent again, to be cut."""
        try:
            return [(one, False) for one in send(batch, False)]
        except Refused as error:
            if len(batch) == 1:
                if not self.asking.truncate:
                    raise
                return [(one, True) for one in send(batch, True)]
            reason = str(error)
        middle = len(batch) // 2
        found = self._halve(batch[:middle], send) + self._halve(batch[middle:], send)
        if not self._halved and not any(cut for _, cut in found):
            self._halved = True
            log.warning(
                "%s.base_url=%s: %d texts at once are refused (%s), so they are sent by halves; a smaller "
                "%s.batch_size saves these requests",
                self.asking.concept, self.asking.base_url, len(batch), reason, self.asking.concept,
            )  # fmt: skip
        return found

    def _stop(self, error: Exception) -> Stop:
        return Stop(
            f"{self.asking.concept}.base_url={self.asking.base_url}: no answer from {self.asking.model} ({error}); "
            "finished parts are kept, so run the command again when the endpoint answers"
        )


def by_index(rows: Any, key: str, count: int) -> list[float]:
    """The numbers under ``key`` in rows that come in any order, by their ``index``. Raises ValueError for others."""
    found = {int(row["index"]): float(row[key]) for row in rows}
    if sorted(found) != list(range(count)) or len(rows) != count:
        raise ValueError(
            f"{len(rows)} rows with the indexes {sorted(found)[:5]}, expected one for each of {count} texts"
        )
    return [found[place] for place in range(count)]
