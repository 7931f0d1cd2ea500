"""Dense retrieval: passages by the cosine of their embedding with the question's (PhaseGraph
3.1).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, evenly
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, whole_number
from harness.core.identity import LATER, identity, texts_sha256
from harness.model.encoder import Encoder, embed, find_cut
from harness.retriever.search.exact import exact_search, nearest_rows
from harness.retriever.search.index import build, save, search
from harness.run import Run
from harness.work.latency import time_alone
from harness.work.store import Store

DEPTH = 100
"""Number of passages of a question for the recall."""
AIM = 0.98
"""The recall below which a caution is printed."""
WIDTHS: Mapping[str, str] = {"nprobe": "IVF", "efSearch": "HNSW"}
"""FAISS's names of the width of a search, with the kind of index."""
QUESTIONS = 100
"""Number of evenly chosen questions for the recall."""


@dataclass(frozen=True)
class Dense:
    """score(q, d) = <e_q, e_d> of vectors of length 1, float64, in [-1, 1].

    Attributes:
        encoder: the encoder.
        depth: number of passages of a question.
        index: a FAISS ``index_factory`` string; ``Flat`` is exact search. An index that is not
            exact has its ``recall`` in the facts (see ``Recall``) and in every table of a sweep.
        nprobe: number of searched lists of an inverted file (IVF), FAISS's default.
        efSearch: number of neighbours that an HNSW index keeps while searching, FAISS's default.
    """

    version = 1
    least: ClassVar[float] = -1.0

    encoder: Encoder
    depth: int = 10
    index: str = "Flat"
    nprobe: int = field(default=1, metadata=LATER)
    efSearch: int = field(default=16, metadata=LATER)

    def __post_init__(self) -> None:
        for name in ("depth", "nprobe", "efSearch"):
            whole_number(f"lists.NAME.{name}", getattr(self, name), 1)
        for name, kind in WIDTHS.items():
            if getattr(self, name) != getattr(type(self), name) and kind not in self.index:
                raise HarnessError(
                    f"lists.NAME.{name}={getattr(self, name)}: index={self.index} does not read "
                    f"it, {kind} does; leave it out, or name such an index"
                )

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the ``depth`` best passages of every question."""
        passages = embed(self.encoder, benchmark.passages, "passage", store)
        questions = embed(self.encoder, benchmark.questions, "question", store)
        name = self.index
        facts: dict[str, object] = {
            "index": name,
            "exact": name == "Flat",
            "dimension": passages.shape[1],
        }
        cut, tokens = find_cut(self.encoder, benchmark.passages, "passage", store)
        gold = np.unique(benchmark.gold[benchmark.gold >= 0])
        facts["odd"] = {
            f"passages of which only the first {tokens} tokens are read": int(cut.sum()),
            f"gold passages of which only the first {tokens} are read": int(cut[gold].sum()),
        }
        if name == "Flat":
            find = functools.partial(exact_search, passages, depth=self.depth)
        else:
            import faiss

            index, recall = self._stored(benchmark, passages, store), Recall(passages, questions)
            keys = []
            for width in (width for width, kind in WIDTHS.items() if kind in name):
                faiss.ParameterSpace().set_index_parameter(index, width, getattr(self, width))
                keys.append(f"raise lists.NAME.{width} (now {getattr(self, width)})")
            facts["recall"] = {
                "index": name,
                "recall@100": recall(index),
                "questions": len(recall.questions),
                "mend": ", or ".join([*keys, "take lists.NAME.index=Flat"]),
            }
            find = functools.partial(search, index, passages, depth=self.depth)
        docs, scores = find(questions=questions)
        time_alone(lambda query: find(questions=questions[query : query + 1]), len(questions))
        is_passage = docs >= 0
        rows = np.repeat(np.arange(len(docs)), is_passage.sum(axis=1))
        run = Run.of(
            benchmark.query_ids, benchmark.doc_ids, rows, docs[is_passage], scores[is_passage]
        )
        return run, facts

    def _stored(self, benchmark: Benchmark, passages: Any, store: Store) -> Any:
        import faiss

        def write(folder: Path) -> None:
            save(build(passages, self.index), folder / "index.faiss")

        config = {"encoder": identity(self.encoder), "index": self.index}
        artifact = store.get("index", config, {"passages": texts_sha256(benchmark.passages)}, write)
        return faiss.read_index(str(artifact.path / "index.faiss"))


class Recall:
    """The recall@100 of an index: the share of the ``DEPTH`` best passages of ``QUESTIONS``
    questions that it finds.
    """

    def __init__(self, passages: Float32Array, questions: Float32Array) -> None:
        chosen = evenly(len(questions), QUESTIONS)
        self.passages, self.questions = passages, questions[chosen]
        self.exact = nearest_rows(passages, self.questions, DEPTH)[0]

    def __call__(self, index: Any) -> float:
        """Return the recall, in [0, 1]."""
        retrieved = search(index, self.passages, self.questions, DEPTH)[0]
        hits = [
            np.isin(row, retrieved_row).sum()
            for row, retrieved_row in zip(self.exact, retrieved, strict=True)
        ]
        return round(float(np.sum(hits)) / max(self.exact.size, 1), 4)
