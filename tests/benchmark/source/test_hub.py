"""The Hub's real client against a server that gives out a local folder as the Hub does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import constants

from harness.benchmark.dataset.twowikimultihopqa import TwoWikiMultiHopQA
from harness.benchmark.source.card import read_card, sample_note
from harness.benchmark.source.hub import HubError, load_table
from harness.core.errors import HarnessError
from harness.work.store import Store
from tests.benchmark.hub import COMMIT, served
from tests.benchmark.source.test_published import HOTPOT, HOTPOT_CORPUS, MUSIQUE, MUSIQUE_CORPUS

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
    values = {
        "name": "2wikimultihopqa",
        "source": "",
        "revision": None,
        "licence": "",
        "citation": "",
        "chain": "all",
        "expected": {"queries": 1, "passages": 2},
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


def test_a_data_set_is_not_asked_of_a_hub_that_does_not_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would try six times; it may be used online later on."""
    from datasets import config

    monkeypatch.setattr(config, "HF_HUB_OFFLINE", False)
    answer_at("http://127.0.0.1:9", monkeypatch)
    asked: list[object] = []
    monkeypatch.setattr("datasets.load.HfApi.hf_hub_download", lambda *any, **more: asked.append(1))
    with pytest.raises(HubError, match=r"not in the cache, and \S+:9 cannot be reached"):
        load_table("nobody/nothing", split="train")
    assert (asked, config.HF_HUB_OFFLINE) == ([], False)


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
    with pytest.raises(HarnessError, match=r"no data .* of osunlp/HippoRAG_v2"):
        TwoWikiMultiHopQA("2wikimultihopqa", str(tmp_path / "nothing")).load(store)


LIST = [
    {"idx": n, "title": title, "text": "".join(text)}
    for n, (title, text) in enumerate(HOTPOT_CORPUS.items())
]
FILES: dict[str, tuple[Any, Any]] = {
    "musique": (MUSIQUE, MUSIQUE_CORPUS),
    "hotpotqa": (HOTPOT, LIST),
}
NAMES = {"musique": "musique_1000", "hotpotqa": "hotpotqa_hipporag"}
Read = Callable[..., tuple[int, str]]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any) -> Read:
    """Write files and their card, and read that benchmark: status and output.

    listed: the content of the files in place of theirs.
    """
    monkeypatch.chdir(tmp_path)

    def run(name: str, queries: Any, corpus: Any, listed: Any = None) -> tuple[int, str]:
        known = read_card(NAMES[name])
        contents = {"queries": json.dumps(queries).encode(), "corpus": json.dumps(corpus).encode()}
        files = {
            part: {
                **(known.files or {})[part],
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for part, content in contents.items()
        }
        for part, content in contents.items():
            path = tmp_path / "data" / NAMES[name] / files[part]["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(listed or content)
        values = {**vars(known), "files": files, "expected": {}, "of": None}
        (tmp_path / "datasets").mkdir(exist_ok=True)
        (tmp_path / "datasets" / f"{NAMES[name]}.yaml").write_text(yaml.safe_dump(values))
        monkeypatch.setattr(
            "harness.benchmark.source.card.package_folder", lambda folder: tmp_path / folder
        )
        places = (f"paths.data={tmp_path / 'data'}", f"paths.runs={tmp_path / 'runs'}")
        status, said, error = command("data", f"dataset={NAMES[name]}", *places)
        return status, said + error

    return run


@pytest.mark.parametrize(
    ("name", "fault", "said"),
    [
        ("musique", "gone", "(2hop__13548_13529): its passage 'Lionel Messi'"),
        ("musique", "other", "(0 passages with that title)"),
        ("hotpotqa", "gone", "5a70f4c45542994082a3e437"),
        ("hotpotqa", "other text", "(1 passage with that title)"),
    ],
)
def test_missing_gold_names_the_question(read: Read, name: str, fault: str, said: str) -> None:
    queries, corpus = FILES[name]
    last = [{**corpus[-1], "text": "Another."}] if fault == "other text" else []
    status, error = read(name, queries, [*corpus[:-1], *last])
    assert status == 2
    assert said in error


def test_other_bytes_than_the_cards_are_refused_with_both_sizes(read: Read) -> None:
    status, error = read("musique", MUSIQUE, MUSIQUE_CORPUS, listed=b"[]")
    assert status == 2
    assert ", 2 bytes, but datasets/musique_1000.yaml expects another file (" in error
    assert f"({len(json.dumps(MUSIQUE_CORPUS))} bytes, sha256 " in error


@pytest.mark.parametrize("name", FILES)
def test_without_a_network_one_line_says_what_to_get_and_where_to_put_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    status, _, error = command("data", f"dataset={NAMES[name]}", "paths.data=data")
    card = read_card(NAMES[name])
    assert (status, len(error.splitlines())) == (2, 1)
    for file in (card.files or {}).values():
        assert file["name"] in error
    for part in (
        "no data in data, nor on the Hub (",
        f"{card.name}/",
        " with corpus.jsonl and queries.jsonl",
        "HARNESS_DATA",
        "paths.data=DIR",
    ):
        assert part in error


def test_ours_say_that_they_are_another_sample() -> None:
    for name, published in {
        "musique_804": "musique_1000",
        "hotpotqa_1000": NAMES["hotpotqa"],
    }.items():
        said = f" {name} is another sample than the published 1,000 (dataset={published})."
        assert sample_note(name) == said
    assert sample_note("2wikimultihopqa_1000") == sample_note("a-folder") == ""
