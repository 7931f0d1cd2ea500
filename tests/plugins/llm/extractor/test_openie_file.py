"""Published triples: both forms, matching by content, coverage, and rows that are wrong."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.graph.extractor import Extraction, artifact, extract, find_names
from harness.graph.extractor.extraction import KINDS
from harness.graph.extractor.offline import Offline
from harness.graph.network import relation
from harness.plugins.llm.extractor.openie_file import OpenIEFile
from harness.work.store import Store

TITLES = Offline(model=None, spans=False)
WORLD = {
    "Dune (film)": "Dune was filmed by  David Lynch.",
    "David Lynch": "He grew up in Missoula.",
    "Missoula": "A city on the Clark Fork.",
}
QUESTIONS = ["Where did the director of Dune see the Clark Fork?", "who likes clark fork"]
SAID = [
    (["David Lynch", "Dune"], [["Dune", "filmed by", "David Lynch"]]),
    (["Missoula"], [["David Lynch", "grew up in ", "Missoula"], ["Missoula", "is", "missoula!"]]),
    (
        ["Clark Fork", "  ", 7],
        [["Missoula", "lies on", "Clark Fork"], ["a", "b"], ["?", "is", "Missoula"], "no"],
    ),
]


def passages() -> list[str]:
    return [f"{title}\n{text}" for title, text in WORLD.items()]


def hipporag(folder: Path, content: list[str]) -> Path:
    """The file that HippoRAG 2 writes."""
    docs = [
        {"passage": text, "extracted_entities": e, "extracted_triples": t}
        for text, (e, t) in zip(content, SAID, strict=True)
    ]
    path = folder / "openie_results_ner_meta-llama_Llama-3.3-70B-Instruct.json"
    path.write_text(json.dumps({"docs": docs, "avg_ent_chars": 9.1, "avg_ent_words": 1.4}))
    return path


def ours(folder: Path, keys: list[dict[str, str]]) -> Path:
    path = folder / "openie.jsonl.gz"
    rows = [{**key, "entities": e, "triples": t} for key, (e, t) in zip(keys, SAID, strict=True)]
    path.write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), mtime=0)
    )
    return path


def triples(extraction: Extraction) -> list[tuple[int, str, str, str]]:
    found = extraction.triples
    columns = (found.passage, found.subject, found.predicate, found.object)
    return [
        (int(d), extraction.names[s], found.predicates[p], extraction.names[o])
        for d, s, p, o in zip(*columns, strict=True)
    ]


@pytest.mark.parametrize("form", ["passage", "spaces", "text", "id"])
def test_every_form_gives_the_same_graph(titled: Any, tmp_path: Path, form: str) -> None:
    benchmark = titled(WORLD, QUESTIONS)
    path = {
        "passage": lambda: hipporag(tmp_path, passages()),
        "spaces": lambda: hipporag(tmp_path, [" ".join(text.split()) for text in passages()]),
        "text": lambda: ours(tmp_path, [{"text": text, "id": "wrong"} for text in WORLD.values()]),
        "id": lambda: ours(tmp_path, [{"id": f"d{n:03d}"} for n in range(3)]),
    }[form]()
    made = artifact(OpenIEFile(TITLES, str(path)), benchmark, Store(tmp_path / "runs"))
    extraction = Extraction.load(made.path)
    assert triples(extraction) == [
        (0, "dune", "filmed by", "david lynch"),
        (1, "david lynch", "grew up in", "missoula"),
        (1, "missoula", "is", "missoula"),
        (2, "missoula", "lies on", "clark fork"),
    ]
    assert relation(extraction).nnz == 2 * 3, "the self-loop is no edge"
    wanted = {
        "coverage": 1,
        "rows": 3,
        "rows_without_passage": 0,
        "rows_again": 0,
        "self_loops": 1,
        "not_entities": 1,
        "not_triples": 2,
        "empty_names": 2,
        "passages_without_triple": 0,
        "openie_entities": 4,
        "triples": 4,
        f"rows_by_{'passage' if form == 'spaces' else form}": 3,
    }
    assert {name: made.facts[name] for name in wanted} == wanted


def test_mentions_are_added_to_those_of_the_base(titled: Any, tmp_path: Path) -> None:
    benchmark = titled(WORLD, QUESTIONS)
    extractor = OpenIEFile(TITLES, str(hipporag(tmp_path, passages())))
    extraction = extract(extractor, benchmark, Store(tmp_path / "runs"))

    def told(mentions: Any, place: int) -> list[tuple[str, str]]:
        part = slice(mentions.indptr[place], mentions.indptr[place + 1])
        return [
            (KINDS[k], extraction.names[e])
            for k, e in zip(mentions.kind[part], mentions.entity[part], strict=True)
        ]

    assert told(extraction.passages, 0) == [
        ("title", "dune"),
        ("title", "david lynch"),
        ("open", "david lynch"),
        ("open", "dune"),
    ]
    asked = find_names(extractor, benchmark, Store(tmp_path / "runs")).mentions
    assert told(asked, 0) == [("title", "dune"), ("open", "clark fork")]
    assert told(asked, 1) == []
    place = np.flatnonzero(asked.kind == KINDS.index("open"))[0]
    start, end = asked.start[place], asked.end[place]
    assert QUESTIONS[0].encode()[start:end] == b"Clark Fork"
    alone = find_names(extractor, benchmark.asked({"z": QUESTIONS[0]}), Store(tmp_path / "runs"))
    assert alone.mentions.entity.tolist() == asked.entity[: asked.indptr[1]].tolist()


def test_another_corpus_is_refused_with_the_numbers(titled: Any, tmp_path: Path) -> None:
    benchmark, store = titled(WORLD, []), Store(tmp_path / "runs")
    path = hipporag(tmp_path, [passages()[0], "Other\nText.", "Third\nText."])
    with pytest.raises(HarnessError, match=r"3 rows.*1 of.*33\.3%.*2 rows.*50%"):
        extract(OpenIEFile(TITLES, str(path)), benchmark, store)
    made = artifact(OpenIEFile(TITLES, str(path), coverage=0.3), benchmark, store)
    assert (made.facts["coverage"], made.facts["passages_without_triple"]) == (0.333333, 2)


def test_the_first_row_of_a_passage_counts_and_a_text_of_two_passages_names_neither(
    titled: Any, tmp_path: Path
) -> None:
    benchmark = titled([("A", "Same."), ("B", "Same."), ("C", "Other.")], [])
    rows = [
        {"text": "Same.", "entities": ["x"], "triples": []},
        {"text": "Other.", "entities": ["y"], "triples": []},
        {"passage": "C\nOther.", "entities": ["z"], "triples": []},
        {"passage": "A\nSame.", "entities": ["w"], "triples": []},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = artifact(OpenIEFile(TITLES, str(path)), benchmark, Store(tmp_path / "runs"))
    assert Extraction.load(made.path).names == ["a", "b", "c", "w", "y"]
    assert (made.facts["rows_without_passage"], made.facts["rows_again"]) == (1, 1)


def test_odd_names(titled: Any, tmp_path: Path) -> None:
    """2,000 triples of one entity, a long text, and other scripts."""
    benchmark = titled([("Τίτλος", "x " * 50_000), ("東京", "東京は首都。")], ["東京はどこ?"])
    many = [["ΑΘΗΝΑ", "is", f"n{n % 7}"] for n in range(2_000)]
    rows = [
        {"id": "d000", "entities": ["Αθηνα"], "triples": many},
        {"id": "d001", "entities": ["首都", "日本"], "triples": [["東京", "は", "首都"]]},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    extraction = extract(OpenIEFile(TITLES, str(path)), benchmark, Store(tmp_path / "runs"))
    assert len(extraction.triples.subject) == 2_001
    assert len(set(extraction.names)) == len(extraction.names) == 2 + 1 + 7 + 2
    assert relation(extraction).max() == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "broken JSON"),
        ('{"docs": 3}', "expected a valid list; give a list of objects"),
        ('{"docs": [3]}', "docs: 0 = '3', expected a valid dictionary"),
        (
            '{"docs": [{"extracted_triples": []}]}',
            "record 0: neither passage nor id names the passage",
        ),
        (
            '{"docs": [{"id": "d000", "extracted_triples": []}]}',
            "record 0: entities and triples are missing",
        ),
    ],
)
def test_broken_files(titled: Any, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "openie.json"
    path.write_text(text)
    with pytest.raises(HarnessError, match=message):
        extract(OpenIEFile(TITLES, str(path)), titled(WORLD, []), Store(tmp_path / "runs"))


def test_identity_is_the_content_and_a_missing_file_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    for path in (one, other):
        path.write_text("{}")
    assert identity(OpenIEFile(TITLES, str(one))) == identity(OpenIEFile(TITLES, str(other)))
    other.write_text("{ }")
    assert identity(OpenIEFile(TITLES, str(one))) != identity(OpenIEFile(TITLES, str(other)))
    with pytest.raises(HarnessError, match=r"extractor\.path=nowhere\.json:"):
        identity(OpenIEFile(TITLES, "nowhere.json"))


def test_a_fourth_part_of_a_triple_is_not_read(titled: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    stated = [["Dune", "by", "David Lynch", 0.9], ["Dune", "by"], ["Dune", "of", "Arrakis"]]
    path.write_text(json.dumps({"id": "d000", "entities": [], "triples": stated}))
    extractor = OpenIEFile(TITLES, str(path), coverage=0)
    made = artifact(extractor, titled(WORLD, []), Store(tmp_path / "runs"))
    assert (made.facts["triples"], made.facts["not_triples"]) == (2, 1)
