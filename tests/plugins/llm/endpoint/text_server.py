"""Stand-ins on 127.0.0.1 for Text Embeddings Inference (/info, /embed, /rerank) and vLLM
(/v1/rerank, /v1/score).

Forms of requests, answers and errors are those of TEI's ``router/src/http`` (1.8) and of vLLM's
``entrypoints/pooling/scoring/protocol.py`` (0.13): a refused batch is 413 there, 400 here; scores
come best first.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from harness.model.encoder.hashed import HashedWords

WORDS = 12
"""Words of a text, or of question and passage, that the model reads."""


class TextServer:
    """score: of a question and a passage, a logit.    model: what it serves.    most: texts at
    once, for TEI.

    requests: (path, body) as they came.    failures: statuses that come before the first answer,
    last one first.
    """

    def __init__(
        self, score: Callable[[str, str], float], model: str = "m", most: int = 32
    ) -> None:
        self.score, self.model, self.most = score, model, most
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.keys: set[str] = set()
        self.failures: list[int] = []
        self.tells_most = True

    def info(self) -> dict[str, Any]:
        told = {"max_client_batch_size": self.most} if self.tells_most else {}
        return {"model_id": self.model, "model_type": {"reranker": {}}, **told}

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        """Status, body, headers."""
        if self.failures:
            return (
                self.failures.pop(),
                {"error": "Model is overloaded", "error_type": "overloaded"},
                {},
            )
        if path in ("/embed", "/rerank"):
            return self._tei(path, body)
        if path in ("/v1/rerank", "/v1/score"):
            return self._vllm(path, body)
        return 404, {"detail": "Not Found"}, {}

    def _tei(self, path: str, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        texts = body["texts" if path == "/rerank" else "inputs"]
        before = len(body["query"].split()) if path == "/rerank" else 0
        lengths = [before + len(text.split()) for text in texts]
        told = {"error_type": "Validation"}
        if len(texts) > self.most:
            error = f"batch size {len(texts)} > maximum allowed batch size {self.most}"
            return 413, {"error": error, **told}, {}
        if max(lengths) > WORDS and not body["truncate"]:
            error = (
                f"Input validation error: `inputs` must have less than {WORDS} tokens. Given: "
                f"{max(lengths)}"
            )
            return 413, {"error": error, **told}, {}
        headers = {"x-compute-tokens": str(sum(min(length, WORDS) for length in lengths))}
        read = [" ".join(text.split()[: WORDS - before]) for text in texts]
        if path == "/embed":
            named = [
                f"{body['prompt_name']}: {text}" if "prompt_name" in body else text for text in read
            ]
            return (
                200,
                HashedWords(64).encode(named, "passage", lambda done: None)[0].tolist(),
                headers,
            )
        assert body["raw_scores"] is True
        rows = [
            {"index": place, "score": self.score(body["query"], text)}
            for place, text in enumerate(read)
        ]
        return 200, sorted(rows, key=lambda row: -row["score"]), headers

    def _vllm(self, path: str, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        reranks = path == "/v1/rerank"
        question, texts = (
            (body["query"], body["documents"]) if reranks else (body["text_1"], body["text_2"])
        )
        if body["model"] != self.model:
            return (
                404,
                {"error": {"message": f"The model `{body['model']}` does not exist.", "code": 404}},
                {},
            )
        room = WORDS - len(question.split())
        if (
            any(len(text.split()) > room for text in texts)
            and body.get("truncate_prompt_tokens") != -1
        ):
            return (
                400,
                {"error": {"message": f"maximum context length is {WORDS} tokens", "code": 400}},
                {},
            )
        assert body["use_activation"] is False
        read = [" ".join(text.split()[:room]) for text in texts]
        name = "relevance_score" if reranks else "score"
        rows = [
            {"index": place, name: self.score(question, text)} for place, text in enumerate(read)
        ]
        whole = {"id": "x", "model": self.model, "usage": {"total_tokens": 10 * len(texts)}}
        best = sorted(rows, key=lambda row: -row[name])
        return 200, {**whole, **({"results": best} if reranks else {"data": rows[::-1]})}, {}


@contextlib.contextmanager
def serving(server: TextServer) -> Iterator[str]:
    """Its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/info"
            self._send(200 if found else 404, server.info() if found else {}, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.requests.append((self.path, body))
            server.keys.add(self.headers["authorization"])
            self._send(*server.answer(self.path, body))

        def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {
                **headers,
                "content-type": "application/json",
                "content-length": len(data),
            }.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
