"""A scripted OpenAI-compatible endpoint on 127.0.0.1, for tests of what can go wrong."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Play = Callable[[int, str], Any]
"""(number of the request, its message) to the answer's content, or (what goes wrong, its argument)."""


class Scripted:
    """requests: the JSON bodies that came, in order."""

    def __init__(self, play: Play) -> None:
        self.play, self.requests, self.lock = play, [], threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer.lock:
                    outer.requests.append(body)
                    number = len(outer.requests)
                played = outer.play(number, body["messages"][0]["content"])
                kind, argument = played if isinstance(played, tuple) else ("content", played)
                with contextlib.suppress(ConnectionError):
                    getattr(self, f"_{kind}")(argument)

            def _send(self, status: int, data: bytes, length: int | None = None, **headers: str) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(length or len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _content(self, content: str, finish: str = "stop") -> None:
                choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
                self._send(200, json.dumps({**whole, "usage": usage}).encode())

            def _cut(self, content: str) -> None:
                self._content(content, "length")

            def _status(self, status: int) -> None:
                self._send(status, b'{"error": {"message": "so it is"}}', retry_after="0")

            def _half(self, _: object) -> None:
                self._send(200, b'{"choices": [{"mess', length=500)
                self.close_connection = True

            def _garbage(self, data: bytes) -> None:
                self._send(200, data)

            def _hang(self, seconds: float) -> None:
                time.sleep(seconds)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        return Handler


@contextlib.contextmanager
def served(play: Play) -> Iterator[Scripted]:
    scripted = Scripted(play)
    thread = threading.Thread(target=scripted.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.server.shutdown()
        scripted.server.server_close()
        thread.join()
