"""Collections of the library ir_datasets that have documents, queries and judgements."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.benchmark import MEANING, Benchmark
from harness.benchmark.source.judgements import join_judgements, judged_benchmark
from harness.benchmark.source.records import Record
from harness.core.configuration.extras import need
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class IrDatasets:
    """The collection ``id``, such as ``beir/hotpotqa/dev``, which the library downloads and keeps.

    Several collections, ``[beir/fiqa/dev, beir/fiqa/test]``, are one benchmark if their documents
    are the same. A query's ``split``, for `split=given`, is the last part of its collection's id
    that is the name of a split, otherwise the id. A passage's title is the document's field
    ``title`` if there is one, its text the field ``text``, otherwise the library's default text; a
    question is the query's default text. The folder is ``IR_DATASETS_HOME``.
    """

    id: str | Sequence[str] | None = None

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark. See ``harness.benchmark.source.judged_benchmark``."""
        ir_datasets = need("ir_datasets", "dataset=ir_datasets", "collections")
        from requests import RequestException

        if not self.id:
            raise HarnessError(
                "dataset.id is not set; e.g. dataset=ir_datasets dataset.id=beir/hotpotqa/dev"
            )
        named = [self.id] if isinstance(self.id, str) else list(self.id)
        logging.getLogger("ir_datasets").disabled = True  # it logs every attempt of a download
        try:
            return _read(ir_datasets, named, store)
        except RequestException as error:
            message = (
                f"dataset.id={','.join(named)}: ir_datasets cannot download it "
                f"({type(error).__name__})"
            )
            raise HarnessError(
                f"{message}; without a network, carry the folder IR_DATASETS_HOME here"
            ) from error


def _read(library: Any, named: Sequence[str], store: Store) -> Benchmark:
    questions: dict[str, str] = {}
    parts = []
    for name in named:
        collection = _collection(library, name)
        if (parent := library.docs_parent_id(name)) != (first := library.docs_parent_id(named[0])):
            raise HarnessError(
                f"dataset.id: the documents of {name} are {parent}, of {named[0]} {first}"
            )
        queries = collection.queries_iter()
        questions |= {str(query.query_id): query.default_text() for query in queries}
        split = next((part for part in reversed(name.split("/")) if part in MEANING), name)
        judged_pairs = (
            (str(qrel.query_id), str(qrel.doc_id), int(qrel.relevance))
            for qrel in collection.qrels_iter()
        )
        parts.append((split, judged_pairs))
    judged, splits = join_judgements(parts)
    source = named[0] if len(named) == 1 else parent
    return judged_benchmark(source, _passages(collection), questions, judged, store, splits)


def _collection(library: Any, name: str) -> Any:
    parts = ("docs", "queries", "qrels")
    try:
        collection = library.load(name)
        lacks = [part for part in parts if not getattr(collection, f"has_{part}")()]
    except KeyError:
        lacks = ["entry in ir_datasets"]
    if lacks:
        raise HarnessError(f"dataset.id={name}: the collection has no {' and no '.join(lacks)}")
    return collection


def _passages(collection: Any) -> Iterator[Record]:
    for document in collection.docs_iter():
        text = getattr(document, "text", None)
        if text is None:
            text = document.default_text()
        yield {
            "id": str(document.doc_id),
            "title": str(getattr(document, "title", "") or ""),
            "text": str(text),
        }
