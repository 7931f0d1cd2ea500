"""The transport of HTTP answers, with a deadline and a largest size, and without the key that was
sent.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import Future
from typing import Any

CONNECT = 10.0
"""Longest time for connecting, in seconds."""
REDIRECTS = 3
"""Redirects of one request that are followed; a key is sent to no other host."""
LEFT_OUT = (b"content-encoding", b"content-length", b"transfer-encoding")


def http_module(openai: Any) -> Any:
    """Return the module httpx, or the successor on which this ``openai`` is built."""
    bases = openai.DefaultHttpxClient.__mro__
    base = next(kind for kind in bases if not kind.__module__.startswith("openai"))
    return sys.modules[base.__module__.partition(".")[0]]


def bounded_client(openai: Any, key: str, seconds: float, size: int) -> Any:
    """Return a client for ``openai`` whose answers have a deadline and a size, and not the key.

    Args:
        openai: the module.
        key: the key, masked in answers.
        seconds: for a whole answer.
        size: largest answer in bytes.
    """
    http = http_module(openai)
    return openai.DefaultHttpxClient(
        transport=BoundedTransport(http, key, seconds, size),
        timeout=http.Timeout(seconds, connect=min(seconds, CONNECT)),
        follow_redirects=True,
        max_redirects=REDIRECTS,
        headers={"accept-encoding": "identity"},
    )


class BoundedTransport:
    """A transport that reads each answer on its own thread, so that the deadline holds for slow
    servers.

    ``http`` is the module httpx.
    """

    def __init__(self, http: Any, key: str, seconds: float, size: int) -> None:
        self._http, self._inner = http, http.HTTPTransport()
        self._key, self._seconds, self._size = key.encode(), seconds, size

    def handle_request(self, request: Any) -> Any:
        """Return the whole response.

        Raises:
            ReadTimeout: at the deadline.
            ReadError: the answer is too large.
        """
        answer: Future[Any] = Future()

        def work() -> None:
            try:
                answer.set_result(self._whole(request, time.monotonic() + self._seconds))
            except Exception as error:
                answer.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            return answer.result(timeout=self._seconds)
        except (TimeoutError, self._http.ReadTimeout) as error:
            late = f"no whole answer within {self._seconds:g} seconds"
            raise self._http.ReadTimeout(late, request=request) from error

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()

    def _whole(self, request: Any, deadline: float) -> Any:
        response, data = self._inner.handle_request(request), bytearray()
        try:
            for part in response.stream:
                data += part
                if len(data) > self._size:
                    raise self._http.ReadError(
                        f"an answer of more than {self._size >> 20} MiB", request=request
                    )
                if time.monotonic() > deadline:
                    raise self._http.ReadTimeout("", request=request)
        finally:
            response.close()
        content = bytes(data).replace(self._key, b"***") if self._key else bytes(data)
        headers = [header for header in response.headers.raw if header[0].lower() not in LEFT_OUT]
        return self._http.Response(response.status_code, headers=headers, content=content)
