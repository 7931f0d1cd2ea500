"""A data set of the Hugging Face Hub in BEIR's form: configurations ``corpus`` and ``queries``, and
judgements.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.benchmark import Benchmark
from harness.benchmark.source.hub import load_table
from harness.benchmark.source.judgements import join_judgements, judged_benchmark
from harness.benchmark.source.records import Record
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class Hf:
    """A data set in BEIR's form.

    Its columns are ``_id``, ``title``, ``text``; ``_id``, ``text``; ``query-id``, ``corpus-id``,
    ``score``.

    Attributes:
        path: the repository (``BeIR/hotpotqa``), or a local folder or server that the library
            `datasets` loads.
        qrels: the repository of the judgements (``BeIR/hotpotqa-qrels``); ``null`` is ``path`` with
            configuration ``default``.
        split: the split of the judgements, or several, ``[dev, test]``. Each query keeps its own,
            which `split=given` uses.
        revision: commit or tag; ``null`` is the newest.
    """

    path: str | None = None
    qrels: str | None = None
    split: str | Sequence[str] = "test"
    revision: str | None = None

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark (see ``harness.benchmark.source.judged_benchmark``)."""
        if not self.path:
            raise HarnessError(
                "dataset.path is not set; e.g. dataset=hf dataset.path=BeIR/hotpotqa"
            )
        named = [self.split] if isinstance(self.split, str) else list(self.split)
        if not named:
            raise HarnessError(
                "dataset.split=[]: name one split of the judgements at least, e.g. [dev,test]"
            )
        queries, _ = self._part(self.path, "queries", "queries", ("_id", "text"))
        columns = ("query-id", "corpus-id", "score")
        qrels = {
            split: self._part(self.qrels or self.path, "default", split, columns)[0]
            for split in named
        }
        corpus, origin = self._part(self.path, "corpus", "corpus", ("_id", "text"))
        judged, splits = join_judgements(
            (split, map(_judgement, rows)) for split, rows in qrels.items()
        )
        texts = {str(row["_id"]): str(row["text"]) for row in queries}
        asked = {name: text for name, text in texts.items() if name in judged}
        benchmark = judged_benchmark(self.path, _passages(corpus), asked, judged, store, splits)
        return dataclasses.replace(benchmark, origin=origin)

    def _part(
        self, path: str, name: str, split: str, columns: tuple[str, ...]
    ) -> tuple[Any, dict[str, str]]:
        table, facts = load_table(path, name, split, self.revision)
        if missing := [column for column in columns if column not in table.column_names]:
            raise HarnessError(
                f"{path}, {name}: no column {', '.join(missing)}; it has "
                f"{', '.join(table.column_names)}, expected "
                f"BEIR's {', '.join(columns)}"
            )
        return table, facts


def _judgement(row: Record) -> tuple[str, str, int]:
    return str(row["query-id"]), str(row["corpus-id"]), int(row["score"])


def _passages(corpus: Any) -> Iterator[Record]:
    for batch in corpus.iter(1000):
        titles = batch.get("title") or [""] * len(batch["_id"])
        for name, title, text in zip(batch["_id"], titles, batch["text"], strict=True):
            yield {"id": str(name), "title": str(title or ""), "text": str(text)}
