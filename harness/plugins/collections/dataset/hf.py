"""A data set of the Hugging Face Hub in BEIR's form: configurations ``corpus`` and ``queries``, and
judgements.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.benchmark.source import Record, join_judgements, judged_benchmark
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class Hf:
    """``path``: the repository (``BeIR/hotpotqa``), or a local folder or server that the library
    `datasets` loads.

    qrels: repository of the judgements, where they have one of their own (``BeIR/hotpotqa-qrels``);
    ``null`` is the
    same with configuration ``default``.    split: of the judgements, or several, ``[dev, test]``;
    each query keeps its
    own, which `split=given` uses.    revision: commit or tag; ``null`` is the newest. Columns are
    BEIR's: ``_id``, ``title``, ``text``; ``_id``, ``text``; ``query-id``, ``corpus-id``, ``score``.
    """

    path: str | None = None
    qrels: str | None = None
    split: str | Sequence[str] = "test"
    revision: str | None = None

    def load(self, store: Store) -> Benchmark:
        """See ``harness.benchmark.source.judged_benchmark``."""
        if not self.path:
            raise HarnessError(
                "dataset.path is not set; e.g. dataset=hf dataset.path=BeIR/hotpotqa"
            )
        queries = self._part(self.path, "queries", "queries", ("_id", "text"))
        named = [self.split] if isinstance(self.split, str) else list(self.split)
        if not named:
            raise HarnessError(
                "dataset.split=[]: name one split of the judgements at least, e.g. [dev,test]"
            )
        columns = ("query-id", "corpus-id", "score")
        found = {
            split: self._part(self.qrels or self.path, "default", split, columns) for split in named
        }
        corpus = self._part(self.path, "corpus", "corpus", ("_id", "text"))
        judged, splits = join_judgements(
            (split, map(_judgement, rows)) for split, rows in found.items()
        )
        asked = {name: str(row["text"]) for row in queries if (name := str(row["_id"])) in judged}
        key = self.path if self.split == "test" else f"{self.path} split={','.join(named)}"
        return judged_benchmark(
            self.path, functools.partial(_passages, corpus), asked, judged, store, splits, key
        )

    def _part(self, path: str, name: str, split: str, columns: tuple[str, ...]) -> Any:
        from datasets import load_dataset

        try:
            found = load_dataset(path, name, split=split, revision=self.revision)
        except (OSError, ValueError) as error:
            raise HarnessError(
                f"dataset.path={path}: no split {split} of configuration {name} "
                f"({str(error).splitlines()[0]})"
                f"{f'; a folder of BEIR is dataset=folder dataset.path={path}' if Path(path).is_dir() else ''}"  # noqa: E501
            ) from error
        if missing := [column for column in columns if column not in found.column_names]:
            raise HarnessError(
                f"{path}, {name}: no column {', '.join(missing)}; it has "
                f"{', '.join(found.column_names)}, expected "
                f"BEIR's {', '.join(columns)}"
            )
        return found


def _judgement(row: Record) -> tuple[str, str, int]:
    return str(row["query-id"]), str(row["corpus-id"]), int(row["score"])


def _passages(corpus: Any) -> Iterator[Record]:
    for batch in corpus.iter(1000):
        titles = batch.get("title") or [""] * len(batch["_id"])
        for name, title, text in zip(batch["_id"], titles, batch["text"], strict=True):
            yield {"id": str(name), "title": str(title or ""), "text": str(text)}
