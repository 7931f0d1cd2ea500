"""Raw answers of a language model, a file each, so that no answer is paid for twice."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from harness.core.files import write_json
from harness.core.identity import digest
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import UNREADABLE, Answer

SERVED = "served.json"
WRITING = threading.Lock()
"""Held while a file is written: two threads may have the same message."""


@dataclass(frozen=True)
class Answers:
    """The answers of ``chat``, by endpoint, model, the server's name of it, the request, and its
    message.

    An answer is written to a temporary file and renamed. One that cannot be read is asked for
    again.

    Args:
        chat: the settings, with the folder of the answers.
        served: the server's name of the model, empty if there is none (see ``Endpoint.served``).
    """

    chat: Chat
    served: str = ""

    @classmethod
    def of(cls, chat: Chat) -> Answers:
        """Return the answers of a strategy, under the server's latest name of the model."""
        answers = cls(chat)
        try:
            text = (answers._folder() / SERVED).read_text(encoding="utf-8")
            served = str(json.loads(text)["model"])
        except (OSError, *UNREADABLE):
            return answers
        return cls(chat, served)

    def serving(self, model: str) -> Answers:
        """Return the answers under the server's present name of the model, which is stored."""
        if model != self.served:
            write_json(self._folder() / SERVED, {"model": model})
        return Answers(self.chat, model)

    def find(self, prompt: str, request: dict[str, object]) -> Answer | None:
        """Return the stored answer to a request, or None. ``prompt`` is the template of the
        message.
        """
        try:
            return Answer(**json.loads(self._path(prompt, request).read_text(encoding="utf-8")))
        except (OSError, *UNREADABLE):
            return None

    def keep(self, prompt: str, request: dict[str, object], answer: Answer) -> None:
        """Store an answer."""
        with WRITING:
            write_json(self._path(prompt, request), asdict(answer))

    def _folder(self) -> Path:
        parts = urlsplit(self.chat.base_url)
        place = _plain(f"{parts.netloc}{parts.path}".rstrip("/"))
        return Path(self.chat.answers) / place / _plain(self.chat.model)

    def _path(self, prompt: str, request: dict[str, object]) -> Path:
        sent = {name: value for name, value in request.items() if name != "messages"}
        sent |= {"served": self.served, "refresh": self.chat.refresh}
        message, asked = digest(request["messages"]), digest({"prompt": prompt, **sent})[:16]
        return self._folder() / asked / message[:2] / f"{message}.json"


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-._" else "_" for letter in name)
