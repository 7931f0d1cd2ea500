"""A client of an HTTP endpoint: one answer a request, which is sent again while the endpoint is
busy or away.
"""

from __future__ import annotations

import datetime
import email.utils
import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from harness.core.configuration import REACHES, need
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.identity import NO_RESULT
from harness.core.secret import check_address, check_variable
from harness.core.table import counted
from harness.plugins.llm.endpoint.transport import bounded_client, http_module

log = logging.getLogger(__name__)
LOCAL = ("http://127.0.0.1", "http://localhost", "http://[::1]")
LONGEST_WAIT = 60.0
"""Seconds: the longest pause that an endpoint may ask for (``Retry-After``)."""
SIZE = 16 << 20
"""Bytes of an answer, at most."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Answer:
    """content: as it came. finish: why it ended (``stop``; ``length``: it was cut). prompt,
    completion: tokens.

    model: what the server says has answered; empty where it says nothing.
    """

    content: str
    finish: str
    prompt: int
    completion: int
    model: str = ""


class Away(Exception):
    """The endpoint gave no answer, however often it was asked."""


class Refused(Exception):
    """The endpoint does not take this request (too long, say); asking again does not help."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A base of strategies: the fields of an endpoint that is asked.

    base_url: of the endpoint.    key_variable: the environment variable that holds its key.
    parallel: requests at
    once.    retries, backoff (seconds), timeout (seconds for a whole answer, of which connecting
    may take 10): see
    Endpoint.    concept: whose knobs messages name, such as ``gate``.
    """

    concept: ClassVar[str]
    base_url: str = field(default="https://api.openai.com/v1", metadata=NO_RESULT | REACHES)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=NO_RESULT | REACHES)
    parallel: int = field(default=4, metadata=NO_RESULT)
    retries: int = field(default=6, metadata=NO_RESULT)
    backoff: float = field(default=0.5, metadata=NO_RESULT)
    timeout: float = field(default=60, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        whole_number(f"{self.concept}.parallel", self.parallel, 1)
        whole_number(f"{self.concept}.retries", self.retries, 0)
        bounded(f"{self.concept}.backoff", self.backoff, 0)
        bounded(f"{self.concept}.timeout", self.timeout, 0, open_low=True)
        check_variable(f"{self.concept}.key_variable", self.key_variable)
        self.check_url("base_url", self.base_url)

    def check_url(self, knob: str, url: str) -> None:
        """Raise HarnessError for an address that holds a key."""
        mend = f"put a key into the environment variable that {self.concept}.key_variable names"
        check_address(f"{self.concept}.{knob}", url, mend)

    def key(self, url: str) -> str:
        """The key of the endpoint at an address; a server of this machine may have none."""
        key = os.environ.get(self.key_variable) or ("none" if url.startswith(LOCAL) else None)
        if key is None:
            raise HarnessError(
                f"{self.concept}.base_url={url}: environment variable {self.key_variable} is not "
                "set; put the "
                f"endpoint's key there, or name another with {self.concept}.key_variable"
            )
        return key


class Endpoint:
    """A client; nothing is sent before it is asked.

    ``retries``: how often a request is repeated, after ``backoff`` seconds, then twice as long each
    time. Repeated is what may go better the next time: no connection, no whole answer within
    ``timeout`` seconds, half an answer, one that is no JSON, and the statuses 408, 409, 429 and
    5xx; where the endpoint says how long to wait, that counts, up to ``LONGEST_WAIT``.
    url: None for the server's own.    size: bytes of an answer, at most.
    """

    def __init__(self, server: Server, url: str | None = None, size: int = SIZE) -> None:
        self.base_url = server.base_url if url is None else url
        self.retries, self.backoff, self.concept = server.retries, server.backoff, server.concept
        openai = need("openai", f"{self.concept}.base_url={self.base_url}", "openai")
        key = server.key(self.base_url)
        http = bounded_client(openai, "" if key == "none" else key, server.timeout, size)
        self._client = openai.OpenAI(
            api_key=key,
            base_url=self.base_url,
            max_retries=0,
            timeout=server.timeout,
            http_client=http,
        )
        self._openai, self._response = openai, http_module(openai).Response

    def ask(self, request: dict[str, object]) -> Answer:
        """The answer to a chat request. Raises as ``post``."""
        return self.post("/chat/completions", request, _read_answer)

    def post(
        self,
        path: str,
        request: Mapping[str, object],
        read: Callable[[Any, Mapping[str, str]], Result],
    ) -> Result:
        """What ``read`` makes of the JSON and the headers of an answer; one that it cannot read is
        asked for again.

        Raises Away, Refused, or HarnessError for a wrong key, address or model.
        """
        for attempt in range(self.retries + 1):
            try:
                response = self._client.post(path, cast_to=self._response, body=request)
                return read(json.loads(response.text), response.headers)
            except self._openai.APIStatusError as error:
                status, reason = error.status_code, f"{error.status_code}: {describe(error)}"
                if status in (400, 413, 422):
                    raise Refused(reason) from error
                if status not in (408, 409, 429) and status < 500:
                    raise HarnessError(
                        f"{self.concept}.base_url={self.base_url}: {reason} (POST {path}); check "
                        "the address, "
                        f"{self.concept}.model and the key"
                    ) from error
                asked = error.response.headers.get("retry-after", "")
            except (
                self._openai.APIError,
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                RecursionError,
            ) as error:
                reason, asked = f"{type(error).__name__}: {describe(error)}", ""
            if attempt < self.retries:
                self._wait(asked, attempt, reason)
        raise Away(f"{reason}, asked {counted(self.retries + 1, 'time')}")

    def _wait(self, asked: str, attempt: int, reason: str) -> None:
        wanted = seconds_of(asked)
        pause = self.backoff * 2**attempt if wanted is None else min(wanted, LONGEST_WAIT)
        if pause >= 1:
            more = f" (it asked for {wanted:g})" if wanted is not None and wanted > pause else ""
            log.warning("%s: %s; waiting %g seconds%s", self.base_url, reason, pause, more)
        time.sleep(pause)

    def served(self, model: str) -> str | None:
        """What the server calls the model that answers to this name, from its list of models, which
        costs nothing.

        A server of one model (llama.cpp) answers to any name: then it is that one. Empty where the
        server has no such list or name, None where it does not answer.
        """
        try:
            found = self.get("/models")["data"]
            names = {str(row["id"]): str(row.get("root") or row["id"]) for row in found}
        except Away:
            return None
        except (LookupError, TypeError, AttributeError):
            return ""
        return names.get(model, next(iter(names.values())) if len(names) == 1 else "")

    def get(self, path: str) -> Any:
        """The JSON at a path, None where there is none. Raises Away where the server does not
        answer.
        """
        try:
            return json.loads(
                self._client.get(path, cast_to=self._response, options={"timeout": 5}).text
            )
        except self._openai.APIConnectionError as error:
            raise Away(describe(error)) from error
        except (self._openai.APIError, ValueError, RecursionError):
            return None


def _read_answer(answer: Any, _: Mapping[str, str]) -> Answer:
    choice, usage = answer["choices"][0], answer.get("usage") or {}
    content = choice["message"]["content"]
    return Answer(
        "" if content is None else str(content),
        str(choice.get("finish_reason") or "stop"),
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
        str(answer.get("model") or ""),
    )


def seconds_of(value: str) -> float | None:
    """The seconds of a ``Retry-After`` header, a number or a date; None for neither."""
    try:
        return max(0.0, float(value)) if value.strip() else None
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when - datetime.datetime.now(when.tzinfo)).total_seconds())


def describe(error: BaseException) -> str:
    """An error and its cause in one line of at most 300 characters."""
    parts = [" ".join(str(each).split()) for each in (error, error.__cause__) if each is not None]
    return "; ".join(dict.fromkeys(part for part in parts if part))[:300]
