from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.benchmark import Benchmark
from harness.benchmark.dataset.folder import Folder
from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from harness.work.store import Store

CORPUS = [
    {"id": "p2", "title": "Ada Holt", "text": "Ada Holt was born in Ulmford."},
    {"id": "p1", "title": "Red Door", "text": "Red Door is a film by Ada Holt."},
    {"id": "p3", "title": "", "text": "Ulmford is a town."},
]
QUERIES = [
    {
        "id": "q1",
        "question": "Where was the director of Red Door born?",
        "answers": ["Ulmford"],
        "supporting_ids": ["p1", "p2"],
        "hops": 2,
        "type": "compositional",
    },
    {
        "id": "q2",
        "question": "What is Ulmford?",
        "answers": [],
        "supporting_ids": ["p3"],
        "hops": 1,
        "type": None,
    },
]

Write = Callable[..., Path]


def lines(records: Iterable[Mapping[str, Any] | str]) -> str:
    return "".join(
        (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in records
    )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write prepared files into a folder; records may be given as they should stand in the file."""

    def write(
        corpus: Iterable[Mapping[str, Any] | str] = CORPUS,
        queries: Iterable[Mapping[str, Any] | str] = QUERIES,
        folder: str = "mine",
        compressed: bool = False,
    ) -> Path:
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, records in (("corpus", corpus), ("queries", queries)):
            data = lines(records).encode()
            path = place / f"{name}.jsonl{'.gz' if compressed else ''}"
            path.write_bytes(gzip.compress(data, mtime=0) if compressed else data)
        return place

    return write


def load(folder: Path, store: Store, **given: object) -> Benchmark:
    return Folder(path=str(folder), **given).load(store)  # type: ignore[arg-type]


def failure(folder: Path, store: Store) -> str:
    with pytest.raises(HarnessError) as caught:
        load(folder, store)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_corpus_is_sorted_and_gold_is_numbered_in_hop_order(write: Write, store: Store) -> None:
    benchmark = load(write(), store)
    assert benchmark.name == "mine"
    assert benchmark.doc_ids.to_pylist() == ["p1", "p2", "p3"]
    assert benchmark.query_ids.to_pylist() == ["q1", "q2"]
    assert benchmark.gold.dtype == np.int32
    assert benchmark.gold.tolist() == [[0, 1], [2, -1]]
    assert benchmark.passages[2] == "Ulmford is a town."
    assert benchmark.queries["type"][:] == ["compositional", None]


def test_other_fields_are_kept_as_extra(write: Write, store: Store) -> None:
    steps = [{"question": "Who directed it?", "answer": "Ada Holt"}]
    benchmark = load(write(queries=[{**QUERIES[0], "decomposition": steps}, QUERIES[1]]), store)
    assert [json.loads(value) for value in benchmark.queries["extra"][:]] == [
        {"decomposition": steps},
        {},
    ]


def test_answers_may_be_left_out(write: Write, store: Store) -> None:
    bare = {key: QUERIES[0][key] for key in ("id", "question", "supporting_ids")}
    benchmark = load(write(queries=[bare]), store)
    assert benchmark.queries["answers"][:] == [[]]
    with pytest.raises(HarnessError, match=r"q1.*`answers`"):
        pytest.importorskip("harness.plugins.llm.answering.answering").gold_answers(
            benchmark, np.arange(1)
        )


def test_titles_may_be_left_out(write: Write, store: Store) -> None:
    """Pyserini and FlashRAG have the title in quotes before the text."""
    corpus = [
        {"id": "p1", "contents": '"Red Door"\nA film by\nAda Holt.'},
        {"id": "p2", "contents": '"Yes" was all she said.'},
        {"id": "p3", "text": "Ulmford is a town."},
        {"id": "p4", "title": None, "text": "x"},
    ]
    benchmark = load(write(corpus[:3]), store)
    assert benchmark.corpus["title"][:] == ["Red Door", "", ""]
    assert benchmark.corpus["text"][:] == [
        "A film by\nAda Holt.",
        '"Yes" was all she said.',
        "Ulmford is a town.",
    ]
    assert "field title must be a string, found None" in failure(write(corpus), store)


def test_chain_rule(write: Write, store: Store) -> None:
    folder = write()
    assert load(folder, store).chain.tolist() == [True, True]
    other = Store(store.root / "other")
    assert load(folder, other, chain={"type": ["compositional"]}).chain.tolist() == [True, False]
    assert load(folder, Store(store.root / "third"), chain="none").chain.tolist() == [False, False]
    said = load(
        write(queries=[QUERIES[0], {**QUERIES[1], "ordered": False}]), Store(store.root / "fourth")
    )
    assert said.ordered.tolist() == said.chain.tolist() == [True, False]
    every = load(folder, Store(store.root / "every"), chain="all")
    assert every.ordered.tolist() == every.chain.tolist() == [True, True]
    assert Gold.read(folder / "queries.jsonl").has_last_hop.tolist() == [True, False]
    write(queries=[QUERIES[0], {**QUERIES[1], "ordered": "no"}])
    with pytest.raises(HarnessError, match=r"query q2.*'no'"):
        load(folder, Store(store.root / "fifth"))
    with pytest.raises(HarnessError, match=r"dataset\.chain"):
        Folder(chain="some")


def test_hash_ignores_compression_key_order_corpus_order_and_idle_fields(
    write: Write, store: Store
) -> None:
    plain = load(write(), store).sha256
    turned = [dict(reversed(query.items())) | {"note": "idle"} for query in QUERIES]
    assert load(write(CORPUS[::-1], turned, folder="other", compressed=True), store).sha256 == plain


@pytest.mark.parametrize(
    "queries",
    [
        QUERIES[::-1],
        [{**QUERIES[0], "question": "Where?"}, QUERIES[1]],
        [{**QUERIES[0], "supporting_ids": ["p2", "p1"]}, QUERIES[1]],
        [{**QUERIES[0], "answers": []}, QUERIES[1]],
        [{**QUERIES[0], "type": "inference"}, QUERIES[1]],
    ],
    ids=["order", "question", "hop order", "answers", "type"],
)
def test_hash_sees_what_counts(
    write: Write, store: Store, queries: list[dict[str, object]]
) -> None:
    assert load(write(queries=queries, folder="other"), store).sha256 != load(write(), store).sha256


Q = json.dumps(QUERIES[0])


@pytest.mark.parametrize(
    ("corpus", "queries", "expected"),
    [
        (CORPUS, [Q, "{broken"], "queries.jsonl:2: broken JSON"),
        (CORPUS, ["", Q, "", "[1]"], "queries.jsonl:4: expected a JSON object, found list"),
        ([*CORPUS, '{"id": "p4",}'], [Q], "corpus.jsonl:4: broken JSON"),
        (CORPUS, [Q, Q], "queries.jsonl:2: duplicate id q1, first at"),
        ([*CORPUS, CORPUS[0]], [Q], "corpus.jsonl:4: duplicate id p2, first at"),
        (
            CORPUS,
            [{**QUERIES[0], "supporting_ids": ["p9"]}],
            "l:1: query q1 has the unknown supporting id p9",
        ),
        (
            CORPUS,
            [{**QUERIES[0], "supporting_ids": []}],
            "queries.jsonl: no query has supporting_ids",
        ),
        (
            CORPUS,
            [{**QUERIES[0], "supporting_ids": ["p1"] * 2}],
            "l:1: query q1: supporting_ids names a document twice",
        ),
        (
            [*CORPUS, {"id": "p4", "title": " ", "text": "\t"}],
            [Q],
            "corpus.jsonl:4: p4 has an empty title and text",
        ),
        (CORPUS, [{**QUERIES[0], "question": ""}], "queries.jsonl:1: q1 has an empty question"),
        (
            [{"id": "p1", "title": "x"}],
            [Q],
            "corpus.jsonl:1: field text must be a string, it is missing",
        ),
        (
            [{"id": 1, "title": "x", "text": "y"}],
            [Q],
            "corpus.jsonl:1: field id must be a string, found 1",
        ),
        (
            [{"id": "a b", "title": "x", "text": "y"}],
            [Q],
            "corpus.jsonl:1: id 'a b' must be neither empty nor",
        ),
        (
            CORPUS,
            [{**QUERIES[0], "answers": "Ulmford"}],
            "field answers must be a list of strings, found 'Ulmford'",
        ),
        (
            CORPUS,
            [{**QUERIES[0], "answers": [1889]}],
            "field answers: expected a text, got an int, 1889",
        ),
        (
            CORPUS,
            [{**QUERIES[0], "hops": "2"}],
            "hops must be a whole number from 1 to 999, or missing, found '2'",
        ),
        (
            CORPUS,
            [{**QUERIES[0], "hops": 0}],
            "hops must be a whole number from 1 to 999, or missing, found 0",
        ),
        (CORPUS, [{**QUERIES[0], "type": 3}], "type must be a text, or missing, found 3"),
        (CORPUS, [], "queries.jsonl: the file is empty"),
        ([""], [Q], "corpus.jsonl: the file is empty"),
        (CORPUS, ['{"id": "q\\ud800"}'], "queries.jsonl:1: half of a surrogate pair"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    write: Write, store: Store, corpus: list[object], queries: list[object], expected: str
) -> None:
    assert expected in failure(write(corpus, queries), store)


def test_missing_files(write: Write, store: Store, tmp_path: Path) -> None:
    folder = write()
    (folder / "queries.jsonl").rename(tmp_path / "away")
    assert "queries.jsonl (or .jsonl.gz) is missing" in failure(folder, store)
    assert "no such folder" in failure(tmp_path / "nowhere", store)
    with pytest.raises(HarnessError, match=r"dataset\.path"):
        Folder().load(store)


def test_plain_and_compressed_together_are_refused(write: Write, store: Store) -> None:
    write()
    assert "are both there; remove one" in failure(write(compressed=True), store)


def test_a_folder_of_ones_own_may_change(write: Write, store: Store) -> None:
    first = load(write(), store).sha256
    assert load(write(compressed=False), store).sha256 == first
    folder = write([*CORPUS[:2], {**CORPUS[2], "text": "Ulmford is a city."}])
    changed = load(folder, store).sha256
    assert changed != first
    assert load(folder, Store(store.root / "anew")).sha256 == changed


ANY = st.characters(blacklist_categories=["Cs"])
NO_SPACE = st.characters(
    min_codepoint=33, max_codepoint=0x2FFF, blacklist_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]
)
text = st.text(ANY, min_size=1).filter(lambda value: value.strip() != "")
name = st.text(NO_SPACE, min_size=1, max_size=4)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    passages=st.dictionaries(name, st.tuples(st.text(ANY), text), min_size=1, max_size=6),
    asked=st.dictionaries(name, text, min_size=1, max_size=4),
    seed=st.integers(0, 999),
)
def test_any_text_survives_and_its_hash_does_not_depend_on_the_writing(
    tmp_path: Path, passages: dict[str, tuple[str, str]], asked: dict[str, str], seed: int
) -> None:
    draw = random.Random(seed)
    corpus = [{"id": key, "title": title, "text": body} for key, (title, body) in passages.items()]
    queries = [
        {
            "id": key,
            "question": body,
            "answers": [body],
            "supporting_ids": draw.sample(sorted(passages), 1),
        }
        for key, body in asked.items()
    ]
    found = []
    for ascii_only in (False, True):
        draw.shuffle(corpus)
        for stem, records in (("corpus", corpus), ("queries", queries)):
            rows = [json.dumps(record, ensure_ascii=ascii_only) for record in records]
            (tmp_path / f"{stem}.jsonl").write_text(lines(rows), encoding="utf-8", newline="\n")
        found.append(Folder(path=str(tmp_path)).load(Store(Path(mkdtemp(dir=tmp_path)))))
    assert found[0].sha256 == found[1].sha256
    ids = sorted(passages)
    assert found[0].doc_ids.to_pylist() == ids
    assert found[0].corpus["text"][:] == [passages[key][1] for key in ids]
    assert [ids[number] for number in found[0].gold[:, 0]] == [
        query["supporting_ids"][0] for query in queries
    ]


def test_queries_without_gold_are_left_out_and_counted(
    write: Write, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    given = [QUERIES[0], {**QUERIES[1], "supporting_ids": []}]
    made = load(write(queries=given), store)
    assert (made.queries["id"][:], made.left_out) == ([QUERIES[0]["id"]], {"queries": 1})
    assert "1 of 2 queries have no supporting_ids; left out" in caplog.text


def beir(folder: Path) -> None:
    """Three passages, one a title alone and one empty; two splits of judgements, one of a passage
    that is not there.
    """
    passages = [
        ("d1", "A real title", ""),
        ("d2", "B", "words"),
        ("d3", "", " "),
        ("d4", "", "more words"),
    ]
    rows = [
        json.dumps({"_id": name, "title": title, "text": text}) for name, title, text in passages
    ]
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    asked = [json.dumps({"_id": name, "text": f"{name}?"}) for name in ("q1", "q2", "q3", "q4")]
    (folder / "queries.jsonl").write_text("\n".join(asked))
    (folder / "qrels").mkdir()
    head = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "test.tsv").write_text(
        f"{head}q1\td1\t2\nq1\td2\t1\nq1\td4\t0\nq2\td1\t1\n"
    )
    rows = [
        json.dumps({"query-id": "q3", "corpus-id": name, "score": 1.0}) for name in ("d3", "d4")
    ]
    (folder / "qrels" / "dev.jsonl").write_text("\n".join(rows))


def test_a_folder_of_beir_is_a_benchmark_and_gold(
    tmp_path: Path, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """By hand: BEIR reads title and text, so d1 stays; d3 has neither, and its judgement goes with
    it.
    """
    folder = tmp_path / "mine"
    folder.mkdir()
    beir(folder)
    made = load(folder, store)
    assert made.doc_ids.to_pylist() == ["d1", "d2", "d4"]
    found = dict(zip(made.queries["id"][:], made.queries["supporting_ids"][:], strict=True))
    assert found == {"q1": ["d1", "d2"], "q2": ["d1"], "q3": ["d4"]}
    assert made.left_out == {"passages": 1, "judgements": 1}
    assert "left out: 1 passage without title and text" in caplog.text
    assert "left out: 1 relevant passage of its judgements that is not in the corpus" in caplog.text
    assert list(made.given or ()) == ["test", "test", "dev"]
    gold = Gold.read(folder)
    assert gold.to_dict() == {
        "q3": {"d3": 1, "d4": 1},
        "q1": {"d1": 2, "d2": 1, "d4": 0},
        "q2": {"d1": 1},
    }
    assert gold.split("test", "given").query_ids == ["q1", "q2"]
    (folder / "qrels" / "dev.jsonl").write_text(
        '{"query-id": "q3", "corpus-id": "d3", "score": 0.5}'
    )
    with pytest.raises(HarnessError, match=r"dev\.jsonl:1:.*0.5"):
        load(folder, store)
    (folder / "qrels" / "dev.jsonl").write_text('{"query-id": "q3", "score": 1}')
    with pytest.raises(HarnessError, match=r"dev\.jsonl:1:"):
        load(folder, store)
    (folder / "qrels" / "dev.jsonl").unlink()
    (folder / "qrels" / "dev.tsv").write_text("q3\td3\t1\n")
    with pytest.raises(HarnessError, match=r"dev\.tsv:1:"):
        load(folder, store)
    head = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "dev.tsv").write_text(f"{head}q9\td2\t1\n")
    assert load(folder, store).left_out["judged queries"] == 1
    (folder / "qrels" / "dev.tsv").write_text(f"{head}q3\td4\t1\nq3\td4\t0\n")
    with pytest.raises(HarnessError, match="query q3: passage d4 is judged 1 and 0"):
        load(folder, store)
