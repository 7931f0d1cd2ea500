"""Data sets in BEIR's form, by the library `datasets` from local files and a local Hub."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.benchmark.dataset.hf import Hf
from harness.core.errors import HarnessError
from harness.sweep.folder.inventory import latest
from harness.sweep.folder.result import SweepResult
from harness.work.store import Store
from tests.benchmark.hub import COMMIT, served

DOCS = {"d2": "Oslo lies in Norway.", "d1": "Ada was born in Oslo.", "d3": ""}
QUERIES = {"q1": "Where was Ada born?", "q2": "Where does Oslo lie?", "q3": "Who knows?"}
QRELS = [("q2", "d2", 2), ("q1", "d2", 1), ("q1", "d1", 1), ("q1", "d3", 1), ("q3", "d1", 0)]


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


def test_mistakes_are_one_line(repository: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    with pytest.raises(HarnessError, match=r"dataset\.path.*e\.g\. dataset=hf"):
        Hf().load(store)
    with pytest.raises(HarnessError, match="no split dev of configuration default"):
        Hf(str(repository), split="dev").load(store)
    with pytest.raises(HarnessError, match=r"no split queries of configuration queries"):
        Hf(str(tmp_path / "none")).load(store)


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
    assert manifest["origin"] == {
        "hub": "me/towns",
        "configuration": "corpus",
        "split": "corpus",
        "revision": COMMIT,
    }
