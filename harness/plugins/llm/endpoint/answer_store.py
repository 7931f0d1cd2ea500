"""Raw answers of a language model, a file each: what has been paid for is not asked for again."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from harness.core.files import write_json
from harness.core.identity import digest
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import Answer

SERVED = "served.json"
WRITING = threading.Lock()
"""Held while a file is written: two threads may have the same message."""


@dataclass(frozen=True)
class Answers:
    """Answers below ``root``, by endpoint, model, what the server calls that model, the request,
    and its message.

    base_url: of the endpoint.    refresh: number of the set of answers; another number, other
    files.
    served: what the server calls the model, empty where it says nothing (see ``Endpoint.served``).
    An answer is written beside its place and renamed into it; one that cannot be read is asked for
    again.
    """

    root: Path
    base_url: str
    model: str
    refresh: int = 0
    served: str = ""

    @classmethod
    def of(cls, chat: Chat) -> Answers:
        """Where the answers to a strategy are; under what the server called the model when it was
        last asked.
        """
        kept = cls(Path(chat.answers), chat.base_url, chat.model, int(chat.refresh))
        try:
            served = str(json.loads((kept._folder() / SERVED).read_text(encoding="utf-8"))["model"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            served = ""
        return replace(kept, served=served)

    def serving(self, model: str) -> Answers:
        """The same under what the server calls the model now, which is written down."""
        if model != self.served:
            write_json(self._folder() / SERVED, {"model": model})
        return replace(self, served=model)

    def find(self, prompt: str, request: dict[str, object]) -> Answer | None:
        """The answer to a request that is kept already.    prompt: the template that the message
        was filled from.
        """
        try:
            return Answer(**json.loads(self._path(prompt, request).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def keep(self, prompt: str, request: dict[str, object], answer: Answer) -> None:
        """Write an answer."""
        with WRITING:
            write_json(self._path(prompt, request), asdict(answer))

    def _folder(self) -> Path:
        parts = urlsplit(self.base_url)
        return self.root / _plain(f"{parts.netloc}{parts.path}".rstrip("/")) / _plain(self.model)

    def _path(self, prompt: str, request: dict[str, object]) -> Path:
        sent = {name: value for name, value in request.items() if name != "messages"}
        sent |= {"served": self.served, "refresh": self.refresh}
        message = digest(request["messages"])
        return (
            self._folder()
            / digest({"prompt": prompt, **sent})[:16]
            / message[:2]
            / f"{message}.json"
        )


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-._" else "_" for letter in name)
