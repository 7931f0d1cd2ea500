"""An OpenAI-compatible chat endpoint: one answer a message, asked again while the endpoint is busy or away."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import Any

from harness.errors import HarnessError

LOCAL = ("http://127.0.0.1", "http://localhost", "http://[::1]")


@dataclass(frozen=True)
class Answer:
    """content: as it came. finish: why it ended (``stop``; ``length``: it was cut). prompt, completion: tokens."""

    content: str
    finish: str
    prompt: int
    completion: int


class Away(Exception):
    """The endpoint gave no answer, however often it was asked."""


class Refused(Exception):
    """The endpoint does not take this message (too long, say); asking again does not help."""


class Endpoint:
    """A client. ``retries``: how often a request is repeated, after ``backoff`` seconds, then twice as long each time.

    Repeated is what may go better the next time: no connection, no answer within ``timeout`` seconds, half an answer,
    one that is no JSON, and the statuses 408, 409, 429 and 5xx; where the endpoint says how long to wait, that counts.
    concept: whose knobs the messages name, ``extractor`` or ``gate``.
    """

    def __init__(
        self, base_url: str, key_variable: str, retries: int, backoff: float, timeout: float, concept: str
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise HarnessError(
                f"{concept}.model needs the openai client: pip install 'multihop-harness[openai]'"
            ) from error
        key = os.environ.get(key_variable) or ("none" if base_url.startswith(LOCAL) else None)
        if key is None:
            raise HarnessError(
                f"{concept}.base_url={base_url}: environment variable {key_variable} is not set; put the endpoint's "
                f"key there, or name another with {concept}.key_variable"
            )
        self.retries, self.backoff, self.base_url, self.concept = retries, backoff, base_url, concept
        self._openai = openai
        self._client = openai.OpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=timeout)

    def ask(self, request: dict[str, Any]) -> Answer:
        """The answer to a chat request. Raises Away, Refused, or HarnessError for a wrong key, address or model."""
        for attempt in range(self.retries + 1):
            try:
                return self._once(request)
            except self._openai.APIStatusError as error:
                status, reason = error.status_code, f"{error.status_code}: {_line(error)}"
                if status in (400, 413, 422):
                    raise Refused(reason) from error
                if status not in (408, 409, 429) and status < 500:
                    raise HarnessError(
                        f"{self.concept}.base_url={self.base_url}: {reason}; check the address, {self.concept}.model "
                        "and the key"
                    ) from error
                wait = error.response.headers.get("retry-after", "")
            except (self._openai.APIError, ValueError, LookupError, TypeError, AttributeError) as error:
                reason, wait = f"{type(error).__name__}: {_line(error)}", ""
            if attempt < self.retries:
                time.sleep(float(wait) if wait.replace(".", "", 1).isdigit() else self.backoff * 2**attempt)
        raise Away(f"{reason}, asked {self.retries + 1} times")

    def _once(self, request: dict[str, Any]) -> Answer:
        answer = json.loads(self._client.chat.completions.with_raw_response.create(**request).text)
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        content = choice["message"]["content"]
        return Answer(
            "" if content is None else str(content),
            str(choice.get("finish_reason") or "stop"),
            int(usage.get("prompt_tokens") or 0),
            int(usage.get("completion_tokens") or 0),
        )


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
