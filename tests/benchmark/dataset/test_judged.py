"""Collections with judgements, by the real libraries from local files."""

import json
from pathlib import Path

import pytest

from harness.benchmark.dataset.hf import Hf
from harness.benchmark.dataset.ir_datasets import IrDatasets
from harness.core.artifacts import Store
from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.sweep.plan import Plan

DOCS = {"d2": "Oslo lies in Norway.", "d1": "Ada was born in Oslo.", "d3": ""}
QUERIES = {"q1": "Where was Ada born?", "q2": "Where does Oslo lie?", "q3": "Who knows?"}
QRELS = [("q2", "d2", 2), ("q1", "d2", 1), ("q1", "d1", 1), ("q1", "d3", 1), ("q3", "d1", 0)]


@pytest.fixture
def collection(tmp_path: Path) -> str:
    """A collection that ir_datasets knows, of three tab-separated files."""
    library = pytest.importorskip("ir_datasets", reason="the extra `collections` is not installed")
    (tmp_path / "docs.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in DOCS.items()))
    (tmp_path / "queries.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in QUERIES.items()))
    (tmp_path / "qrels").write_text("".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in QRELS))
    made = library.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    name = f"mine/{tmp_path.name}"
    library.registry.register(name, made)
    return name


@pytest.fixture
def repository(tmp_path: Path) -> str:
    """A folder in BEIR's form, as the Hub keeps it."""
    folder = tmp_path / "beir"
    folder.mkdir()
    rows = {
        "corpus": [{"_id": name, "title": name.upper(), "text": text} for name, text in DOCS.items()],
        "queries": [{"_id": name, "text": text} for name, text in QUERIES.items()],
        "default": [{"query-id": query, "corpus-id": doc, "score": grade} for query, doc, grade in QRELS],
    }
    configs = []
    for name, values in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
        split = "test" if name == "default" else name
        configs.append(f"- config_name: {name}\n  data_files:\n  - split: {split}\n    path: {name}.jsonl\n")
    (folder / "README.md").write_text(f"---\nconfigs:\n{''.join(configs)}---\n")
    return str(folder)


def test_a_collection_of_ir_datasets(collection: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = IrDatasets(collection).load(Store(tmp_path / "runs"))
    assert made.doc_ids.to_pylist() == ["d1", "d2"]
    assert made.query_ids.to_pylist() == ["q1", "q2"]
    assert made.queries["supporting_ids"][:] == [["d1", "d2"], ["d2"]]
    assert not made.chain.any()
    assert "1 of 3 queries have no supporting passage; left out" in caplog.text
    (held,) = json.loads((tmp_path / "runs" / "benchmarks.lock.json").read_text()).values()
    assert held == {"sha256": made.sha256, "passages": 2, "queries": 2, "queries_left_out": 1}


def test_a_repository_in_beirs_form_is_the_same_benchmark_but_for_titles(repository: str, tmp_path: Path) -> None:
    made = Hf(repository).load(Store(tmp_path / "runs"))
    assert made.queries["supporting_ids"][:] == [["d1", "d2"], ["d2"]]
    assert made.corpus["title"][:] == ["D1", "D2"]
    assert not made.chain.any()


def test_mistakes_are_one_line(repository: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    with pytest.raises(HarnessError, match=r"dataset\.path is not set; e\.g\. dataset=hf"):
        Hf().load(store)
    with pytest.raises(HarnessError, match="no split dev of configuration default"):
        Hf(repository, split="dev").load(store)
    with pytest.raises(HarnessError, match=r"no such dataset|no split queries of configuration queries"):
        Hf(str(tmp_path / "none")).load(store)
    pytest.importorskip("ir_datasets", reason="the extra `collections` is not installed")
    with pytest.raises(HarnessError, match=r"dataset\.id is not set; e\.g\. dataset=ir_datasets"):
        IrDatasets().load(store)
    with pytest.raises(HarnessError, match=r"dataset\.id=nothing/here: ir_datasets knows no such collection"):
        IrDatasets("nothing/here").load(store)


def test_a_collection_that_has_changed_is_refused(collection: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    IrDatasets(collection).load(store)
    path = tmp_path / "docs.tsv"
    path.write_text(path.read_text().replace("Norway", "Sweden"))
    with pytest.raises(HarnessError, match=f"the benchmark {collection}"):
        IrDatasets(collection).load(store)


def test_what_needs_an_order_of_hops_is_left_out_or_refused(caplog: pytest.LogCaptureFixture) -> None:
    asked = ["objective=recall@5", "metrics=[last_hop@5,recall@5,last_hop@10]"]
    plan = Plan(compose("config", asked), ()).without_order("mine")
    assert plan.metrics == ["recall@5"]
    assert "mine: last_hop@5, last_hop@10 not measured, since its judgements have no order of hops" in caplog.text
    with pytest.raises(HarnessError, match=r"objective=last_hop@5: the judgements of mine have no order of hops"):
        Plan(compose("config"), ()).without_order("mine")
