"""Published benchmarks on small files in the shapes that upstream publishes, under small cards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.benchmark import Benchmark
from harness.benchmark.content import content_sha256
from harness.benchmark.dataset.hotpotqa import HotpotQA, bridge_order
from harness.benchmark.dataset.musique import Musique
from harness.benchmark.dataset.twowikimultihopqa import TwoWikiMultiHopQA
from harness.benchmark.source.card import plain_name
from harness.benchmark.source.hub import HubError
from harness.core.errors import HarnessError
from harness.work.store import Store

MUSIQUE_CORPUS = [
    {"title": "FC Barcelona", "text": "In June 1982, Diego Maradona was signed."},
    {"title": "FC Barcelona", "text": "Barcelona finished the season\nwithout trophies."},
    {"title": "Lionel Messi", "text": "Messi was enrolled in 2002."},
]
MUSIQUE = [
    {
        "id": "2hop__13548_13529",
        "paragraphs": [
            {
                "idx": 0,
                "title": "FC Barcelona",
                "paragraph_text": "Barcelona finished the season without trophies.",
            },
            {"idx": 1, "title": "Lionel Messi", "paragraph_text": "Messi was enrolled in 2002."},
        ],
        "question": "When was the player enrolled?",
        "question_decomposition": [
            {"id": 13548, "question": "Who played?", "answer": "Messi", "paragraph_support_idx": 1},
            {
                "id": 13529,
                "question": "When was #1 signed by Barcelona?",
                "answer": "1982",
                "paragraph_support_idx": 0,
            },
        ],
        "answer": "June 1982",
        "answer_aliases": ["1982"],
        "answerable": True,
    }
]
WIKI_CORPUS = [
    {"title": "Teutberga", "text": "Teutberga was a queen."},
    {"title": "Lothair II", "text": "He was the second son of Lothair I and Ermengarde of Tours."},
    {
        "title": "Ermengarde of Tours",
        "text": "Ermengarde of Tours (d. 20 March 851) was the daughter of Hugh of Tours.",
    },
]
WIKI = [
    {
        "_id": "83bf3b5a0bd911eba7f7acde48001122",
        "type": "compositional",
        "question": "When did Lothair Ii's mother die?",
        "context": [[passage["title"], [passage["text"]]] for passage in WIKI_CORPUS],
        "supporting_facts": [["Lothair II", 1], ["Lothair II", 0], ["Ermengarde of Tours", 0]],
        "evidences": [
            ["Lothair II", "mother", "Ermengarde of Tours"],
            ["Ermengarde of Tours", "date of death", "20 March 851"],
        ],
        "answer": "20 March 851",
        "answer_id": None,
    }
]
HOTPOT = [
    {
        "_id": "5a70f4c45542994082a3e437",
        "type": "bridge",
        "level": "hard",
        "question": "Who composed the opera in which Ada sang?",
        "answer": "Gian Carlo Menotti",
        "supporting_facts": [["Maria Golovin", 0], ["Ada", 0]],
        "context": [
            ["Ada", ["Ada sang in Maria Golovin."]],
            ["Maria Golovin", ["An opera by Gian Carlo Menotti."]],
        ],
    }
]
HOTPOT_CORPUS = {
    "Ada": ["Ada sang in ", "Maria Golovin."],
    "Maria Golovin": ["An opera by Gian Carlo Menotti."],
}
Make = Callable[..., Benchmark]


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write a card for ``name`` that expects these counts; there is no Hub."""
    monkeypatch.setattr(
        "harness.benchmark.source.card.package_folder", lambda folder: tmp_path / folder
    )

    def absent(repo: str, name: str, revision: str | None) -> Path:
        raise HubError(f"{name} of {repo} on the Hub (offline)", "offline")

    monkeypatch.setattr("harness.benchmark.source.published.fetch", absent)

    def write(name: str, queries: int, passages: int, stem: str | None = None, **more: Any) -> None:
        values = {
            "name": name,
            "source": "https://example.org",
            "revision": None,
            "licence": "CC0",
            "citation": "none",
            "chain": "all",
            "expected": {"queries": queries, "passages": passages},
            "files": {
                "queries": {"name": f"{stem or name}.json", "sha256": None},
                "corpus": {"name": f"{stem or name}_corpus.json", "sha256": None},
            },
            "hub": {"repo": "osunlp/HippoRAG_v2", "revision": None},
            **more,
        }
        (tmp_path / "datasets").mkdir(exist_ok=True)
        (tmp_path / "datasets" / f"{name}.yaml").write_text(yaml.safe_dump(values))

    return write


@pytest.fixture
def upstream(tmp_path: Path) -> Callable[[str, object, object], Path]:
    """Write upstream files; answers with the data folder."""

    def write(place: str, queries: object, corpus: object) -> Path:
        path = tmp_path / "data" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{path.name}.json").write_text(json.dumps(queries))
        path.with_name(f"{path.name}_corpus.json").write_text(json.dumps(corpus))
        return tmp_path / "data"

    return write


def titles(benchmark: Benchmark) -> list[list[str]]:
    names = benchmark.corpus["title"][:]
    return [[names[number] for number in row if number >= 0] for row in benchmark.gold]


def extra(benchmark: Benchmark) -> Any:
    return json.loads(benchmark.queries["extra"][0])


def test_musique_in_the_order_of_its_decomposition(card: Any, upstream: Any, store: Store) -> None:
    card("musique", 1, 3)
    data = upstream("musique/musique", MUSIQUE, MUSIQUE_CORPUS)
    benchmark = Musique("musique", str(data)).load(store)
    assert benchmark.doc_ids.to_pylist() == ["musique-00000", "musique-00001", "musique-00002"]
    assert benchmark.corpus["text"][1] == "Barcelona finished the season without trophies."
    assert benchmark.gold.tolist() == [[2, 1]]
    row = benchmark.queries[0]
    assert (row["id"], row["type"], row["hops"]) == ("2hop__13548_13529", "2hop", 2)
    assert row["answers"] == ["June 1982", "1982"]
    assert extra(benchmark)["decomposition"][0] == {
        "question": "Who played?",
        "answer": "Messi",
        "supporting_id": "musique-00002",
    }


def test_2wiki_in_the_order_of_its_supporting_facts(card: Any, upstream: Any, store: Store) -> None:
    card("2wikimultihopqa", 1, 3, chain={"type": ["inference"]})
    data = upstream("2wikimultihopqa", WIKI, WIKI_CORPUS)
    benchmark = TwoWikiMultiHopQA("2wikimultihopqa", str(data)).load(store)
    assert titles(benchmark) == [["Lothair II", "Ermengarde of Tours"]]
    assert benchmark.chain.tolist() == [False]
    assert extra(benchmark)["decomposition"][1]["relation"] == "date of death"


def test_hotpotqa_puts_the_answer_last(card: Any, upstream: Any, store: Store) -> None:
    card("hotpotqa", 1, 2, chain={"order_source": ["answer_last"]})
    data = upstream("hotpotqa/hotpotqa", HOTPOT, HOTPOT_CORPUS)
    benchmark = HotpotQA("hotpotqa", str(data)).load(store)
    assert titles(benchmark) == [["Ada", "Maria Golovin"]]
    assert benchmark.chain.tolist() == [True]
    assert benchmark.corpus["text"][0] == "Ada sang in Maria Golovin."


@pytest.mark.parametrize(
    ("question", "answer", "order", "source"),
    [
        ("Who sang?", "river", ["B", "A"], "answer_last"),
        ("Who sang in A?", "sea", ["A", "B"], "question_title_first"),
        ("Who sang in B?", "sea", ["B", "A"], "question_title_first"),
        ("Who sang in B or A?", "sea", ["A", "B"], "supporting_facts"),
        ("Who sang?", "rive", ["A", "B"], "supporting_facts"),
    ],
)
def test_order_of_bridge_questions(
    question: str, answer: str, order: list[str], source: str
) -> None:
    gold = [
        {"id": "1", "title": "A (film)", "text": "A River by the sea."},
        {"id": "2", "title": "B", "text": "The sea."},
    ]
    found, rule = bridge_order(question, answer, gold)
    assert ([passage["title"][0] for passage in found], rule) == (order, source)


def failure(dataset: Any, store: Store) -> str:
    with pytest.raises(HarnessError) as caught:
        dataset.load(store)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_other_counts_are_another_benchmark(
    card: Any, upstream: Any, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    card("musique", 2, 11)
    made = Musique("musique", str(upstream("musique", MUSIQUE, MUSIQUE_CORPUS))).load(store)
    assert made.name == f"musique_{content_sha256(made)[:8]}"
    assert "1 question and 3 passages" in caplog.text
    assert "passages 11, queries 2" in caplog.text
    assert plain_name(made.name) == "musique"


def test_equal_passages_are_one(card: Any, upstream: Any, store: Store) -> None:
    card("musique", 1, 3)
    twice = [*MUSIQUE_CORPUS, {**MUSIQUE_CORPUS[2], "text": "Messi was  enrolled in 2002."}]
    assert len(Musique("musique", str(upstream("musique", MUSIQUE, twice))).load(store).corpus) == 3


def test_prepared_files_come_first(card: Any, upstream: Any, store: Store) -> None:
    card("musique", 1, 3)
    data = upstream("musique/musique", MUSIQUE, MUSIQUE_CORPUS)
    dataset = Musique("musique", str(data))
    converted = dataset.load(store)
    rows = [
        dict(zip(("id", "title", "text"), row, strict=True))
        for row in [("x", "X", "x."), ("y", "Y", "y.")]
    ]
    query = {
        "id": "q",
        "question": "Q?",
        "answers": [],
        "supporting_ids": ["y"],
        "hops": 1,
        "type": None,
    }
    (data / "musique" / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (data / "musique" / "queries.jsonl").write_text(json.dumps(query))
    assert dataset.load(store).name != "musique"
    card("musique", 1, 2)
    found = dataset.load(store)
    assert (found.name, found.sha256 != converted.sha256) == ("musique", True)


def prepared(folder: Path, **files: list[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for stem, rows in files.items():
        (folder / f"{stem}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_prepared_files_in_the_folder_of_the_name_come_before_those_of_the_alias(
    card: Any, store: Store, tmp_path: Path
) -> None:
    card("musique_804", 1, 1, alias="musique")
    query = {
        "id": "q",
        "question": "Q?",
        "answers": [],
        "supporting_ids": ["y"],
        "in_hipporag_1000": True,
    }
    corpus = [{"id": "y", "title": "Y", "text": "y."}]
    prepared(
        tmp_path / "data" / "musique", corpus=[*corpus, {**corpus[0], "id": "z"}], queries=[query]
    )
    prepared(tmp_path / "data" / "musique_804", corpus=corpus, queries=[query])
    benchmark = Musique("musique_804", str(tmp_path / "data")).load(store)
    assert (benchmark.name, len(benchmark.corpus)) == ("musique_804", 1)
    assert {name: marked.tolist() for name, marked in benchmark.marks.items()} == {
        "in_hipporag_1000": [True]
    }


def test_2wiki_takes_types_and_triples_from_beside_the_queries(
    card: Any, store: Store, tmp_path: Path
) -> None:
    card("2wikimultihopqa", 1, 1, chain={"type": ["inference"]})
    query = {
        "id": "q",
        "question": "Q?",
        "answers": [],
        "supporting_ids": ["y"],
        "type": "compositional",
    }
    folder, dataset = (
        tmp_path / "data" / "2wikimultihopqa",
        TwoWikiMultiHopQA("2wikimultihopqa", str(tmp_path / "data")),
    )
    prepared(folder, corpus=[{"id": "y", "title": "Y", "text": "y."}], queries=[query])
    assert "evidences.jsonl (or .jsonl.gz) is missing" in failure(dataset, store)
    prepared(folder, evidences=[{"id": "p", "type": "inference", "evidences": []}])
    assert "query q is missing (1 are)" in failure(dataset, store)
    prepared(folder, evidences=[{"id": "q", "type": "inference", "evidences": [["a", "b", "c"]]}])
    benchmark = dataset.load(store)
    assert (benchmark.queries["type"][:], benchmark.chain.tolist()) == (["inference"], [True])
    assert extra(benchmark) == {
        "decomposition": [{"subject": "a", "relation": "b", "object": "c"}],
        "type_source": "upstream",
    }


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"question": "Q?"}, "musique.json: record 0: field 'paragraphs' is missing"),
        (
            {**MUSIQUE[0], "paragraphs": []},
            "record 0 (2hop__13548_13529): field question_decomposition: paragraph_support_idx 1 is",
        ),
    ],
)
def test_a_broken_upstream_record_is_named(
    card: Any, upstream: Any, store: Store, record: dict[str, Any], expected: str
) -> None:
    card("musique", 1, 3)
    assert expected in failure(
        Musique("musique", str(upstream("musique", [record], MUSIQUE_CORPUS))), store
    )
