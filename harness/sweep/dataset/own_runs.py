"""A benchmark without texts: the questions of a gold file and the documents of run files."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from omegaconf import DictConfig, open_dict

from harness.benchmark import Benchmark
from harness.benchmark.source.records import Chain
from harness.core.configuration.overrides import Override
from harness.core.errors import HarnessError
from harness.core.identity import digest, file_sha256
from harness.evaluation.gold import Gold
from harness.evaluation.id_coverage import check_known
from harness.retriever.trec import Trec
from harness.work.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OwnRuns:
    """The questions of a gold file and the ids of run files; nothing that reads texts can be used.

    The hash of the data is that of the questions, their gold and its order as they are read,
    whatever the form of the file is. ``rel`` and ``chain`` are those of `harness evaluate`.

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
        runs = {}
        for source in self.lists.values():
            retriever = Trec(source, lenient=self.lenient) if isinstance(source, str) else source
            retriever.content()  # names a file that is not there
            runs[retriever.path] = retriever.read()
        check_known(runs, gold)
        documents = [gold.documents, *(run.doc_ids for run in runs.values())]
        ids = pc.unique(pa.chunked_array(documents, pa.string()))
        ids = ids.take(pc.array_sort_indices(ids))
        sha256 = _sha256(gold)
        splits = gold.given or [None] * len(gold)
        supporting = zip(gold.hops, gold.supporting, strict=True)
        queries = {
            "id": gold.query_ids,
            "question": [text or "" for text in gold.texts or [None] * len(gold)],
            "answers": pa.array([[]] * len(gold), pa.list_(pa.string())),
            "supporting_ids": gold.supporting,
            "hops": pa.array([hops or len(passages) for hops, passages in supporting], pa.int32()),
            "type": pa.array(gold.types, pa.string()),
            "extra": ["{}" if split is None else json.dumps({"split": split}) for split in splits],
        }
        corpus = pa.table({"id": ids, "title": ids, "text": pa.repeat("", len(ids))})
        left_out = {"queries": len(gold.nothing)} if gold.nothing else {}
        return Benchmark(
            name=re.sub(r"[^\w-]", "-", Path(self.gold).name.partition(".")[0]) or "gold",
            corpus=Dataset(corpus, fingerprint=sha256),
            queries=Dataset(pa.table(queries)),
            gold=gold.numbers(ids),
            chain=gold.has_last_hop.copy(),
            sha256=sha256,
            left_out=left_out,
            origin=self._origin(),
            ids_only=True,
        )

    def _origin(self) -> dict[str, str]:
        """Return the name and the hash of the gold file, for information."""
        path = Path(self.gold)
        return {"file": path.name, "sha256": file_sha256(path)} if path.is_file() else {}


def _sha256(gold: Gold) -> str:
    """Return the hash of what is read: questions by id with ordered gold, hop count and type."""
    rows = zip(
        gold.query_ids,
        gold.supporting,
        gold.has_last_hop.tolist(),
        gold.hops,
        gold.types,
        gold.given or [None] * len(gold),
        strict=True,
    )
    return digest(sorted(([*row] for row in rows), key=lambda row: str(row[0])))


def use_gold(config: DictConfig, overrides: Sequence[str]) -> None:
    """Set the split by ``splitting`` and the dataset by ``gold``, which belong to a sweep alone.

    Args:
        config: the configuration of a sweep, changed here.
        overrides: those that were typed.
    """
    keys = {Override.read(text).key for text in overrides}
    with open_dict(config):
        if (splitting := config.pop("splitting", None)) is not None:
            config.split = splitting
        if config.get("gold") is not None:
            _use_own_runs(config, keys)
            return
        config.pop("gold", None)
        if "dataset" not in keys and {*map(type, config.lists.values())} == {str}:
            raise HarnessError(
                "every list is a file, and which questions they answer is not known; give "
                "gold=FILE, or their benchmark, dataset=NAME"
            )


def _use_own_runs(config: DictConfig, keys: Collection[str]) -> None:
    """Replace the dataset by the gold file and the lists, and remove the parts that make lists."""
    if "own_runs" not in config.dataset.get("_target_", ""):
        raise HarnessError(
            "gold= is for runs without a corpus, and dataset= names one; leave one out"
        )
    for key in ("encoder", "extractor", "graph", "seeds", "relations"):
        config.pop(key, None)
    names = [str(name) for name in config.lists]
    if len(names) < 2 and "fuser" not in keys:
        raise HarnessError(
            f"lists has {names[0]} alone, and a sweep fuses two or more: "
            "lists={dense: d.trec, graph: g.trec}; `harness evaluate` scores one"
        )
    for name, node in config.lists.items():
        if not isinstance(node, str) and not str(node.get("_target_")).endswith(".Trec"):
            raise HarnessError(
                f"lists.{name} is not a run file; with gold= every list is one: "
                f"lists={{dense: d.trec, graph: g.trec}}, or leave it out with ~lists.{name}"
            )
    if "pool.lists" not in keys:
        config.pool.lists = names
