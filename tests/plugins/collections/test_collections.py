"""Collections of ir_datasets with judgements, by the real library from local files."""

import json
import logging
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from harness.benchmark.source.upstream import CorpusRecords, read_passages
from harness.core.errors import HarnessError
from harness.plugins.collections.dataset.ir_datasets import IrDatasets
from harness.plugins.collections.dataset.nq import NQ
from harness.plugins.collections.dataset.popqa import PopQA
from harness.work.store import Store

DOCS = {"d2": "Oslo lies in Norway.", "d1": "Ada was born in Oslo.", "d3": ""}
QUERIES = {"q1": "Where was Ada born?", "q2": "Where does Oslo lie?", "q3": "Who knows?"}
QRELS = [("q2", "d2", 2), ("q1", "d2", 1), ("q1", "d1", 1), ("q1", "d3", 1), ("q3", "d1", 0)]


@pytest.fixture
def collection(tmp_path: Path) -> str:
    """A collection that ir_datasets knows, of three tab-separated files."""
    library = pytest.importorskip("ir_datasets", reason="the extra `collections` is not installed")
    (tmp_path / "docs.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in DOCS.items()))
    (tmp_path / "queries.tsv").write_text(
        "".join(f"{name}\t{text}\n" for name, text in QUERIES.items())
    )
    (tmp_path / "qrels").write_text(
        "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in QRELS)
    )
    made = library.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    name = f"mine/{tmp_path.name}"
    library.registry.register(name, made)
    return name


def test_a_collection_of_ir_datasets(
    collection: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = IrDatasets(collection).load(Store(tmp_path / "runs"))
    assert made.doc_ids.to_pylist() == ["d1", "d2"]
    assert made.query_ids.to_pylist() == ["q1", "q2"]
    assert made.queries["supporting_ids"][:] == [["d1", "d2"], ["d2"]]
    assert not made.chain.any()
    assert "left out: 1 query of 3 without a supporting passage" in caplog.text
    assert made.left_out == {"passages": 1, "judgements": 1, "queries": 1}


def test_without_a_network_a_collection_is_one_line_of_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> None:
        raise requests.ConnectionError("no route to host")

    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=load))
    with pytest.raises(HarnessError, match=r"^dataset.id=beir/x: ir_datasets.*\(ConnectionError\)"):
        IrDatasets("beir/x").load(Store(tmp_path / "runs"))
    assert logging.getLogger("ir_datasets").disabled


def test_the_splits_of_collections_over_the_same_documents_are_kept(tmp_path: Path) -> None:
    library = pytest.importorskip("ir_datasets", reason="the extra `collections` is not installed")
    (tmp_path / "docs.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in DOCS.items()))
    docs = library.formats.TsvDocs(library.util.LocalDownload(str(tmp_path / "docs.tsv")))
    top = f"mine/{tmp_path.name}"
    library.registry.register(top, library.datasets.base.Dataset(docs))
    for name, asked in (("dev/small", "q1"), ("test", "q2"), ("blind", "q2")):
        queries, qrels = (
            tmp_path / f"{name.replace('/', '-')}.{kind}" for kind in ("queries", "qrels")
        )
        queries.write_text(f"{asked}\t{QUERIES[asked]}\n")
        qrels.write_text(
            "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in QRELS if query == asked)
        )
        made = library.create_dataset(queries_tsv=str(queries), qrels_trec=str(qrels))
        library.registry.register(f"{top}/{name}", library.datasets.base.Dataset(docs, made))
    store = Store(tmp_path / "runs")
    both = IrDatasets([f"{top}/dev/small", f"{top}/test"]).load(store).split_by("given")
    assert (both.name, both.query_ids.to_pylist()) == (top.replace("/", "-"), ["q1", "q2"])
    assert both.split.tolist() == ["tune", "test"]
    with pytest.raises(HarnessError, match=rf"{top}/blind \(1\)"):
        IrDatasets([f"{top}/dev/small", f"{top}/blind"]).load(store).split_by("given").members(
            "test"
        )
    with pytest.raises(HarnessError, match=rf"query q2.*{top}/blind"):
        IrDatasets([f"{top}/test", f"{top}/blind"]).load(store)


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    pytest.importorskip("ir_datasets", reason="the extra `collections` is not installed")
    with pytest.raises(HarnessError, match=r"dataset\.id.*e\.g\. dataset=ir_datasets"):
        IrDatasets().load(store)
    with pytest.raises(HarnessError, match=r"dataset\.id=nothing/here.*ir_datasets"):
        IrDatasets("nothing/here").load(store)


POPQA = {
    "id": 4222362,
    "subj": "George Rankin",
    "prop": "occupation",
    "obj": "politician",
    "s_wiki_title": "George Rankin",
    "o_wiki_title": "Politician",
    "question": "What is George Rankin's occupation?",
    "possible_answers": '["politician", "political leader"]',
    "o_aliases": '["pol"]',
    "paragraphs": [
        {"title": "Politician", "text": "A politician makes policy.", "is_supporting": True},
        {"title": "Other", "text": "Other text.", "is_supporting": False},
        {
            "title": "George Rankin",
            "text": "George Rankin was a politician.",
            "is_supporting": True,
        },
    ],
}
NQ_REAR = {
    "question": "who got the first nobel prize in physics",
    "reference": ["Wilhelm Conrad Röntgen"],
    "contexts": [
        {"title": "Other", "text": "Other text.", "is_supporting": False},
        {"title": "Nobel", "text": "It went to Röntgen.", "is_supporting": True},
    ],
}


def passages(folder: Path, flagged: Any) -> CorpusRecords:
    """Those of a record, as a corpus file of its own."""
    path = folder / "corpus.json"
    path.write_text(json.dumps([{"title": one["title"], "text": one["text"]} for one in flagged]))
    return read_passages(path, "c")


def test_popqa_has_the_subjects_page_first(tmp_path: Path) -> None:
    found = PopQA("popqa", str(tmp_path)).query(POPQA, passages(tmp_path, POPQA["paragraphs"]))
    assert found["supporting_ids"] == ["c-00002", "c-00000"]
    assert found["answers"] == ["politician", "political leader", "pol"]
    assert (found["id"], found["hops"]) == ("4222362", 1)


def test_nq_gets_its_ids_from_its_questions(tmp_path: Path) -> None:
    found = NQ("nq", str(tmp_path)).query(NQ_REAR, passages(tmp_path, NQ_REAR["contexts"]))
    assert (found["id"], found["supporting_ids"]) == ("nq-open-9cfe276ec149b480", ["c-00001"])
