"""A retriever over part of the corpus, as if the corpus were smaller (PhaseGraph 7, pool
explosion).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from harness.benchmark import Benchmark
from harness.core.arrays import Int64Array
from harness.core.artifact import Facts
from harness.core.errors import bounded
from harness.core.identity import texts_sha256
from harness.retriever import Retriever
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class Part:
    """The retriever's run over the supporting passages and a share of all others.

    Another passage is kept if the MD5 of its id, as a fraction of 2^128, is below ``share``. The
    choice depends on the id alone, and a smaller part lies within a greater one. With share 1 it is
    the retriever's run.

    Args:
        retriever: the retriever.
        share: in (0, 1].
    """

    version = 1
    retriever: Retriever
    share: float = 0.5

    def __post_init__(self) -> None:
        bounded("lists.NAME.share", self.share, 0, 1, open_low=True)

    @property
    def practical(self) -> bool:
        """Whether it can be used in practice: the choice of a smaller part needs the gold."""
        return self.share == 1

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the run over the benchmark's passages, of which only the part is found, and its
        size.
        """
        passages = members(benchmark, self.share)
        run, facts = self.retriever.retrieve(part(benchmark, passages), store)
        lists = Run(
            run.query_ids,
            benchmark.doc_ids,
            run.indptr,
            passages[run.docs].astype(np.int32),
            run.scores,
        )
        return lists, {**facts, "passages": len(passages)}


def members(benchmark: Benchmark, share: float) -> Int64Array:
    """Return int64[n], the numbers of the passages of a part, ascending."""
    names = (name.encode() for name in benchmark.doc_ids.to_pylist())
    hashes = (hashlib.md5(name, usedforsecurity=False).hexdigest() for name in names)
    fraction = np.array([int(digest, 16) / 2**128 for digest in hashes])
    is_member = (fraction < share) | (share == 1)
    is_member[benchmark.gold[benchmark.gold >= 0]] = True
    return np.flatnonzero(is_member)


def part(benchmark: Benchmark, passages: Int64Array) -> Benchmark:
    """Return the benchmark with these passages only, which include all that support its
    questions.
    """
    place = np.full(len(benchmark.doc_ids) + 1, -1, dtype=np.int32)
    place[passages] = np.arange(len(passages), dtype=np.int32)
    ids = benchmark.doc_ids.take(pa.array(passages)).to_pylist()
    sha256 = (
        benchmark.sha256
        if len(passages) == len(benchmark.doc_ids)
        else texts_sha256([benchmark.sha256, *ids])
    )
    corpus = benchmark.corpus.select(passages)
    name = f"{benchmark.name} ({len(passages)} passages)"
    gold = np.where(benchmark.gold < 0, benchmark.gold, place[benchmark.gold])
    return Benchmark(name, corpus, benchmark.queries, gold, benchmark.chain, sha256)
