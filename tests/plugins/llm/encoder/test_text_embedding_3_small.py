"""Against a real HTTP server that speaks the protocol of /embeddings; its vectors are
hashed words.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed, HashedWords
from harness.plugins.llm.encoder.text_embedding_3_small import TextEmbedding3Small
from harness.work.store import Store

pytestmark = pytest.mark.skipif(
    find_spec("openai") is None, reason="the extra `openai` is not installed"
)
TEXTS = [f"text {number} about foxes" for number in range(25)]


class Server(ThreadingHTTPServer):
    requests: list[dict[str, Any]]
    failures: list[int]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(
            {"path": self.path, "key": self.headers["Authorization"], **body}
        )
        if self.server.failures:
            return self.answer(self.server.failures.pop(), {"error": {"message": "please wait"}})
        vectors, _ = HashedWords(body.get("dimensions", 64)).encode(
            body["input"], "passage", lambda done: None
        )
        data = [
            {"object": "embedding", "index": row, "embedding": v.tolist()}
            for row, v in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return self.answer(
            200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}
        )

    def answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    server = Server(("127.0.0.1", 0), Handler)
    server.requests, server.failures = [], []
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_batches_in_the_order_of_the_texts(server: Server, tmp_path: Any) -> None:
    vectors = embed(
        TextEmbedding3Small(base_url=server.url, batch_size=10), TEXTS, "passage", Store(tmp_path)
    )
    np.testing.assert_allclose(
        vectors, embed(Hashed(64), TEXTS, "passage", Store(tmp_path)), atol=1e-6
    )
    assert sorted(len(request["input"]) for request in server.requests) == [5, 10, 10]
    assert {request["path"] for request in server.requests} == {"/v1/embeddings"}
    assert {request["key"] for request in server.requests} == {"Bearer secret"}
    assert all("dimensions" not in request for request in server.requests)
    assert all(
        "secret" not in path.read_text().replace("core.secret", "")
        for path in tmp_path.rglob("manifest.json")
    )


def test_dimensions_are_asked_for(server: Server, tmp_path: Any) -> None:
    encoder = TextEmbedding3Small(base_url=server.url, dimensions=16)
    assert embed(encoder, TEXTS, "name", Store(tmp_path)).shape == (25, 16)


def test_a_refused_batch_is_an_error_with_the_servers_words(server: Server, tmp_path: Any) -> None:
    server.failures = [400]
    with pytest.raises(HarnessError, match=r"\(400.*please wait.*\).*batch_size"):
        embed(TextEmbedding3Small(base_url=server.url), TEXTS, "passage", Store(tmp_path))


def test_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(HarnessError, match="OPENAI_API_KEY"):
        TextEmbedding3Small().open()
