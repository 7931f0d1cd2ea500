"""The benchmarks in the files of their publishers, and in the forms that the Hub keeps them in.

Expected counts and orders are worked out by hand from the records below.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.benchmark import Benchmark
from harness.benchmark.source.published import Published
from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.work.store import Store

HOTPOT: list[dict[str, Any]] = [
    {
        "_id": "h1",
        "question": "Where was the director of Alpha (film) born?",
        "answer": "Gammaville",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["Beta Brown", 0], ["Alpha (film)", 1], ["Beta Brown", 7]],
        "context": [
            ["Alpha (film)", ["Alpha is another film."]],
            ["Alpha (film)", ["Alpha is a film.", " It was directed by Beta Brown."]],
            ["Beta Brown", ["Beta Brown was born in Gammaville."]],
        ],
    },
    {
        "_id": "h2",
        "question": "Are both films?",
        "answer": "yes",
        "type": "comparison",
        "level": "easy",
        "supporting_facts": [["Delta", 0], ["Beta Brown", 0]],
        "context": [
            ["Beta Brown", ["Beta Brown was born in Gammaville."]],
            ["Delta", ["Delta is a film."]],
        ],
    },
]
WIKI: list[dict[str, Any]] = [
    {
        "_id": "w1",
        "type": "compositional",
        "question": "When did the mother of Lothair die?",
        "answer": "851",
        "supporting_facts": [["Lothair", 0], ["Ermengarde", 0]],
        "context": [
            ["Ermengarde", ["Ermengarde died in 851.", "She was a queen."]],
            ["Lothair", ["Lothair was a son of Ermengarde."]],
        ],
        "evidences": [["Lothair", "mother", "Ermengarde"], ["Ermengarde", "died", "851"]],
    }
]
PARAGRAPHS = [
    {"idx": 0, "title": "Town", "paragraph_text": "Town is in Land.", "is_supporting": True},
    {"idx": 1, "title": "Town", "paragraph_text": "Town has a mayor.", "is_supporting": True},
    {"idx": 2, "title": "Town", "paragraph_text": "Town  is in Land.", "is_supporting": False},
]
MUSIQUE: list[dict[str, Any]] = [
    {
        "id": "2hop__1_2",
        "paragraphs": PARAGRAPHS,
        "question": "Who?",
        "question_decomposition": [
            {"id": 1, "question": "a", "answer": "b", "paragraph_support_idx": 1},
            {"id": 2, "question": "c", "answer": "d", "paragraph_support_idx": 0},
        ],
        "answer": "d",
        "answer_aliases": ["D"],
        "answerable": True,
    },
    {
        "id": "2hop__3_4",
        "paragraphs": PARAGRAPHS[:1],
        "question": "Whose?",
        "question_decomposition": [
            {"id": 3, "question": "a", "answer": "b", "paragraph_support_idx": None}
        ],
        "answer": "",
        "answer_aliases": [],
        "answerable": False,
    },
]


def columns(rows: list[Any], names: list[str]) -> dict[str, list[Any]]:
    """A struct of lists, as `datasets` stores a sequence of structs."""
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def structs(record: dict[str, Any]) -> dict[str, Any]:
    """A question as the copies of HotpotQA and 2WikiMultiHopQA on the Hub have it."""
    found = {
        **record,
        "id": record["_id"],
        "supporting_facts": columns(record["supporting_facts"], ["title", "sent_id"]),
        "context": columns(record["context"], ["title", "content"]),
    }
    return {key: value for key, value in found.items() if key != "_id"}


def packed(record: dict[str, Any]) -> dict[str, Any]:
    """Nested fields as JSON in a text."""
    nested = ("supporting_facts", "context", "evidences", "paragraphs", "question_decomposition")
    return {key: json.dumps(value) if key in nested else value for key, value in record.items()}


def load(name: str, store: Store, *overrides: str) -> Benchmark:
    dataset = instantiate(compose("benchmark", [f"dataset={name}", *overrides]).dataset)
    assert isinstance(dataset, Published)
    return dataset.load(store)


def gold(benchmark: Benchmark) -> list[list[str]]:
    texts = benchmark.corpus["text"][:]
    return [[texts[number] for number in row if number >= 0] for row in benchmark.gold]


def test_hotpotqa_by_its_official_name(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Two passages of one title; the one with the supporting sentence is gold."""
    caplog.set_level("INFO")
    place = tmp_path / "hotpotqa" / "hotpot_dev_distractor_v1.json"
    place.parent.mkdir()
    place.write_text(json.dumps(HOTPOT))
    made = load("hotpotqa_dev", store, f"paths.data={tmp_path}")
    assert re.fullmatch("hotpotqa_dev_[0-9a-f]{8}", made.name)  # two questions, not 7,405
    assert len(made.corpus) == 4
    assert gold(made) == [
        ["Alpha is a film. It was directed by Beta Brown.", "Beta Brown was born in Gammaville."],
        ["Delta is a film.", "Beta Brown was born in Gammaville."],
    ]
    assert made.chain.tolist() == made.ordered.tolist() == [True, False]
    every = load("hotpotqa_dev", store, f"paths.data={tmp_path}", "dataset.chain=all")
    assert every.ordered.tolist() == [True, True]
    assert every.sha256 != made.sha256
    extra = [json.loads(row) for row in made.queries["extra"]]
    assert [row.get("ordered") for row in extra] == [None, False]
    contexts = sum(len(record["context"]) for record in HOTPOT)
    assert f"2 questions, {contexts} contexts" in caplog.text
    assert "queries 7405" in caplog.text
    sha256 = hashlib.sha256(place.read_bytes()).hexdigest()
    assert made.origin == {"file": place.name, "sha256": sha256}


def test_2wiki_joins_sentences_with_a_space(store: Store, tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(WIKI))
    made = load("2wikimultihopqa_dev", store, f"paths.data={tmp_path}")
    assert gold(made) == [
        ["Lothair was a son of Ermengarde.", "Ermengarde died in 851. She was a queen."]
    ]
    assert json.loads(made.queries["extra"][0])["decomposition"][0]["relation"] == "mother"


def test_musique_in_hop_order_without_unanswerable_questions(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The third paragraph is the first one but for white space."""
    lines = "".join(json.dumps(record) + "\n" for record in MUSIQUE)
    path = tmp_path / "musique_ans_v1.0_dev.jsonl.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    made = load("musique_dev", store, f"paths.data={tmp_path}")
    assert gold(made) == [["Town has a mayor.", "Town is in Land."]]
    assert len(made.corpus) == 2
    assert made.left_out == {"queries": 1}
    assert "1 of 2 questions are not answerable; left out" in caplog.text


FORMS = ["structs parquet", "structs saved", "packed parquet", "packed jsonl", "lists jsonl"]


@pytest.mark.parametrize("case", FORMS)
def test_the_forms_of_the_hub_are_the_official_file(
    store: Store, tmp_path: Path, case: str
) -> None:
    import datasets

    form, ending = case.split()
    for name, records in (
        ("hotpotqa_dev", HOTPOT),
        ("2wikimultihopqa_dev", WIKI),
        ("musique_dev", MUSIQUE),
    ):
        official, copy = tmp_path / f"{name}.json", tmp_path / f"{name}.{ending}"
        official.write_text(json.dumps(records))
        rows = [packed(record) if form == "packed" else record for record in records]
        if form == "structs" and name != "musique_dev":
            rows = [structs(record) for record in records]
        if ending == "jsonl":
            copy.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif ending == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), copy)
        else:
            made = datasets.DatasetDict(validation=datasets.Dataset.from_list(rows))
            made.save_to_disk(str(copy))
        first = load(name, store, f"dataset.path={official}")
        assert load(name, store, f"dataset.path={copy}").sha256 == first.sha256


def test_a_sample_is_taken_by_the_md5_of_the_ids(store: Store, tmp_path: Path) -> None:
    """The MD5 of q0 begins with 61, of q1 with ff, of q2 with 74 (md5sum)."""
    rows = [{**HOTPOT[1], "_id": f"q{number}"} for number in range(3)]
    rows[1] = {**rows[1], "context": [*rows[1]["context"], ["Epsilon", ["A letter."]]]}
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(rows))
    asked = [f"dataset.path={path}", "dataset.sample=2"]
    made = load("hotpotqa_dev", store, *asked)
    assert (made.name, made.query_ids.to_pylist()) == ("hotpotqa_dev_2", ["q0", "q2"])
    assert len(made.corpus) == 3
    own = load("hotpotqa_dev", store, *asked, "dataset.corpus=sample")
    assert (own.name, len(own.corpus)) == ("hotpotqa_dev_2_own", 2)


def test_contexts_that_were_retrieved_may_lack_gold(store: Store, tmp_path: Path) -> None:
    lacking = {**HOTPOT[1], "_id": "h3", "supporting_facts": [["Nowhere", 0], ["Delta", 0]]}
    (tmp_path / "hotpot_dev_fullwiki_v1.json").write_text(json.dumps([*HOTPOT, lacking]))
    made = load("hotpotqa_fullwiki", store, f"paths.data={tmp_path}")
    assert made.query_ids.to_pylist() == ["h1", "h2"]
    assert made.left_out == {"queries": 1}


def without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != field}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([HOTPOT[0], without(HOTPOT[1], "answer")], "record 1 (h2): field 'answer' is missing"),
        ([HOTPOT[0], without(HOTPOT[1], "context")], "record 1 (h2): field 'context' is missing"),
        ([{**HOTPOT[0], "context": [["A"]]}], "record 0 (h1): field context must have rows of"),
        ([{**HOTPOT[0], "context": 5}], "record 0 (h1): field context must have rows of title"),
        (
            [{**HOTPOT[0], "supporting_facts": [["Nowhere", 0]]}],
            "record 0 (h1): field supporting_facts: its passage 'Nowhere' is not in",
        ),
        ([HOTPOT[0], HOTPOT[0]], "record 1: duplicate id h1, first at"),
    ],
)
def test_a_broken_record_is_one_line(
    store: Store, tmp_path: Path, records: list[Any], expected: str
) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(records))
    with pytest.raises(HarnessError) as caught:
        load("hotpotqa_dev", store, f"dataset.path={path}")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "record", "dev"),
    [
        ("hotpotqa_dev", {"_id": "t", "question": "?", "context": []}, "hotpot_dev_distractor"),
        ("hotpotqa", {"_id": "t", "question": "?", "context": []}, "hotpot_dev_distractor"),
        ("2wikimultihopqa_dev", {**WIKI[0], "supporting_facts": [], "answer": ""}, "dev.json"),
        (
            "musique_dev",
            {"id": "2hop__1_2", "paragraphs": PARAGRAPHS, "question": "?"},
            "_dev.jsonl",
        ),
    ],
)
def test_a_test_file_has_no_gold(
    store: Store, tmp_path: Path, name: str, record: dict[str, Any], dev: str
) -> None:
    path = tmp_path / "test.json"
    path.write_text(json.dumps([record, record]))
    with pytest.raises(HarnessError, match=f"no gold; use the dev file .*{dev}"):
        load(name, store, f"dataset.path={path}")


@pytest.mark.parametrize("name", ["half.json", "half.jsonl", "half.parquet"])
def test_half_a_file_is_one_line(store: Store, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.endswith("parquet"):
        pq.write_table(pa.Table.from_pylist([structs(record) for record in HOTPOT]), path)
    else:
        rows = json.dumps(HOTPOT) if name == "half.json" else "\n".join(map(json.dumps, HOTPOT))
        path.write_text(rows)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(HarnessError, match=name):
        load("hotpotqa_dev", store, f"dataset.path={path}")


def test_nothing_found_names_the_file_and_the_places(store: Store, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"no data in .*musique_full_v1\.0_dev\.jsonl of"):
        load("musique_full_dev", store, f"paths.data={tmp_path}")
