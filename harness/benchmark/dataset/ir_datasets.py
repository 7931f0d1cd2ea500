"""Any collection of the library ir_datasets that has documents, queries and judgements."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.benchmark import Benchmark
from harness.benchmark.source.judged import benchmark
from harness.benchmark.source.records import Record
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class IrDatasets:
    """The collection ``id``, e.g. ``beir/hotpotqa/dev``, which the library downloads and keeps (``IR_DATASETS_HOME``).

    A passage's title is the document's field ``title`` where it has one, its text the field ``text``, else the
    library's default text; a question is the query's default text.
    """

    id: str | None = None

    def load(self, store: Store) -> Benchmark:
        """See ``harness.benchmark.source.judged.benchmark``."""
        try:
            import ir_datasets
        except ImportError as error:
            raise HarnessError(
                "dataset=ir_datasets needs that library: pip install 'multihop-harness[collections]'"
            ) from error
        if not self.id:
            raise HarnessError("dataset.id is not set; e.g. dataset=ir_datasets dataset.id=beir/hotpotqa/dev")
        try:
            found = ir_datasets.load(self.id)
        except KeyError as error:
            raise HarnessError(f"dataset.id={self.id}: ir_datasets knows no such collection") from error
        lacks = [part for part in ("docs", "queries", "qrels") if not getattr(found, f"has_{part}")()]
        if lacks:
            raise HarnessError(f"dataset.id={self.id}: the collection has no {' and no '.join(lacks)}")
        questions = {str(query.query_id): query.default_text() for query in found.queries_iter()}
        judged: dict[str, dict[str, int]] = {}
        for one in found.qrels_iter():
            judged.setdefault(str(one.query_id), {})[str(one.doc_id)] = int(one.relevance)
        return benchmark(self.id, functools.partial(_passages, found), questions, judged, store)


def _passages(found: Any) -> Iterator[Record]:
    for document in found.docs_iter():
        text = getattr(document, "text", None)
        yield {
            "id": str(document.doc_id),
            "title": str(getattr(document, "title", "") or ""),
            "text": str(document.default_text() if text is None else text),
        }
