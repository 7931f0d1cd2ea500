"""A reranker behind a server: Text Embeddings Inference, vLLM, or another with Cohere's or Jina's
``/rerank``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.core.configuration import REACHES
from harness.core.errors import bounded, one_of
from harness.core.identity import NO_RESULT
from harness.core.table import counted
from harness.fusion.reranker.text_reranker import Pair, TextReranker
from harness.plugins.llm.endpoint.texts import TextClient, TextEndpoint, by_index


@dataclass(frozen=True)
class Api:
    """How a server is asked: the names of question, passages and scores, and what asks for logits
    and for cutting.

    rows: where the scores are in the answer; empty where the answer is their list.
    """

    path: str
    question: str
    passages: str
    rows: str
    score: str
    raw: Mapping[str, object]
    whole: Mapping[str, object]
    cut: Mapping[str, object]


VLLM: dict[str, Mapping[str, object]] = {
    "raw": {"use_activation": False},
    "whole": {},
    "cut": {"truncate_prompt_tokens": -1},
}
APIS = {
    "tei": Api(
        "/rerank",
        "query",
        "texts",
        "",
        "score",
        raw={"raw_scores": True},
        whole={"truncate": False},
        cut={"truncate": True},
    ),
    "rerank": Api("/rerank", "query", "documents", "results", "relevance_score", **VLLM),
    "score": Api("/score", "text_1", "text_2", "data", "score", **VLLM),
}


@dataclass(frozen=True)
class EndpointReranker(TextEndpoint, TextReranker):
    """s = the score of a server's model. How s meets the fused score is that of every reranker that
    reads: blend, m.

    model: as the server calls it.    api: ``tei``, Text Embeddings Inference; ``rerank``, vLLM and
    others with Cohere's
    form of request; ``score``, vLLM's other form.    raw: ask for logits, where the server knows
    how (TEI, vLLM): probabilities near 1 become equal in float32. Hosted servers that refuse
    unknown fields need ``raw=false``.
    truncate: a pair that the server finds too long is asked for again, cut by the server, and
    counted; false stops.
    price: of a million tokens, for the sum that is said where the server counts them.
    """

    concept: ClassVar[str] = "reranker"

    model: str = field(default="BAAI/bge-reranker-v2-m3", metadata=REACHES)
    api: str = "tei"
    raw: bool = True
    truncate: bool = True
    price: float = field(default=0.0, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        TextReranker.__post_init__(self)
        TextEndpoint.__post_init__(self)
        one_of("reranker.api", self.api, tuple(APIS))
        bounded("reranker.price", self.price, 0)

    def open(self) -> Server:
        """Make the client; TEI is asked which model it serves."""
        return Server(self)

    def order(self, pair: Pair) -> Any:
        """By question: a request has one."""
        return pair[0]

    def limit(self) -> str:
        """The server's."""
        return f"by the server to what {self.model} reads (reranker.truncate)"


class Server:
    """The client of a server. See ``harness.fusion.reranker.text_reranker.Model``."""

    def __init__(self, judge: EndpointReranker) -> None:
        self.judge, self.api = judge, APIS[judge.api]
        self.client = TextClient(judge, judge.truncate)
        self.tokens: list[int] = []
        if judge.api == "tei":
            self.client.check_tei()

    def score(
        self, pairs: Sequence[Pair], advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Requests of one question each, with at most ``batch_size`` of its passages."""
        asked: dict[str, list[int]] = defaultdict(list)
        for row, (question, _) in enumerate(pairs):
            asked[question].append(row)
        size = self.client.size
        batches = [
            rows[start : start + size]
            for rows in asked.values()
            for start in range(0, len(rows), size)
        ]

        def send(rows: Sequence[int], cut: bool) -> list[float]:
            return self._request(pairs[rows[0]][0], [pairs[row][1] for row in rows], cut)

        answers = self.client.ask(batches, send, advance)
        found, shortened = np.empty(len(pairs)), np.empty(len(pairs), dtype=np.bool_)
        order = [row for rows in batches for row in rows]
        found[order], shortened[order] = zip(*answers, strict=True)
        return found, shortened

    def spent(self) -> str:
        """Requests, and tokens and what they cost where the server counts them."""
        tokens = sum(self.tokens)
        cost = f", cost {tokens * self.judge.price / 1e6:g}" if self.judge.price else ""
        told = f"{counted(tokens, 'token')}{cost}" if tokens else "the server counts no tokens"
        return (
            f"{self.judge.model} at {self.judge.base_url}: "
            f"{counted(len(self.tokens), 'request')}, {told}"
        )

    def _request(self, question: str, passages: list[str], cut: bool) -> list[float]:
        api = self.api
        request = {
            "model": self.judge.model,
            api.question: question,
            api.passages: passages,
            **(api.raw if self.judge.raw else {}),
            **(api.cut if cut else api.whole),
        }
        return self.client.endpoint.post(
            api.path, request, lambda answer, headers: self._read(answer, headers, len(passages))
        )

    def _read(self, answer: Any, headers: Mapping[str, str], count: int) -> list[float]:
        rows = answer[self.api.rows] if self.api.rows else answer
        scores = by_index(rows, self.api.score, count)
        if not all(map(math.isfinite, scores)):
            raise ValueError("a score is no finite number")
        usage, model = (
            ({}, "")
            if isinstance(answer, list)
            else (answer.get("usage") or {}, answer.get("model"))
        )
        self.tokens.append(int(usage.get("total_tokens") or headers.get("x-compute-tokens") or 0))
        self.client.note_model(model)
        return scores
