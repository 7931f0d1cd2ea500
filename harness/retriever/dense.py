"""Dense retrieval: passages by the cosine of their embedding with the question's (PhaseGraph 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.core.errors import bounded
from harness.core.identity import identity, texts_sha256
from harness.model.encoder import Encoder, embed
from harness.retriever.search.index import build, exact_search, load, save, search
from harness.retriever.search.recall import Recall, auto_index
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class Dense:
    """score(q, d) = <e_q, e_d> of vectors of length 1, float64, in [-1, 1].

    depth: passages a question.    index: a FAISS ``index_factory`` string; ``Flat`` is exact search. ``auto`` is exact
    up to 250,000 passages, above it an inverted file of which as many lists are searched as a recall of .98 takes.
    An index that is not exact has its ``recall`` in the facts (see ``Recall``), and every table of a sweep tells it.
    """

    encoder: Encoder
    depth: int = 10
    index: str = "Flat"

    def __post_init__(self) -> None:
        bounded("lists.NAME.depth", self.depth, 1)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """The ``depth`` best passages of every question."""
        passages = np.asarray(embed(self.encoder, benchmark.passages, "passage", store))
        questions = np.asarray(embed(self.encoder, benchmark.questions, "question", store))
        name = auto_index(len(passages)) if self.index == "auto" else self.index
        facts: dict[str, Any] = {"index": name, "exact": name == "Flat", "dimension": passages.shape[1]}
        if name == "Flat":
            docs, scores = exact_search(passages, questions, self.depth)
        else:
            index, recall = self._stored(name, benchmark, passages, store), Recall(passages, questions)
            if self.index == "auto":
                facts["lists_searched"] = recall.probe(index)
            facts["recall"] = {"index": name, "recall@100": recall(index), "questions": len(recall.questions)}
            docs, scores = search(index, passages, questions, self.depth)
        found = docs >= 0
        rows = np.repeat(np.arange(len(docs)), found.sum(axis=1))
        run = Run.of(benchmark.query_ids, benchmark.doc_ids, rows, docs[found], scores[found])
        return run, facts

    def _stored(self, name: str, benchmark: Benchmark, passages: Any, store: Store) -> Any:
        def write(folder: Path) -> None:
            save(build(passages, name), folder / "index.faiss")

        config = {"encoder": identity(self.encoder), "index": name}
        artifact = store.get("index", config, {"passages": texts_sha256(benchmark.passages)}, write)
        return load(artifact.path / "index.faiss")
