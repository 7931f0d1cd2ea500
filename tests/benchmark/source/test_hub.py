"""The Hub's real client against a server that gives out a local folder as the Hub does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from huggingface_hub import constants

from harness.benchmark.dataset.twowikimultihopqa import TwoWikiMultiHopQA
from harness.core.errors import HarnessError
from harness.work.store import Store
from tests.benchmark.hub import COMMIT, served

CORPUS = [{"title": "Ada", "text": "Ada made Red Door."}, {"title": "Red Door", "text": "A film."}]
QUERIES = [
    {
        "_id": "a1",
        "type": "compositional",
        "question": "Who made Red Door?",
        "answer": "Ada",
        "supporting_facts": [["Red Door", 0], ["Ada", 0]],
        "context": [["Ada", ["Ada made Red Door."]]],
        "evidences": [],
    }
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that stands for the Hub; the client's cache is empty."""
    place = tmp_path / "hub"
    place.mkdir()
    write(place)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(
        "harness.benchmark.source.card.package_folder", lambda name: tmp_path / name
    )
    (tmp_path / "datasets").mkdir()
    card(tmp_path)
    with served(place, "osunlp/HippoRAG_v2") as address:
        answer_at(address, monkeypatch)
        yield place


def answer_at(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What HF_ENDPOINT does when the client is imported."""
    template = "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", place)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", place + template)


def write(place: Path, question: str = "Who made Red Door?") -> None:
    (place / "2wikimultihopqa.json").write_text(json.dumps([{**QUERIES[0], "question": question}]))
    (place / "2wikimultihopqa_corpus.json").write_text(json.dumps(CORPUS))


def card(tmp_path: Path, revision: str | None = None) -> None:
    versions = [{"queries": 1, "passages": 2, "sha256": None}]
    values = {
        "name": "2wikimultihopqa",
        "source": "",
        "revision": None,
        "licence": "",
        "citation": "",
        "chain": "all",
        "expected": {"hub": versions},
        "hub": {"repo": "osunlp/HippoRAG_v2", "revision": revision},
        "files": {
            "queries": {"name": "2wikimultihopqa.json", "sha256": None},
            "corpus": {"name": "2wikimultihopqa_corpus.json", "sha256": None},
        },
    }
    (tmp_path / "datasets" / "2wikimultihopqa.yaml").write_text(yaml.safe_dump(values))


def test_a_download_says_its_revision_and_hash(folder: Path, tmp_path: Path, store: Store) -> None:
    dataset = TwoWikiMultiHopQA("2wikimultihopqa", str(tmp_path / "nothing"))
    benchmark = dataset.load(store)
    assert benchmark.gold.tolist() == [[1, 0]]
    data = (folder / "2wikimultihopqa.json").read_bytes()
    assert benchmark.origin == {
        "file": "2wikimultihopqa.json",
        "revision": COMMIT,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    assert dataset.load(store).sha256 == benchmark.sha256


def test_what_was_downloaded_is_read_again_offline(
    folder: Path, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = TwoWikiMultiHopQA("2wikimultihopqa", str(tmp_path / "nothing"))
    dataset.load(store)
    answer_at("http://127.0.0.1:9", monkeypatch)
    assert len(dataset.load(store).queries) == 1


def test_a_pinned_revision_is_asked_for(folder: Path, tmp_path: Path, store: Store) -> None:
    card(tmp_path, revision=COMMIT)
    made = TwoWikiMultiHopQA("2wikimultihopqa", str(tmp_path / "nothing")).load(store)
    assert made.origin["revision"] == COMMIT


@pytest.mark.parametrize("broken", ["gone", "offline"])
def test_without_the_hub_the_error_names_it(
    folder: Path, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    if broken == "gone":
        (folder / "2wikimultihopqa.json").unlink()
    else:
        answer_at("http://127.0.0.1:9", monkeypatch)
    with pytest.raises(HarnessError, match=r"data\..*osunlp/HippoRAG_v2"):
        TwoWikiMultiHopQA("2wikimultihopqa", str(tmp_path / "nothing")).load(store)
