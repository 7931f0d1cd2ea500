"""A name means one content: questions of a list of ids, from any form of the publishers' files.

The id lists below take the made records of ``test_official`` in another order than the files.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from harness.benchmark import Benchmark
from harness.benchmark.content import content_sha256
from harness.benchmark.dataset.folder import Folder
from harness.benchmark.source.card import find_card, plain_name, read_card
from harness.core.concepts import package_folder
from harness.core.errors import HarnessError
from harness.work.store import Store
from tests.benchmark.source.test_official import HOTPOT, MUSIQUE, WIKI, load, packed, structs
from tests.world.folder import write_benchmark

OTHER = {**HOTPOT[1], "_id": "h3", "context": [*HOTPOT[1]["context"], ["Echo", ["A nymph."]]]}
SECOND = {**MUSIQUE[0], "id": "2hop__5_6", "paragraphs": MUSIQUE[0]["paragraphs"][:2]}
ABOUT = {
    "title": "Villa",
    "paragraph_text": "Villa is a house.",
    "idx": 2,
    "is_supporting": False,
}
THIRD = {**SECOND, "id": "2hop__7_8", "paragraphs": [*SECOND["paragraphs"], ABOUT]}
SETS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "hotpotqa_1000": ([*HOTPOT, OTHER], ["h2", "h1"]),
    "2wikimultihopqa_1000": (WIKI, ["w1"]),
    "musique_804": ([*MUSIQUE, SECOND, THIRD], ["2hop__5_6", "2hop__1_2", "+2hop__7_8"]),
}
PASSAGES = {
    "hotpotqa_1000": ["Beta Brown", "Delta", "Alpha (film)", "Alpha (film)"],
    "2wikimultihopqa_1000": ["Ermengarde", "Lothair"],
    "musique_804": ["Town", "Town", "Villa"],
}
"""Titles in the order in which they are first seen along the list of ids."""
FILES = {
    "hotpotqa_1000": "hotpot_dev_distractor_v1.json",
    "2wikimultihopqa_1000": "dev.json",
    "musique_804": "musique_ans_v1.0_dev.jsonl",
}
Cards = Callable[..., None]


@pytest.fixture
def cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cards:
    """The cards of the package with small lists of ids, and what they expect."""
    place = tmp_path / "package" / "datasets"
    shutil.copytree(package_folder("datasets"), place, ignore=shutil.ignore_patterns("sample"))
    monkeypatch.setattr(
        "harness.benchmark.source.card.package_folder", lambda name: place.parent / name
    )

    def write(expected: dict[str, Any]) -> None:
        for name, (_, ids) in SETS.items():
            (place / "ids" / f"{name}.txt").write_text("\n".join(ids) + "\n")
            path = place / f"{name}.yaml"
            values = {**yaml.safe_load(path.read_text()), "expected": expected.get(name, {})}
            path.write_text(yaml.safe_dump(values))

    write({})
    return write


def write(path: Path, records: list[dict[str, Any]], form: str) -> Path:
    """A file of the publishers, or of a copy on the Hub."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if form == "parquet":
        rows = [structs(row) if "context" in row else packed(row) for row in records]
        pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
        return path.with_suffix(".parquet")
    lines = "".join(f"{json.dumps(row)}\n" for row in records)
    path.write_text(lines if path.suffix == ".jsonl" else json.dumps(records, indent=1))
    return path


@pytest.mark.parametrize("name", SETS)
def test_a_name_has_one_content_from_every_form(
    name: str, cards: Cards, store: Store, tmp_path: Path, command: Any
) -> None:
    """JSON, Parquet and mixed order, twice each, and the folder that `harness data` writes."""
    records, _ = SETS[name]
    mixed = random.Random(1).sample(records, len(records))
    file = write(tmp_path / "a" / FILES[name], records, "json")
    copy = write(tmp_path / "b" / "copy.json", mixed, "parquet")
    plain = read_card(name).alias
    made = [load(name, store, f"paths.data={tmp_path / 'a'}") for _ in range(2)]
    made += [load(str(plain), store, f"dataset.path={path}") for path in (file, copy, copy)]
    cards({name: {"content": content_sha256(made[0])}})
    places = (f"paths.data={tmp_path / 'a'}", f"paths.runs={tmp_path / 'runs'}")
    assert command("data", f"dataset={plain}", f"out={tmp_path / 'c' / name}", *places)[0] == 0
    made.append(load(name, store, f"paths.data={tmp_path / 'c'}"))
    assert {content_sha256(one) for one in made} == {content_sha256(made[0])}
    assert {one.name for one in made} == {name}
    assert len({one.sha256 for one in made}) == 1
    for one in made:
        assert one.corpus["title"][:] == PASSAGES[name]
        assert one.doc_ids.to_pylist() == [f"{plain}-{k:05d}" for k in range(len(one.corpus))]
        assert one.query_ids.to_pylist() == [id_ for id_ in SETS[name][1] if id_[0] != "+"]


CORPUS = [
    {"id": "1", "title": "Town", "text": "Town is in Land."},
    {"id": "2", "title": "Villa", "text": "Villa is  a house."},
]
QUERY = {"id": "q", "question": "Who  is?", "answers": [], "supporting_ids": ["2", "1"]}


def changed(corpus: list[dict[str, str]], query: dict[str, Any], tmp_path: Path) -> Benchmark:
    place = write_benchmark(tmp_path / "own", corpus, [query])
    return Folder(str(place)).load(Store(tmp_path / "runs"))


def test_content_is_free_of_ids_order_and_white_space(tmp_path: Path) -> None:
    first = content_sha256(changed(CORPUS, QUERY, tmp_path))
    renamed = [
        {**CORPUS[1], "id": "a", "text": "Villa is\ta house."},
        {**CORPUS[0], "id": "b"},
    ]
    other = {**QUERY, "question": "Who is?", "supporting_ids": ["a", "b"], "answers": ["Villa"]}
    assert content_sha256(changed(renamed, other, tmp_path)) == first


@pytest.mark.parametrize(
    ("passage", "query"),
    [
        ({"text": "Town is in land."}, {}),
        ({"title": "town"}, {}),
        ({}, {"id": "p"}),
        ({}, {"question": "Who was?"}),
        ({}, {"supporting_ids": ["1", "2"]}),
        ({}, {"supporting_ids": ["1"]}),
    ],
)
def test_another_text_question_or_hop_order_is_another_content(
    passage: dict[str, str], query: dict[str, Any], tmp_path: Path
) -> None:
    first = content_sha256(changed(CORPUS, QUERY, tmp_path))
    corpus = [{**CORPUS[0], **passage}, CORPUS[1]]
    assert content_sha256(changed(corpus, {**QUERY, **query}, tmp_path)) != first


def test_another_content_has_another_name_and_the_card_of_the_first(
    cards: Cards, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cards({"musique_804": {"queries": 1, "passages": 2, "content": "0" * 64}})
    write_benchmark(tmp_path / "musique", CORPUS, [QUERY])
    made = load("musique", store, f"paths.data={tmp_path}")
    assert made.name == f"musique_804_{content_sha256(made)[:8]}"
    assert f"content {content_sha256(made)[:12]}" in caplog.text
    card = find_card(made.name)
    assert card is not None
    assert (card.name, card.licence, plain_name(made.name)) == (
        "musique_804",
        "CC BY 4.0",
        "musique",
    )


def test_questions_that_the_file_lacks_are_named(
    cards: Cards, store: Store, tmp_path: Path
) -> None:
    path = write(tmp_path / "dev.json", HOTPOT[1:], "json")
    with pytest.raises(HarnessError, match=r"1 of the 2 .*first is h1; .*dataset=hotpotqa_dev"):
        load("hotpotqa", store, f"dataset.path={path}")


def test_lists_of_ids_are_small_and_name_each_question_once() -> None:
    for path in (package_folder("datasets") / "ids").glob("*.txt"):
        lines = path.read_text().split()
        assert path.stat().st_size < 100_000
        assert len({line.lstrip("+") for line in lines}) == len(lines)
        asked = [line for line in lines if line[0] != "+"]
        assert len(asked) == read_card(path.stem).expected["queries"]
