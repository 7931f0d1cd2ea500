"""A retriever over a corpus shared with other benchmarks, to compare with isolation
(PhaseGraph 8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.dataset import Dataset
from harness.core.artifact import Facts
from harness.core.identity import texts_sha256
from harness.retriever import Retriever
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class Mixed:
    """The retriever's run over the passages of this and other benchmarks, with foreign ones
    dropped.

    Foreign passages dilute entities, walks and neighbours. That they would also take places in a
    list is not counted.

    Args:
        retriever: the retriever.
        others: datasets by name; the benchmark itself is left out of them.
    """

    version = 1
    retriever: Retriever
    others: Mapping[str, Dataset] = field(default_factory=dict)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the run over the benchmark's passages, and the number of foreign ones."""
        benchmarks = [other.load(store) for other in self.others.values()]
        foreign = [other for other in benchmarks if other.sha256 != benchmark.sha256]
        whole = union(benchmark, foreign)
        run, facts = self.retriever.retrieve(whole, store)
        places = {name: place for place, name in enumerate(benchmark.doc_ids.to_pylist())}
        back = np.array([places.get(name, -1) for name in whole.doc_ids.to_pylist()], np.int32)
        docs = back[run.docs]
        is_own = docs >= 0
        query = np.repeat(np.arange(len(run)), run.lengths())[is_own]
        passages, dropped = int((back < 0).sum()), int((~is_own).sum())
        counts = {"foreign_passages": passages, "foreign_dropped": dropped}
        lists = Run.of(
            benchmark.query_ids, benchmark.doc_ids, query, docs[is_own], run.scores[is_own]
        )
        return lists, {**facts, **counts}


def union(benchmark: Benchmark, others: list[Benchmark]) -> Benchmark:
    """Return the benchmark's queries over all passages. Ids of foreign ones start with their
    benchmark.
    """
    import datasets

    columns = {key: list(benchmark.corpus[key][:]) for key in ("id", "title", "text")}
    for other in others:
        columns["id"] += [f"{other.name}/{name}" for name in other.corpus["id"][:]]
        for key in ("title", "text"):
            columns[key] += list(other.corpus[key][:])
    order = sorted(range(len(columns["id"])), key=columns["id"].__getitem__)
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    gold = np.where(
        benchmark.gold >= 0, places[np.maximum(benchmark.gold, 0)], benchmark.gold
    ).astype(np.int32)
    corpus = datasets.Dataset.from_dict(
        {key: list(map(column.__getitem__, order)) for key, column in columns.items()}
    )
    sha256 = texts_sha256(
        [benchmark.sha256, *(part for other in others for part in (other.name, other.sha256))]
    )
    name = "+".join([benchmark.name, *(other.name for other in others)])
    return Benchmark(name, corpus, benchmark.queries, gold, benchmark.chain, sha256)
