"""A scripted OpenAI-compatible endpoint on 127.0.0.1, for tests of what can go wrong."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Play = Callable[[int, str], Any]
"""(number of the request, its message) to the answer's content, or (what goes wrong, its argument).
"""


def completion(content: str, finish: str = "stop", model: str = "m") -> dict[str, Any]:
    """An answer without its counts of tokens."""
    message = {"role": "assistant", "content": content}
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    form = {"id": "x", "object": "chat.completion", "created": 0}
    return {**form, "model": model, "choices": choices}


class Scripted:
    """requests: the JSON bodies that came, in order. port: 0 takes a free one. models: what it says
    that it serves.
    """

    def __init__(self, play: Play, port: int = 0, models: Sequence[str] = ()) -> None:
        self.play, self.requests, self.lock, self.models = play, [], threading.Lock(), models
        self.server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer.lock:
                    outer.requests.append(body)
                    number = len(outer.requests)
                self.asked = body["model"]
                played = outer.play(number, body["messages"][0]["content"])
                kind, argument = played if isinstance(played, tuple) else ("content", played)
                with contextlib.suppress(ConnectionError):
                    getattr(self, f"_{kind}")(argument)

            def do_GET(self) -> None:
                data = [{"id": name, "object": "model"} for name in outer.models]
                answer = json.dumps({"object": "list", "data": data}).encode()
                self._send(200 if data else 404, answer)

            def _send(
                self, status: int, data: bytes, length: int | None = None, **headers: str
            ) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(length or len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _content(self, content: str, finish: str = "stop", model: str = "") -> None:
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                answer = completion(content, finish, model or self.asked)
                self._send(200, json.dumps({**answer, "usage": usage}).encode())

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

            def _drip(self, header: bool) -> None:
                """A byte each tenth of a second, of the header or of the body."""
                if not header:
                    self.send_response(200)
                    self.send_header("content-length", "1000")
                    self.end_headers()
                for letter in b"HTTP/1.1 200 OK" if header else b" " * 1000:
                    self.wfile.write(bytes([letter]))
                    self.wfile.flush()
                    time.sleep(0.1)

            def _wait(self, header: str) -> None:
                self._send(429, b'{"error": {"message": "slowly"}}', retry_after=header)

            def _redirect(self, path: str) -> None:
                self._send(307, b"", location=path)

            def _echo(self, status: int) -> None:
                error = {"message": f"wrong {self.headers['authorization']}"}
                self._send(status, json.dumps({"error": error}).encode())

            def _other(self, content: str) -> None:
                self._content(content, model="other-model")

            def log_message(self, *_: object) -> None:
                """Quiet."""

        return Handler


def local(url: str, folder: Path, **more: Any) -> dict[str, Any]:
    """The settings of a model at ``url`` whose answers are kept below ``folder``."""
    kept = {"base_url": url, "answers": str(folder / "answers")}
    return {"model": "tiny/model", "parallel": 2, "retries": 3, "backoff": 0.01, **kept, **more}


@contextlib.contextmanager
def served(play: Play, port: int = 0, models: Sequence[str] = ()) -> Iterator[Scripted]:
    scripted = Scripted(play, port, models)
    thread = threading.Thread(target=scripted.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.server.shutdown()
        scripted.server.server_close()
        thread.join()
