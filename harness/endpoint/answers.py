"""Raw answers of a language model, a file each: what has been paid for is never asked for again."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.endpoint.client import Answer
from harness.identity import digest


@dataclass(frozen=True)
class Answers:
    """Answers below ``root``, by model, prompt (with all that is sent beside the message) and message.

    An answer is written beside its place and renamed into it; one that cannot be read is asked for again.
    """

    root: Path

    def get(self, prompt: str, request: dict[str, Any], ask: Callable[[dict[str, Any]], Answer]) -> tuple[Answer, bool]:
        """The answer to a request, and whether it was paid for now.

        prompt: the template that the message was filled from.
        """
        found = self.found(prompt, request)
        if found is not None:
            return found, False
        answer = ask(request)
        path = self._path(prompt, request)
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.half")
        half.write_text(json.dumps(asdict(answer), ensure_ascii=True) + "\n", encoding="utf-8")
        half.replace(path)
        return answer, True

    def found(self, prompt: str, request: dict[str, Any]) -> Answer | None:
        """The answer to a request that is kept already."""
        try:
            return Answer(**json.loads(self._path(prompt, request).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _path(self, prompt: str, request: dict[str, Any]) -> Path:
        sent = {name: value for name, value in request.items() if name != "messages"}
        message = digest(request["messages"])
        model = "".join(letter if letter.isalnum() or letter in "-._" else "_" for letter in request["model"])
        return self.root / model / digest({"prompt": prompt, **sent})[:16] / message[:2] / f"{message}.json"
