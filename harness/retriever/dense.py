"""Dense retrieval: passages by the cosine of their embedding with the question's
(PhaseGraph 3.1).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, whole_number
from harness.core.identity import LATER, identity, texts_sha256
from harness.model.encoder import Encoder, embed
from harness.retriever.search.exact import exact_search, nearest_rows
from harness.retriever.search.index import build, load, save, search, widen
from harness.run import Run
from harness.work.latency import time_alone
from harness.work.store import Store

DEPTH = 100
"""Passages of a question of which the recall is told."""
AIM = 0.98
"""The recall below which a caution is given."""
WIDTHS: Mapping[str, str] = {"nprobe": "IVF", "efSearch": "HNSW"}
"""How much of an index of a kind is searched, by FAISS's name of it."""
QUESTIONS = 100
"""Evenly chosen, on which the recall is measured."""
LARGE = 250_000
"""Passages up to which ``auto`` searches exactly, however many questions there are."""
ROUNDS, TRAINED = 10, 256
"""Of FAISS's k-means: its iterations, and the vectors of a list that it is trained on, at most."""


@dataclass(frozen=True)
class Dense:
    """score(q, d) = <e_q, e_d> of vectors of length 1, float64, in [-1, 1].

    depth: passages a question.    index: a FAISS ``index_factory`` string; ``Flat`` is exact
    search. ``auto`` is exact up to 250,000 passages, and above where that takes fewer products of
    vectors than an inverted file (``auto_index``), of which as many lists are searched as a recall
    of .98 takes. An index that is not exact has its ``recall`` in the facts (see ``Recall``), and
    every table of a sweep tells it.
    nprobe: how many lists of an inverted file (IVF) are searched.    efSearch: how many neighbours
    an HNSW index keeps while it searches. Both are FAISS's, with its defaults.
    """

    version: ClassVar[int] = 1

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

    def content(self) -> str | None:
        """Of ``auto``: by what it chooses, which was the number of passages alone."""
        return "passages and questions" if self.index == "auto" else None

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """The ``depth`` best passages of every question."""
        passages = np.asarray(embed(self.encoder, benchmark.passages, "passage", store))
        questions = np.asarray(embed(self.encoder, benchmark.questions, "question", store))
        name = auto_index(len(passages), len(questions)) if self.index == "auto" else self.index
        facts: dict[str, object] = {
            "index": name,
            "exact": name == "Flat",
            "dimension": passages.shape[1],
        }
        if name == "Flat":
            find = functools.partial(exact_search, passages, depth=self.depth)
        else:
            index, recall = (
                self._stored(name, benchmark, passages, store),
                Recall(passages, questions),
            )
            read = [width for width, kind in WIDTHS.items() if kind in name]
            if self.index == "auto":
                facts["lists_searched"] = recall.probe(index)
            else:
                for width in read:
                    widen(index, width, getattr(self, width))
            share = recall(index)
            keys = [f"raise lists.NAME.{width} (now {getattr(self, width)})" for width in read]
            facts["recall"] = {
                "index": name,
                "recall@100": share,
                "questions": len(recall.questions),
                "mend": ", or ".join([*keys, "take lists.NAME.index=Flat"]),
            }
            find = functools.partial(search, index, passages, depth=self.depth)
        docs, scores = find(questions=questions)
        time_alone(lambda query: find(questions=questions[query : query + 1]), len(questions))
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


def auto_index(passages: int, questions: int) -> str:
    """An inverted file of L = 4 sqrt(D) lists of float16 vectors, or ``Flat``: exact search, where
    that is less work.

    In products of two vectors: exact search of Q questions takes Q D, an inverted file L (10 min(D,
    256 L) + D) before its first question, for k-means and for putting passages into lists. So it
    pays from 44,000 questions on for a million passages, from 50,000 for five million.
    """
    lists = round(4 * math.sqrt(passages))
    built = lists * (ROUNDS * min(passages, TRAINED * lists) + passages)
    return "Flat" if passages <= LARGE or questions * passages <= built else f"IVF{lists},SQfp16"


class Recall:
    """recall@100 of an index: the share of the ``DEPTH`` best passages of ``QUESTIONS`` questions
    that it finds.
    """

    def __init__(self, passages: NDArray[np.float32], questions: NDArray[np.float32]) -> None:
        chosen = np.unique(
            np.linspace(0, len(questions) - 1, min(QUESTIONS, len(questions))).astype(np.int64)
        )
        self.passages, self.questions = passages, questions[chosen]
        self.exact = nearest_rows(passages, self.questions, DEPTH)[0]

    def __call__(self, index: Any) -> float:
        """In [0, 1]."""
        found = search(index, self.passages, self.questions, DEPTH)[0]
        hits = [np.isin(row, mine).sum() for row, mine in zip(self.exact, found, strict=True)]
        return round(float(np.sum(hits)) / max(self.exact.size, 1), 4)

    def probe(self, index: Any) -> int:
        """Search as many lists of an inverted file, a power of 2, as the recall of ``AIM`` takes,
        and set it so.
        """
        import faiss

        inverted = faiss.extract_index_ivf(index)
        inverted.nprobe = 1
        while self(index) < AIM and inverted.nprobe < inverted.nlist:
            inverted.nprobe = min(2 * inverted.nprobe, inverted.nlist)
        probes: int = inverted.nprobe
        return probes
