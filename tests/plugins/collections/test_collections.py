"""Collections with judgements, by the real libraries from local files."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from harness.core.errors import HarnessError
from harness.plugins.collections.dataset.hf import Hf
from harness.plugins.collections.dataset.ir_datasets import IrDatasets
from harness.sweep.folder.latest_sweep import latest
from harness.sweep.folder.result import SweepResult
from harness.work.store import Store
from tests.benchmark.hub import served

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


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder in BEIR's form, as the Hub keeps it."""
    folder = tmp_path / "beir"
    write(folder, DOCS, QUERIES, QRELS)
    return folder


def write(
    folder: Path, docs: dict[str, str], queries: dict[str, str], qrels: list[tuple[str, str, int]]
) -> None:
    folder.mkdir()
    rows = {
        "corpus": [
            {"_id": name, "title": name.upper(), "text": text} for name, text in docs.items()
        ],
        "queries": [{"_id": name, "text": text} for name, text in queries.items()],
        "default": [
            {"query-id": query, "corpus-id": doc, "score": grade} for query, doc, grade in qrels
        ],
    }
    configs = []
    for name, values in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
        split = "test" if name == "default" else name
        configs.append(
            f"- config_name: {name}\n  data_files:\n  - split: {split}\n    path: {name}.jsonl\n"
        )
    (folder / "README.md").write_text(f"---\nconfigs:\n{''.join(configs)}---\n")


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
    (held,) = json.loads((tmp_path / "runs" / "benchmarks.lock.json").read_text()).values()
    assert held == {"sha256": made.sha256, "passages": 2, "queries": 2, "queries_left_out": 1}


def test_without_a_network_a_collection_is_one_line_of_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> None:
        raise requests.ConnectionError("no route to host")

    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=load))
    with pytest.raises(
        HarnessError,
        match=r"^dataset.id=beir/x: ir_datasets cannot download it \(ConnectionError\); ",
    ):
        IrDatasets("beir/x").load(Store(tmp_path / "runs"))
    assert logging.getLogger("ir_datasets").disabled


def test_a_repository_in_beirs_form_is_the_same_benchmark_but_for_titles(
    repository: Path, tmp_path: Path
) -> None:
    """d3 is a title alone, and gold: BEIR reads title and text, so it stays."""
    made = Hf(str(repository)).load(Store(tmp_path / "runs"))
    assert made.queries["supporting_ids"][:] == [["d1", "d2", "d3"], ["d2"]]
    assert made.corpus["title"][:] == ["D1", "D2", "D3"]
    assert made.left_out == {"queries": 1}
    assert not made.chain.any()


def test_the_splits_of_a_repository_are_kept(repository: Path, tmp_path: Path) -> None:
    """q1 is judged in dev, q2 and q3 in test; q3 has no passage that supports it."""
    by_split = {
        "dev": [row for row in QRELS if row[0] == "q1"],
        "test": [row for row in QRELS if row[0] != "q1"],
    }
    named = []
    for split, rows in by_split.items():
        values = [
            {"query-id": query, "corpus-id": doc, "score": grade} for query, doc, grade in rows
        ]
        (repository / f"{split}.jsonl").write_text(
            "".join(json.dumps(value) + "\n" for value in values)
        )
        named.append(f"  - split: {split}\n    path: {split}.jsonl\n")
    card = (repository / "README.md").read_text()
    card = card.replace("  - split: test\n    path: default.jsonl\n", "".join(named))
    (repository / "README.md").write_text(card)
    store = Store(tmp_path / "runs")
    made = Hf(str(repository), split=["dev", "test"]).load(store).split_by("given")
    assert (made.query_ids.to_pylist(), made.split.tolist()) == (["q1", "q2"], ["tune", "test"])
    alone = Hf(str(repository)).load(store).split_by("given")
    assert (alone.query_ids.to_pylist(), alone.split.tolist()) == (["q2"], ["test"])
    assert set(json.loads((tmp_path / "runs" / "benchmarks.lock.json").read_text())) == {
        str(repository),
        f"{repository} split=dev,test",
    }


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
    with pytest.raises(HarnessError, match=rf"questions of split {top}/blind \(1\)"):
        IrDatasets([f"{top}/dev/small", f"{top}/blind"]).load(store).split_by("given").members(
            "test"
        )
    with pytest.raises(
        HarnessError, match=rf"query q2 is judged in the splits test and {top}/blind; name one"
    ):
        IrDatasets([f"{top}/test", f"{top}/blind"]).load(store)


def test_mistakes_are_one_line(repository: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    with pytest.raises(HarnessError, match=r"dataset\.path is not set; e\.g\. dataset=hf"):
        Hf().load(store)
    with pytest.raises(HarnessError, match="no split dev of configuration default"):
        Hf(str(repository), split="dev").load(store)
    with pytest.raises(
        HarnessError, match=r"no such dataset|no split queries of configuration queries"
    ):
        Hf(str(tmp_path / "none")).load(store)
    pytest.importorskip("ir_datasets", reason="the extra `collections` is not installed")
    with pytest.raises(HarnessError, match=r"dataset\.id is not set; e\.g\. dataset=ir_datasets"):
        IrDatasets().load(store)
    with pytest.raises(
        HarnessError, match=r"dataset\.id=nothing/here: ir_datasets knows no such collection"
    ):
        IrDatasets("nothing/here").load(store)


def test_a_collection_that_has_changed_is_refused(collection: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    IrDatasets(collection).load(store)
    path = tmp_path / "docs.tsv"
    path.write_text(path.read_text().replace("Norway", "Sweden"))
    with pytest.raises(HarnessError, match=f"the benchmark {collection}"):
        IrDatasets(collection).load(store)


def test_a_sweep_of_a_data_set_that_the_hub_serves(tmp_path: Path) -> None:
    """The command, in a process whose Hub is on this machine; its manifest has the counts and the
    hash.
    """
    names = [f"Town{number}" for number in range(30)]
    docs = {f"d{number}": f"{name} lies in Norway." for number, name in enumerate(names)}
    queries = {f"q{number}": f"Where does {name} lie?" for number, name in enumerate(names)}
    write(
        tmp_path / "beir", docs, queries, [(f"q{number}", f"d{number}", 1) for number in range(30)]
    )
    asked = [
        "dataset=hf",
        "dataset.path=me/towns",
        "retriever@lists.graph=bm25",
        "grid=point",
        "encoder=hashed",
    ]
    with served(tmp_path / "beir", "me/towns") as address:
        environment = {
            **os.environ,
            "HF_ENDPOINT": address,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_OFFLINE": "0",
        }
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "harness",
                "sweep",
                *asked,
                "objective=recall@5",
                "tracking=none",
            ],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
    assert run.returncode == 0, run.stderr
    manifest = SweepResult(latest(tmp_path / "runs")).manifest
    assert manifest["counts"] == {"passages": 30, "queries": 30}
    (held,) = json.loads((tmp_path / "runs" / "benchmarks.lock.json").read_text()).values()
    assert held["sha256"] == manifest["data_sha256"]
