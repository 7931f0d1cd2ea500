"""A user's own benchmark: a folder of prepared files (``dataset=folder dataset.path=DIR``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.benchmark import Benchmark, Texts
from harness.benchmark.source.assembly import assemble, check_gold
from harness.benchmark.source.chain import Chain, check_chain
from harness.benchmark.source.lock import Lock
from harness.benchmark.source.prepared import read_prepared, read_prepared_corpus, read_prepared_queries
from harness.benchmark.source.records import check_queries
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class Folder:
    """The benchmark in ``path``: ``corpus.jsonl`` and ``queries.jsonl``, plain or ``.gz``; named like the folder.

    chain: of which questions the hop order is known, so that they have a last hop: ``all``, ``none``, or
    ``{field: [values]}`` over the query's fields.
    """

    path: str | None = None
    chain: Chain = "all"

    def __post_init__(self) -> None:
        check_chain("dataset.chain", self.chain)

    def load(self, store: Store) -> Benchmark:
        """The benchmark; its hash is remembered in the runs and checked from then on."""
        folder = self._folder()
        found = read_prepared(folder, store.root)
        if found is None:
            raise HarnessError(
                f"{folder}: {'no such folder' if not folder.is_dir() else 'no prepared files here'}; "
                "expected corpus.jsonl and queries.jsonl (or .jsonl.gz)"
            )
        benchmark = assemble(folder.name, *found, self.chain)
        name = str(folder) if self.chain == "all" else f"{folder} chain={self.chain}"  # the hash covers the rule
        Lock.of(store).hold(name, {"sha256": benchmark.sha256}, f"the benchmark in {folder}")
        return benchmark.without_order(~benchmark.chain)

    def texts(self) -> Texts:
        """What the two files say, without storing anything; ``queries.jsonl`` may be missing, and its gold, too."""
        folder = self._folder()
        corpus, queries = read_prepared_corpus(folder), read_prepared_queries(folder)
        _, titles, texts = (column.to_pylist() for column in corpus.table.columns)
        if queries is None:
            return Texts(folder.name, titles, texts)
        check_queries(queries, {"id": str, "question": str})
        rows = queries.values
        judged = any("supporting_ids" in row for row in rows)
        gold, chain = check_gold(corpus, queries, self.chain) if judged else (None, None)
        return Texts(
            folder.name,
            titles,
            texts,
            query_ids=[row["id"] for row in rows],
            questions=[row["question"] for row in rows],
            hops=[row.get("hops", len(row.get("supporting_ids", ()))) for row in rows],
            given=[row.get("split") for row in rows],
            gold=gold,
            chain=chain,
            ordered=chain,
        )

    def _folder(self) -> Path:
        if not self.path:
            raise HarnessError("dataset.path is not set; name the folder: dataset=folder dataset.path=DIR")
        return Path(str(self.path)).expanduser().resolve()  # typed, a folder called 2024 is a number
