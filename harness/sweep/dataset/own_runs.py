"""A benchmark without texts: the questions of a gold file and the documents of run files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.benchmark import Benchmark
from harness.benchmark.source import Chain
from harness.core.identity import digest, file_sha256
from harness.evaluation.gold import Gold
from harness.retriever.trec import Trec
from harness.run import io
from harness.work.store import Store


@dataclass(frozen=True)
class OwnRuns:
    """The questions of a gold file and the ids of run files; nothing that reads texts can be used.

    The hash of the data is that of the gold file, whatever the lists are: evaluations of the same
    questions are counted together. ``rel`` and ``chain`` are those of `harness evaluate`.

    Args:
        gold: a file in any form that `harness evaluate` reads, or a benchmark.
        lists: the run file of each list, by name.
    """

    gold: str
    lists: Mapping[str, str | Trec]
    rel: int = 1
    chain: Chain | None = None
    lenient: bool = False

    def load(self, store: Store) -> Benchmark:
        """Return the questions, their gold, and the ids of all documents."""
        from datasets import Dataset

        gold = Gold.read(self.gold, self.lenient, self.chain, self.rel)
        documents = [gold.documents]
        for run in self.lists.values():
            one = Trec(run, lenient=self.lenient) if isinstance(run, str) else run
            one.content()  # names a file that is not there
            documents.append(io.read(one.path, one.lenient, one.columns).doc_ids)
        ids = pc.unique(pa.chunked_array(documents, pa.string()))
        ids = ids.take(pc.array_sort_indices(ids))
        sha256 = self._sha256(gold)
        given = gold.given or [None] * len(gold)
        supporting = zip(gold.hops, gold.supporting, strict=True)
        queries = {
            "id": gold.query_ids,
            "question": gold.query_ids,
            "answers": pa.array([[]] * len(gold), pa.list_(pa.string())),
            "supporting_ids": gold.supporting,
            "hops": pa.array([hops or len(passages) for hops, passages in supporting], pa.int32()),
            "type": pa.array(gold.types, pa.string()),
            "extra": ["{}" if split is None else json.dumps({"split": split}) for split in given],
        }
        corpus = pa.table({"id": ids, "title": ids, "text": pa.repeat("", len(ids))})
        return Benchmark(
            name=re.sub(r"[^\w-]", "-", Path(self.gold).name.partition(".")[0]) or "gold",
            corpus=Dataset(corpus, fingerprint=sha256),
            queries=Dataset(pa.table(queries)),
            gold=gold.numbers(ids),
            chain=gold.has_last_hop.copy(),
            sha256=sha256,
            left_out={"queries": len(gold.nothing)} if gold.nothing else {},
            ids_only=True,
        )

    def _sha256(self, gold: Gold) -> str:
        """Return the hash of the gold file."""
        if not Path(self.gold).is_file():
            return digest([gold.query_ids, gold.supporting, gold.has_last_hop.tolist()])
        sha256 = file_sha256(Path(self.gold))
        read = [self.rel, self.chain]
        return sha256 if read == [1, None] else digest([sha256, *read])
