"""A client of an HTTP endpoint. A request is repeated while the endpoint is busy or away."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from harness.core.configuration.extras import need
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError, check_fields
from harness.core.identity import NO_RESULT
from harness.core.secret import check_address, check_variable
from harness.core.table import counted
from harness.plugins.llm.endpoint.transport import bounded_client, http_module

log = logging.getLogger(__name__)
LOCAL = ("http://127.0.0.1", "http://localhost", "http://[::1]")
LONGEST_WAIT = 60.0
"""Longest pause in seconds that an endpoint may request (``Retry-After``)."""
SIZE = 16 << 20
"""Largest answer in bytes."""
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors of an answer that is not JSON, or of another form."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Answer:
    """An answer to a chat request.

    Args:
        content: the text, unchanged.
        finish: why the answer ended: ``stop``, or ``length`` if it was cut.
        prompt: tokens of the prompt.
        completion: tokens of the answer.
        model: name of the model that answered, by the server; empty if the server gives none.
    """

    content: str
    finish: str
    prompt: int
    completion: int
    model: str = ""


class Away(Exception):
    """Raised if the endpoint gave no answer after all retries."""


class Refused(Exception):
    """Raised if the endpoint rejects a request, for example because it is too long."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """The fields of an endpoint, a base of strategies.

    Args:
        base_url: address of the endpoint.
        key_variable: environment variable that holds its key.
        parallel: number of simultaneous requests, >= 1.
        retries: how often a request is repeated, >= 0 (see ``Endpoint``).
        backoff: seconds before the first retry, >= 0; doubled before each further one.
        timeout: seconds for a whole answer, > 0, of which connecting may take 10.

    The class attribute ``concept`` is the configuration group that messages name.
    """

    concept: ClassVar[str]
    base_url: str = field(default="https://api.openai.com/v1", metadata=NO_RESULT | REACHES)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=NO_RESULT | REACHES)
    parallel: int = field(default=4, metadata=NO_RESULT)
    retries: int = field(default=6, metadata=NO_RESULT)
    backoff: float = field(default=0.5, metadata=NO_RESULT)
    timeout: float = field(default=60, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        check_fields(
            self.concept,
            self,
            parallel="whole [1, inf)",
            retries="whole [0, inf)",
            backoff="[0, inf)",
            timeout="(0, inf)",
        )
        check_variable(f"{self.concept}.key_variable", self.key_variable)
        check_address(
            f"{self.concept}.base_url",
            self.base_url,
            f"put a key into the environment variable that {self.concept}.key_variable names",
        )


class Endpoint:
    """A client of a server. It sends nothing before it is asked.

    A request is repeated ``retries`` times after faults that may be temporary: no connection, no
    whole answer within ``timeout`` seconds, half an answer, an answer that is not JSON or cannot be
    read, and the statuses 408, 409, 429 and 5xx. The pause is the server's ``backoff``, doubled
    each time, or the time that the endpoint requests, up to ``LONGEST_WAIT``.

    Args:
        server: the fields of the endpoint.
        size: largest answer in bytes.

    Raises:
        HarnessError: there is no key. A server on this machine needs none.
    """

    def __init__(self, server: Server, size: int = SIZE) -> None:
        self.server, self._at = server, f"{server.concept}.base_url={server.base_url}"
        openai = need("openai", self._at, "openai")
        key = os.environ.get(server.key_variable, "")
        if not key and not server.base_url.startswith(LOCAL):
            raise HarnessError(
                f"{self._at}: environment variable {server.key_variable} is not set; put the "
                f"endpoint's key there, or name another with {server.concept}.key_variable"
            )
        self._client = openai.OpenAI(
            api_key=key or "none",
            base_url=server.base_url,
            max_retries=0,
            timeout=server.timeout,
            http_client=bounded_client(openai, key, server.timeout, size),
        )
        self._openai, self._response = openai, http_module(openai).Response

    def ask(self, request: dict[str, object]) -> Answer:
        """Return the answer to a chat request. It raises what ``post`` raises."""
        return self.post("/chat/completions", request, _read_answer)

    def post(
        self, path: str, request: Mapping[str, object], read: Callable[[Any], Result]
    ) -> Result:
        """Send a request and return what ``read`` makes of the answer's JSON.

        Raises:
            Away: there was no readable answer after all retries.
            Refused: the endpoint rejects the request (status 400, 413 or 422).
            HarnessError: the key, the address or the model is wrong.
        """
        retries = self.server.retries
        for attempt in range(retries + 1):
            try:
                response = self._client.post(path, cast_to=self._response, body=request)
                return read(json.loads(response.text))
            except self._openai.APIStatusError as error:
                status, reason = error.status_code, f"{error.status_code}: {describe(error)}"
                if status in (400, 413, 422):
                    raise Refused(reason) from error
                if status not in (408, 409, 429) and status < 500:
                    raise HarnessError(
                        f"{self._at}: {reason} (POST {path}); check "
                        f"the address, {self.server.concept}.model and the key"
                    ) from error
                asked = error.response.headers.get("retry-after", "")
            except (self._openai.APIError, *UNREADABLE) as error:
                reason, asked = f"{type(error).__name__}: {describe(error)}", ""
            if attempt < retries:
                self._wait(asked, attempt, reason)
        raise Away(f"{reason}, asked {counted(retries + 1, 'time')}")

    def _wait(self, asked: str, attempt: int, reason: str) -> None:
        wanted = seconds_of(asked)
        pause = self.server.backoff * 2**attempt if wanted is None else min(wanted, LONGEST_WAIT)
        if pause >= 1:
            more = f" (it asked for {wanted:g})" if wanted is not None and wanted > pause else ""
            log.warning("%s: %s; waiting %g seconds%s", self.server.base_url, reason, pause, more)
        time.sleep(pause)

    def served(self, model: str) -> str | None:
        """Return the server's name of a model, from its list of models, which costs nothing.

        A server of one model (llama.cpp) answers to any name, so its model is returned.

        Returns:
            The name; empty if the server has no list or not this model; None if it does not answer.
        """
        options = {"timeout": 5}
        try:
            answer = self._client.get("/models", cast_to=self._response, options=options)
            rows = json.loads(answer.text)["data"]
            names = {str(row["id"]): str(row.get("root") or row["id"]) for row in rows}
        except self._openai.APIConnectionError:
            return None
        except (self._openai.APIError, *UNREADABLE):
            return ""
        return next(iter(names.values())) if len(names) == 1 else names.get(model, "")


def _read_answer(answer: Any) -> Answer:
    choice, usage = answer["choices"][0], answer.get("usage") or {}
    return Answer(
        str(choice["message"]["content"] or ""),
        str(choice.get("finish_reason") or "stop"),
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
        str(answer.get("model") or ""),
    )


def seconds_of(value: str) -> float | None:
    """Return the seconds of a ``Retry-After`` header, or None if it is not a number."""
    try:
        return max(0.0, float(value))
    except ValueError:
        return None


def describe(error: BaseException) -> str:
    """Return an error and its cause in one line of up to 300 characters."""
    faults = [error] if error.__cause__ is None else [error, error.__cause__]
    parts = [" ".join(str(fault).split()) for fault in faults]
    return "; ".join(dict.fromkeys(part for part in parts if part))[:300]
