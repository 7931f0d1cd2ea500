"""Hand-worked lists, every score against the definition taken literally, and eq. 4 against the
fuser of that name.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import harness
from harness.benchmark import Benchmark
from harness.core.configuration.conf_files import strategy
from harness.core.errors import HarnessError
from harness.graph.extractor import extract
from harness.graph.extractor.offline import Offline
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.dice.extractor.carried import Carried
from harness.plugins.dice.retriever.dice import Dice
from harness.plugins.dice.triple.edit import EditLabels
from harness.plugins.dice.triple.triples import best_rows
from harness.plugins.dice.triplestore.memory import Memory
from harness.plugins.dice.vectorstore.faiss import Faiss
from harness.retriever import retrieve
from harness.retriever.dense import Dense
from harness.work.store import Store

ENTITIES = {
    "Inception": "Inception is a film.",
    "Christopher Nolan": "He was born in London.",
    "London": "A city on the Thames.",
    "Memento": "A film of memory.",
    "Emma Thomas": "A producer.",
    "Interstellar": "Space.",
}
TRIPLES = [
    ("Inception", "directed by", "Christopher Nolan"),
    ("Memento", "directed by", "Christopher Nolan"),
    ("Christopher Nolan", "place of birth", "London"),
    ("Christopher Nolan", "spouse", "Emma Thomas"),
    ("Interstellar", "directed by", "Christopher Nolan"),
    ("Inception", "produced by", "Emma Thomas"),
]
QUESTIONS = [
    "Who directed Inception?",
    "Where was the director of Memento born?",
    "spouse of Christopher Nolan",
]
GRAPH = Dice(Carried(), Hashed(), Memory(), Faiss(), seeds=2, rows=3, union=False)

Titled = Callable[..., Benchmark]


@pytest.fixture
def world(titled: Titled) -> Benchmark:
    names = list(ENTITIES)
    heads, relations, tails = zip(*TRIPLES, strict=True)
    ends = [pa.array(map(names.index, each), pa.int32()) for each in (heads, tails)]
    table = pa.table({"subject": ends[0], "relation": list(relations), "object": ends[1]})
    return replace(titled(ENTITIES, QUESTIONS), triples=table)


def similarity(question: str, label: str) -> float:
    one, other = (
        Counter(word[i : i + 2] for word in text.upper().split() for i in range(len(word) - 1))
        for text in (question, label)
    )
    return 2 * (one & other).total() / (one.total() + other.total())


def literally(dice: Dice, benchmark: Benchmark, store: Store, place: int) -> dict[str, float]:
    """The definition in the class's docstring, one triple at a time; titles lead to passages."""
    question, names = QUESTIONS[place], list(ENTITIES)
    passages = embed(dice.encoder, benchmark.passages, "passage", store).astype(np.float64)
    asked = embed(dice.encoder, benchmark.questions, "question", store)[place]
    cosine = passages @ asked.astype(np.float64)
    near = sorted(range(len(names)), key=lambda d: (-cosine[d], d))[: dice.seeds]
    seeds = {names[d] for d in near} if dice.seeds else set(names)
    rows = []
    for number, (head, relation, tail) in enumerate(TRIPLES):
        score = sum(similarity(question, label) for label in (head, relation, tail)) / 3
        rows += [(-score, number, 0, tail)] * (head in seeds)
        rows += [(-score, number, 1, head)] * (dice.inward and tail in seeds)
    found: dict[str, float] = {}
    for score, _, _, far in sorted(rows)[: dice.rows]:
        found[far] = max(found.get(far, 0.0), -score)
    if dice.union:
        found = {name: score + dice.epsilon for name, score in found.items()}
        for d in near:
            found[names[d]] = max(found.get(names[d], -np.inf), cosine[d])
    return {f"d{names.index(name):03d}": score for name, score in found.items()}


@pytest.mark.parametrize("union", [True, False])
@pytest.mark.parametrize("inward", [True, False])
@pytest.mark.parametrize(("seeds", "rows"), [(1, 3), (2, 3), (2, None), (6, 2)])
def test_scores_are_the_definition(
    world: Benchmark, tmp_path: Path, union: bool, inward: bool, seeds: int, rows: int | None
) -> None:
    dice = replace(GRAPH, union=union, inward=inward, seeds=seeds, rows=rows)
    run = retrieve(dice, world, Store(tmp_path)).to_dict()
    for place in range(len(QUESTIONS)):
        expected = literally(dice, world, Store(tmp_path), place)
        assert run[f"q{place}"] == pytest.approx(expected, abs=1e-6)


def test_without_seeds_every_triple_is_scored(world: Benchmark, tmp_path: Path) -> None:
    dice = replace(GRAPH, seeds=None, inward=False, rows=1)
    run = retrieve(dice, world, Store(tmp_path)).to_dict()
    assert run["q2"] == pytest.approx(literally(dice, world, Store(tmp_path), 2), abs=1e-6)


@pytest.mark.parametrize("seeds", [1, 2, 6])
def test_the_union_is_what_the_fuser_makes_of_both_lists(
    world: Benchmark, tmp_path: Path, seeds: int
) -> None:
    store, graph = Store(tmp_path), replace(GRAPH, seeds=seeds, rows=None)
    dense = retrieve(Dense(Hashed(), depth=seeds), world, store)
    lists = {"dense": dense, "graph": retrieve(graph, world, store)}
    fused = harness.fuse(lists, "dice", "none")
    union = retrieve(replace(graph, union=True), world, store)
    assert fused.to_dict() == union.to_dict()
    assert fused.docs.tobytes() == union.docs.tobytes()


def test_seeds_from_what_the_question_names(world: Benchmark, tmp_path: Path) -> None:
    named = replace(GRAPH, start="names", rows=None)
    run = retrieve(named, world, Store(tmp_path)).to_dict()
    assert set(run["q0"]) == {"d001", "d004"}  # Inception: directed by, produced by
    assert set(run["q1"]) == {"d001"}  # Memento
    assert set(run["q2"]) == {f"d00{n}" for n in (0, 2, 3, 4, 5)}  # Nolan, both ways


@dataclass(frozen=True)
class Scarce:
    """Finds the first passage alone, as an approximate index may."""

    @contextlib.contextmanager
    def open(self, vectors: NDArray[np.float32]) -> Iterator[Any]:
        def search(questions: NDArray[np.float32], depth: int) -> Any:
            docs = np.tile(np.array([0, *[-1] * (depth - 1)]), (len(questions), 1))
            return docs, np.where(docs < 0, -np.inf, 0.25)

        yield search


def test_an_index_that_finds_fewer_gives_fewer(world: Benchmark, tmp_path: Path) -> None:
    dice = replace(GRAPH, vectorstore=Scarce(), seeds=3, rows=None, inward=False, union=True)
    run = retrieve(dice, world, Store(tmp_path)).to_dict()
    assert all(set(found) == {"d000", "d001", "d004"} for found in run.values())
    assert run["q2"]["d000"] == 0.25


def test_best_rows_by_hand() -> None:
    """Ends (0, 1), (1, 0), (2, 2), (0, 2); seeds 0 and 2. A self-loop is one row; ties by triple,
    the tail first.
    """
    table = np.array([[0, 9, 1], [1, 9, 0], [2, 9, 2], [0, 9, 2]])
    score, hop = np.array([0.5, 0.5, 0.9, 0.5]), np.array([0, 1, 0])
    triple, far, value = best_rows(table, np.arange(4), score, hop, 1, True, None)
    assert (triple.tolist(), far.tolist()) == ([2, 0, 1, 3, 3], [2, 1, 1, 2, 0])
    assert value.tolist() == [0.9, 0.5, 0.5, 0.5, 0.5]
    assert best_rows(table, np.arange(4), score, hop, 1, True, 2)[0].tolist() == [2, 0]
    some = np.array([0, 2, 3])
    assert best_rows(table, some, score[some], hop, 1, False, None)[0].tolist() == [2, 0, 3]
    assert best_rows(table, np.arange(4), score, None, 1, False, None)[1].tolist() == [2, 1, 0, 2]
    assert best_rows(table, np.empty(0, np.int64), np.empty(0), hop, 1, True, 3)[0].tolist() == []
    # 0 - 1 - 2 from 0 in two hops: a row leads away from the seed
    chain, hop = np.array([[0, 9, 1], [1, 9, 2]]), np.array([0, 1, 2])
    assert best_rows(chain, np.arange(2), score[:2], hop, 2, True, None)[1].tolist() == [1, 2]


def expanded(world: Benchmark, folder: Path, **fields: Any) -> list[set[str]]:
    """The titles that each question's graph branch reaches from what the question names,
    all rows.
    """
    dice = replace(GRAPH, start="names", rows=None, **fields)
    run = retrieve(dice, world, Store(folder)).to_dict()
    return [{list(ENTITIES)[int(doc[1:])] for doc in found} for found in run.values()]


@pytest.mark.parametrize("name", ["memory", "ladybug"])
def test_two_hops_reach_further_and_relations_like_the_question_guide_them(
    world: Benchmark, tmp_path: Path, name: str
) -> None:
    """From Memento: its director in one hop; in two his birthplace, wife and other films. From
    Nolan all are one hop away; "spouse", the relation most like the third question, leads on to
    Emma Thomas alone, and from her back to Inception.
    """
    if name == "ladybug":
        pytest.importorskip("ladybug", reason="the extra `stores` is not installed")
    fields = {"triplestore": strategy("triplestore", name)}
    near, films = {"Christopher Nolan", "London", "Emma Thomas"}, {"Inception", "Interstellar"}
    assert expanded(world, tmp_path, **fields)[1] == {"Christopher Nolan"}
    assert expanded(world, tmp_path, **fields, hops=2)[1] == near | films
    assert expanded(world, tmp_path, **fields, hops=2, inward=False)[1] == near
    guided = expanded(world, tmp_path, **fields, hops=2, relations=1, inward=False)
    assert guided[1] == near  # director of: directed by
    assert guided[0] == near  # directed: not by "produced by", which leads nowhere further
    assert expanded(world, tmp_path, **fields, hops=3, relations=1, inward=False)[0] == near


@pytest.mark.parametrize(
    ("kind", "question", "label", "expected"),
    [
        ("levenshtein", "Kitten", "sitting", 1 - 3 / 7),
        ("levenshtein", "saturday", "sunday", 1 - 3 / 8),
        ("jaro_winkler", "MARTHA", "marhta", 0.9611),  # Winkler 1990
        ("jaro_winkler", "dixon", "dicksonx", 0.8133),
        ("jaro_winkler", "dwayne", "duane", 0.84),
    ],
)
def test_similarities_by_edits(kind: str, question: str, label: str, expected: float) -> None:
    pytest.importorskip("rapidfuzz", reason="an installation from before it was in `sweep`")
    labels = EditLabels.of(["other", label], kind)
    table = np.array([[0, 0, 0], [1, 1, 1], [0, 1, 1]])
    other, found, mixed = labels.scores(question, np.arange(3), table).tolist()
    assert found == pytest.approx(expected, abs=5e-5)
    assert mixed == pytest.approx((other + 2 * found) / 3)


PASSAGES = {
    "Dune (film)": "Dune was filmed by David Lynch. It has Sting.",
    "David Lynch": "David Lynch grew up in Missoula.",
    "Missoula": "Missoula is a city that David Lynch left.",
    "Sting": "Sting is a singer.",
}
TITLES = Offline(model=None, spans=False)


@pytest.mark.parametrize(
    ("leads", "expected"), [("title", {"d001", "d003"}), ("both", {"d000", "d001", "d003"})]
)
def test_sentences_lead_to_passages(
    titled: Titled, tmp_path: Path, leads: str, expected: set[str]
) -> None:
    question, labels = "Who filmed Dune?", ("Dune was filmed by David Lynch.", "David Lynch")
    fields = {"reads": "sentences", "leads": leads, "seeds": 1, "rows": None, "inward": False}
    dice = replace(GRAPH, extractor=TITLES, **fields)
    run = retrieve(dice, titled(PASSAGES, [question]), Store(tmp_path)).to_dict()["q0"]
    assert set(run) == expected
    best = sum(similarity(question, label) for label in ("Dune (film)", *labels)) / 3
    assert max(run.values()) == pytest.approx(best)


def test_no_triples_is_an_empty_list(titled: Titled, tmp_path: Path) -> None:
    benchmark = titled(PASSAGES, ["Who filmed Dune?"])
    assert extract(TITLES, benchmark, Store(tmp_path)).triples.subject.size == 0
    dice = replace(GRAPH, extractor=TITLES, seeds=1)
    assert retrieve(dice, benchmark, Store(tmp_path)).lengths().tolist() == [0]
    assert retrieve(replace(dice, union=True), benchmark, Store(tmp_path)).lengths().tolist() == [1]


def test_the_same_bytes_again_and_from_every_store(world: Benchmark, tmp_path: Path) -> None:
    first, _ = GRAPH.retrieve(world, Store(tmp_path / "one"))
    for library in ("ladybug", "chromadb"):
        pytest.importorskip(library, reason="the extra `stores` is not installed")
    for dice in (
        replace(GRAPH),
        replace(GRAPH, triplestore=strategy("triplestore", "ladybug")),
        replace(GRAPH, vectorstore=strategy("vectorstore", "chroma")),
    ):
        other, _ = dice.retrieve(world, Store(tmp_path / "two"))
        assert other.docs.tobytes() == first.docs.tobytes()
        assert other.scores.tobytes() == first.scores.tobytes()


BEYOND = {"seeds": 0, "rows": 0, "epsilon": -1, "hops": 0, "relations": 0}
UNKNOWN = {"start": "name", "reads": "triple", "leads": "titel", "similarity": "levenstein"}


@pytest.mark.parametrize(("field", "bad"), {**BEYOND, **UNKNOWN}.items())
def test_a_value_that_cannot_be_is_named(field: str, bad: Any) -> None:
    with pytest.raises(HarnessError, match=rf"^lists\.NAME\..*{field}={bad}"):
        replace(GRAPH, **{field: bad})
