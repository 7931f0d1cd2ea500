"""Benchmarks over knowledge graphs, on small files of the forms that upstream publishes."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.benchmark import Benchmark, load
from harness.benchmark.dataset.folder import Folder
from harness.core.errors import HarnessError
from harness.plugins.dice.dataset.cqa_12k import CATEGORIES, CQA12k
from harness.plugins.dice.dataset.knowledge import answering
from harness.plugins.dice.dataset.rog import Rog
from harness.plugins.dice.dataset.webqsp_rog import WebQSP
from harness.plugins.dice.dataset.wiki_triples import WikiTriples
from harness.work.store import Store
from tests.world.folder import write_benchmark

JAMAICA = ["Jamaica", "location.country.languages_spoken", "Jamaican English"]
SPOKEN = ["Jamaican Creole English Language", "Jamaican English"]
CREOLE = ["Jamaica", "location.country.languages_spoken", "Jamaican  Creole English Language"]
RECORDS = [
    {
        "id": "WebQTest-0",
        "question": "what does jamaican people speak",
        "answer": SPOKEN,
        "q_entity": ["Jamaica"],
        "a_entity": SPOKEN,
        "graph": [JAMAICA, CREOLE],
    },
    {
        "id": "WebQTest-1",
        "question": "where is jamaica",
        "answer": ["Caribbean"],
        "q_entity": ["Jamaica"],
        "a_entity": ["Caribbean"],
        "graph": [JAMAICA, ["Jamaica", "contained_by", "m.0"], ["m.0", "", "Jamaica"]],
    },
]


def written(folder: Path, name: str, records: list[dict[str, Any]]) -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "part.jsonl").write_text("\n".join(map(json.dumps, records)))
    return folder


def triples(benchmark: Benchmark) -> list[tuple[str, str, str]]:
    assert benchmark.triples is not None
    names = [row["title"] or row["text"] for row in benchmark.corpus]
    return [
        (names[row["subject"]], row["relation"], names[row["object"]])
        for row in benchmark.triples.to_pylist()
    ]


def test_webqsp_in_the_rog_form(store: Store, tmp_path: Path) -> None:
    benchmark = WebQSP("webqsp_rog", str(written(tmp_path, "webqsp_rog", RECORDS))).load(store)
    assert list(benchmark.passages) == ["Jamaica", *SPOKEN, "m.0"]
    assert benchmark.doc_ids.to_pylist()[0] == "webqsp_rog-000000"
    assert benchmark.query_ids.to_pylist() == ["WebQTest-0"]  # Caribbean is no entity of the graph
    assert benchmark.gold.tolist() == [[1, 2]]
    assert not benchmark.chain.any()
    assert triples(benchmark) == [
        tuple(JAMAICA),
        ("Jamaica", "location.country.languages_spoken", "Jamaican Creole English Language"),
        ("Jamaica", "contained_by", "m.0"),
    ]


def test_parquet_and_packed_lines_are_the_same(store: Store, tmp_path: Path) -> None:
    first = WebQSP("webqsp_rog", str(written(tmp_path / "a", "webqsp_rog", RECORDS))).load(store)
    folder = tmp_path / "b" / "webqsp_rog"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(RECORDS[:1]), folder / "0.parquet")
    with gzip.open(folder / "1.jsonl.gz", "wt") as stream:
        stream.write(json.dumps(RECORDS[1]))
    assert WebQSP("webqsp_rog", str(tmp_path / "b")).load(store).sha256 == first.sha256


def test_all_splits_of_the_hub_are_one_benchmark(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    asked: list[Any] = []

    def given(repo: str, revision: str | None) -> Any:
        asked.append((repo, revision))
        later = {**RECORDS[0], "id": "WebQTrn-0"}
        splits = {"test": RECORDS, "train": [later]}
        return {name: datasets.Dataset.from_list(rows) for name, rows in splits.items()}

    monkeypatch.setattr(datasets, "load_dataset", given)
    benchmark = WebQSP("webqsp_rog", str(tmp_path)).load(store)
    assert asked == [("rmanluo/RoG-webqsp", None)]
    assert benchmark.query_ids.to_pylist() == ["WebQTrn-0", "WebQTest-0"]


def test_cqa_has_six_categories(store: Store, tmp_path: Path) -> None:
    kinds = enumerate(CATEGORIES)
    records = [{**RECORDS[0], "id": f"q{n}", "category": category} for n, category in kinds]
    benchmark = CQA12k("cqa_12k", str(written(tmp_path, "cqa_12k", records))).load(store)
    assert benchmark.queries["type"][:] == list(CATEGORIES)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"graph": [["a", "b"]]}, r"l:1: graph\.0 = .*\['a', 'b'\].*3 items.*RoG form"),
        (
            {"a_entity": "J"},
            r"part\.jsonl:1: a_entity = 'J', expected a valid list; expected the RoG",
        ),
        ({"category": "Simple"}, r"l:1: category=Simple is not known.*known: Simple Question \("),
        ({"a_entity": ["x"], "category": CATEGORIES[0]}, "none of the 1 .* among the 3 entities"),
    ],
)
def test_what_is_wrong_is_named(
    store: Store, tmp_path: Path, change: dict[str, Any], expected: str
) -> None:
    data = written(tmp_path, "cqa_12k", [{**RECORDS[0], **change}])
    with pytest.raises(HarnessError, match=expected):
        CQA12k("cqa_12k", str(data)).load(store)


def test_no_data_says_where_it_looked(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(repo: str, revision: str | None) -> None:
        raise ConnectionError("offline")

    monkeypatch.setattr("harness.plugins.dice.dataset.rog._hub", offline)
    web, cqa = WebQSP("webqsp_rog", str(tmp_path)), CQA12k("cqa_12k", str(tmp_path))
    for dataset, hub in ((web, True), (cqa, False)):
        with pytest.raises(HarnessError, match=r"data\..*\*\.parquet.*\*\.jsonl") as caught:
            dataset.load(store)
        assert ("rmanluo/RoG-webqsp (offline)" in str(caught.value)) == hub
        assert isinstance(dataset, Rog)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Henry King (director)", "henry king"),
        ("A Yank in the R.A.F.", "a yank in the r a f"),
        ("(film)", "film"),
        ("!", "!"),
    ],
)
def test_what_names_share(name: str, expected: str) -> None:
    assert answering(name) == expected


STEPS = [
    {"subject": "Red Door (film)", "relation": "director", "object": "Ada Lee"},
    {"subject": "Ada Lee", "relation": "place of birth", "object": "Tacoma"},
]


def test_wiki_triples_from_the_questions_of_a_folder(store: Store, tmp_path: Path) -> None:
    corpus = [
        {"id": "p0", "title": "Red door (film)", "text": "A film."},
        {"id": "p1", "title": "Ada", "text": "No."},
    ]
    common = {"answers": ["tacoma"], "supporting_ids": ["p0"], "type": "compositional"}
    queries = [
        {"id": "a", "question": "Where was she born?", "decomposition": STEPS, **common},
        {"id": "b", "question": "Is it?", "decomposition": STEPS[:1], **common, "answers": ["yes"]},
        {"id": "c", "question": "What?", **common},
    ]
    answered = {"decomposition": STEPS[:1], **common, "answers": ["RED DOOR"]}
    queries.append({"id": "d", "question": "Which?", **answered})
    write_benchmark(tmp_path, corpus, queries)
    benchmark = WikiTriples("wiki_triples", Folder(str(tmp_path))).load(store)
    assert list(benchmark.passages) == ["Ada Lee", "Red Door (film)\nA film.", "Tacoma"]
    assert triples(benchmark) == [tuple(step.values()) for step in STEPS]
    assert benchmark.query_ids.to_pylist() == ["a", "d"]
    assert benchmark.gold.tolist() == [[2], [1]]
    assert benchmark.queries["hops"][:] == [2, 1]


def test_a_source_without_evidence_is_refused(store: Store, tmp_path: Path) -> None:
    query = {"id": "q", "question": "?", "answers": [], "supporting_ids": ["p0"]}
    write_benchmark(tmp_path, {"A": "a"}, [query])
    with pytest.raises(HarnessError, match="no question carries evidence triples"):
        WikiTriples("wiki_triples", Folder(str(tmp_path))).load(store)


@pytest.mark.skipif(
    "HARNESS_DATA" not in os.environ, reason="HARNESS_DATA is not set: no real benchmarks"
)
def test_the_real_one(tmp_path: Path) -> None:
    """Counted in the files: all 1000 questions carry evidence, 2437 different triples over 3516
    names.
    """
    benchmark = load("wiki_triples", runs=tmp_path)
    assert (len(benchmark.corpus), len(triples(benchmark))) == (3516, 2437)
    kinds = {"compositional": 413, "inference": 108, "bridge_comparison": 199, "comparison": 170}
    assert Counter(benchmark.queries["type"][:]) == kinds
