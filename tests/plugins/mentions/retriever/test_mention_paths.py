"""Sentences, words and edges by hand; every score against the definition taken literally."""

import functools
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.mentions.retriever.evidence import Edge, Weights
from harness.plugins.mentions.retriever.mention_paths import MentionPaths
from harness.plugins.mentions.retriever.mentions.question_words import QuestionWords, sum_shares
from harness.plugins.mentions.retriever.mentions.sentence import spans
from harness.retriever import retrieve
from harness.work.store import Store

WORLD = [
    ("Dune (film)", "It is a film. Dune was filmed by David Lynch, with Sting."),
    ("David Lynch", "David Lynch grew up in Missoula. He met Ann Boe there."),
    ("Missoula", "Missoula is a city that David Lynch left."),
    ("Sting", "Sting is a singer."),
    ("Dune (novel)", "Dune was written by Frank Herbert."),
    ("Frank Herbert", "He was born in Tacoma. His friend was Ann Boe."),
    ("Nowhere", "Nothing is said here."),
]
NAMES = [(0, 1, 1), (0, 3, 1), (0, 4, 1), (1, 2, 0), (2, 1, 0), (4, 5, 0), (4, 0, 0)]
"""(text, the passage whose title it names, sentence that does). A text's own name is the other
Dune's title.
"""
SHARED = [(1, 5, 1), (5, 1, 1), (0, 4, 1), (4, 0, 0), (1, 2, 0), (2, 1, 0), (0, 3, 1), (3, 0, 0)]
"""Ann Boe, Dune, Missoula and Sting are in two passages each; David Lynch is in three, more than
``widest``.
"""
TITLED = {0: [0, 4], 1: [3], 2: []}
QUESTIONS = ["Where did the director of Dune grow up?", "Who is Sting?", "what is said"]
ASKED = ["Where did the director of it grow up?", "Who is it?", "what is said"]
SENTENCES = [[text[a:b] for a, b in spans(text)] for _, text in WORLD]
EXTRACTOR = Offline(model=None, spans=True)


@pytest.fixture(scope="module")
def world(benchmark_of) -> Benchmark:
    return benchmark_of(WORLD, QUESTIONS)


FULL = MentionPaths(
    EXTRACTOR,
    Hashed(),
    own=Weights(1.0, 0.5, 0.7, 0.3, 0.9, 0.4),
    bridge=Weights(0.3, 0.2, 0.1, 0.4, 0.5, 0.6),
    end=Weights(0.2, 0.8, 0.3, 0.6, 0.4, 0.1),
    names=Edge(0.3, 0.2, 0.5, 0.7, 0.9),
    named_by=Edge(0.1, 0.3, 0.2, 0.6, 0.8),
    shares=Edge(0.2, 0.1, 0.4, 0.3, 0.5),
    resembles=Edge(0.1, 0.2, 0.3, 0.4, 0.5, 0.9),
    near=3,
    seeds=3,
    close=2,
    widest=2,
)


@functools.cache
def encoded(text: str) -> NDArray[np.float64]:
    vector: NDArray[np.float32] = Hashed().open().encode([text], "passage", lambda done: None)[0][0]
    return vector.astype(np.float64) / float(np.linalg.norm(vector))


@dataclass
class Literal:
    """The definition in the class's docstring, one question and one edge at a time."""

    walk: MentionPaths
    question: int

    def evidence(self, p: int) -> list[float]:
        asked, relation = (encoded(text[self.question]) for text in (QUESTIONS, ASKED))
        title, text = WORLD[p]
        whole = encoded(f"{title}\n{text}")
        parts = [self.sentence(p, n) for n in range(len(SENTENCES[p]))]
        return [
            float(asked @ whole),
            float(relation @ whole),
            max(float(asked @ part) for part in parts),
            max(float(relation @ part) for part in parts),
            self.share({p}),
            float(p in TITLED[self.question]),
        ]

    def sentence(self, p: int, n: int) -> NDArray[np.float64]:
        return encoded(f"{WORLD[p][0]}\n{SENTENCES[p][n]}")

    def share(self, having: set[int], without: set[int] | None = None) -> float:
        words = [{"director", "dune", "grow", "up"}, {"sting"}, {"said"}][self.question]
        bags = [set(re.findall(r"\w+", f"{a} {b}".lower())) for a, b in WORLD]
        count = {word: sum(word in bag for bag in bags) for word in words}
        rarity = {w: np.log(1 + (7 - n + 0.5) / (n + 0.5)) if n else 0.0 for w, n in count.items()}
        there = set().union(*(bags[p] for p in having))
        gone = set().union(*(bags[p] for p in without or ()))
        kept = [rarity[word] for word in words if word in there - gone]
        return float(sum(kept) / sum(rarity.values()))

    def edges(self, p: int, close: bool, first: bool) -> Iterator[tuple[str, int, list[float]]]:
        asked, relation = (encoded(text[self.question]) for text in (QUESTIONS, ASKED))

        def features(
            c: int, sentence: NDArray[np.float64], count: int, bridged: float = 0.0
        ) -> list[float]:
            rarity = 1 / np.log2(2 + count) if count else 0.0
            cosines = [float(relation @ sentence), float(asked @ sentence)]
            return [1, *cosines, rarity, self.share({c}, {p}), bridged]

        for text, c, n in NAMES:
            count = sum(other == c for _, other, _ in NAMES)
            if text == p:
                yield "names", c, features(c, self.sentence(text, n), count)
            if c == p and (self.walk.widest_title is None or count <= self.walk.widest_title):
                yield "named_by", text, features(text, self.sentence(text, n), count)
        if close:
            for text, c, n in SHARED:
                if text == p:
                    yield "shares", c, features(c, self.sentence(p, n), 2)
        if close and first:
            cosine = [float(asked @ self.sentence(p, n)) for n in range(len(SENTENCES[p]))]
            best = cosine.index(max(cosine))
            bridge = encoded(f"{QUESTIONS[self.question]}\n{WORLD[p][0]}\n{SENTENCES[p][best]}")
            cosine = [float(bridge @ encoded(f"{a}\n{b}")) for a, b in WORLD]
            for c in sorted(range(7), key=lambda c: (-cosine[c], c))[: self.walk.near]:
                if c != p:
                    yield "resembles", c, features(c, self.sentence(p, best), 0, cosine[c])

    def scores(self) -> dict[int, float]:
        walk = self.walk
        every = [self.evidence(p) for p in range(7)]

        def worth(how: Weights | Edge, columns: list[float]) -> float:
            return float(np.dot(astuple(how), columns))

        proposed = {
            p
            for j in (0, 2, 4)
            for p in sorted(range(7), key=lambda p: (-every[p][j], p))[: walk.near]
        }
        own = {p: worth(walk.own, every[p]) for p in proposed | set(TITLED[self.question])}
        best = sorted(own, key=lambda p: (-own[p], p))
        seeds = {p: own[p] for p in [*best[: walk.seeds], *TITLED[self.question]]}
        close = sorted(seeds, key=lambda p: (-seeds[p], p))[: walk.close]
        frontier = {p: worth(walk.bridge, every[p]) for p in seeds}
        scores, gone = dict(seeds), set(seeds)
        for step in range(walk.steps):
            before = dict(frontier)
            for p, value in before.items():
                for kind, c, features in self.edges(p, p in close, step == 0):
                    edge = getattr(walk, kind)
                    if edge is not None:
                        reached = value + worth(walk.end, every[c]) + worth(edge, features)
                        scores[c] = max(scores.get(c, -np.inf), reached)
            close = sorted(scores.keys() - gone, key=lambda p: (-scores[p], p))[: walk.close]
            frontier = {p: walk.via * scores[p] for p in close}
            gone |= set(close)
        return scores


@pytest.mark.parametrize("left_out", ["", "names", "named_by", "shares", "resembles"])
@pytest.mark.parametrize("steps", [1, 3])
def test_scores_are_the_definition(
    world: Benchmark, tmp_path: Path, left_out: str, steps: int
) -> None:
    walk = replace(FULL, steps=steps, **({left_out: None} if left_out else {}))  # type: ignore[arg-type]
    check(walk, world, Store(tmp_path))


def check(walk: MentionPaths, world: Benchmark, store: Store) -> None:
    run = retrieve(walk, world, store).to_dict()
    for question in range(len(QUESTIONS)):
        found = {int(doc[1:]): score for doc, score in run[f"q{question}"].items()}
        assert found == pytest.approx(Literal(walk, question).scores(), abs=1e-6)


def test_a_title_that_many_name_does_not_lead_back(
    world: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two texts name David Lynch, one each of the other titles."""
    store = Store(tmp_path)
    check(replace(FULL, widest_title=1), world, store)
    _, facts = replace(FULL, resembles=None).retrieve(world, store)
    assert facts["edges"]["named_by"] == len(NAMES)
    monkeypatch.setattr("harness.plugins.mentions.retriever.mention_paths.LARGE", 6)
    monkeypatch.setattr("harness.plugins.mentions.retriever.mention_paths.HUB", 0)
    _, facts = replace(FULL, resembles=None).retrieve(world, store)
    assert facts["edges"]["named_by"] == 0


def test_hidden_titles_join_nothing(world: Benchmark, tmp_path: Path) -> None:
    """Then only Ann Boe, Dune, Missoula and Sting, as any names, join passages, and no question
    names a passage.
    """
    hidden, facts = replace(FULL, titles=False, resembles=None).retrieve(world, Store(tmp_path))
    assert facts["questions_that_name_a_title"] == 0
    assert list(facts["edges"]) == ["shares"]
    assert set(hidden.to_dict()["q1"]) <= {f"d{p}" for p in range(7)}


def test_blocks_change_nothing(world: Benchmark, tmp_path: Path) -> None:
    one, _ = FULL.retrieve(world, Store(tmp_path))
    two, _ = replace(FULL, block=2).retrieve(world, Store(tmp_path))
    assert (one.docs.tobytes(), one.scores.tobytes()) == (two.docs.tobytes(), two.scores.tobytes())


def test_no_questions(world: Benchmark, tmp_path: Path) -> None:
    parts = world.queries.select([]), world.gold[:0], world.chain[:0]
    run, _ = FULL.retrieve(Benchmark("none", world.corpus, *parts, "0"), Store(tmp_path))
    assert len(run) == 0


def test_sentences_by_hand() -> None:
    text = 'He said "No." Then he left! 12 came? yes. Dr. No'
    parts = ['He said "No.', "Then he left!", "12 came? yes.", "Dr.", "No"]
    assert [text[a:b] for a, b in spans(text)] == parts
    assert spans("") == [(0, 0)]


def test_shares_of_words_by_hand() -> None:
    """cat is in one of three passages, ln(1 + 2.5 / 1.5); dog in two, ln(1 + 1.5 / 2.5); gnu in
    none: it weighs 0.
    """
    asked = QuestionWords.of(
        ["a cat", "the cats and the dog", "dogs"], ["Who is the dog of the cats, gnu?", "what?"]
    )
    cat, dog = np.log(1 + 1.5 / 2.5), np.log(1 + 1.5 / 2.5)
    queries = np.array([0, 1])
    shares = sum_shares(asked.weight[:, None, :], asked.held(queries))
    assert shares == pytest.approx(np.array([[cat, cat + dog, dog], [0, 0, 0]]) / (cat + dog))


@pytest.mark.parametrize(
    ("field", "bad"), [("near", -1), ("seeds", -1), ("via", float("nan")), ("block", 0)]
)
def test_bounds(field: str, bad: float) -> None:
    with pytest.raises(HarnessError, match=rf"lists\.NAME\.{field}.*got {field}={bad}"):
        replace(FULL, **{field: bad})  # type: ignore[arg-type]


def test_a_weight_must_be_a_number() -> None:
    with pytest.raises(HarnessError, match=r".*words=nan"):
        Weights(words=float("nan"))
    with pytest.raises(HarnessError, match="base must be a number"):
        Edge(base="much")  # type: ignore[arg-type]


def test_the_passages_nearest_by_words_are_those_of_greatest_share() -> None:
    random = np.random.default_rng(1)
    words = [f"word{number}" for number in range(12)]
    texts = [" ".join(random.choice(words, 4)) for _ in range(50)]
    questions = [" ".join(random.choice(words, 3)) for _ in range(8)]
    asked, queries = QuestionWords.of(texts, [*questions, "nothing"]), np.arange(9)
    shares = sum_shares(asked.weight[:, None, :], asked.held(queries))
    best = np.argsort(-shares, axis=1, kind="stable")
    for depth in (1, 7, 49, 80):
        assert np.array_equal(asked.nearest(queries, depth), best[:, :depth])


def test_without_sentence_seeds_only_what_is_asked_of_is_encoded(
    world: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every passage is proposed by one or the other, so the scores are those with all sentences."""
    plain = replace(FULL, steps=1, resembles=None, near=7, seeds=7)
    whole, facts = plain.retrieve(world, Store(tmp_path / "whole"))
    assert "sentences_read" not in facts
    read, facts = replace(plain, sentence_seeds=False).retrieve(world, Store(tmp_path / "read"))
    assert facts["sentences_read"] == facts["sentences"]
    assert read.to_dict() == whole.to_dict()
    narrow = replace(plain, sentence_seeds=False, near=1, names=None)
    few, facts = narrow.retrieve(world, Store(tmp_path / "few"))
    assert 0 < facts["sentences_read"] < facts["sentences"]
    assert len(few.docs)
    monkeypatch.setattr("harness.plugins.mentions.retriever.mention_paths.LARGE", 3)
    above, _ = plain.retrieve(world, Store(tmp_path / "above"))
    assert above.to_dict() == read.to_dict()


def test_sentences_along_a_second_step_are_not_read_piecemeal() -> None:
    with pytest.raises(
        HarnessError, match=r"lists\.NAME\.sentence_seeds=false .*steps=1 and .*resembles=null"
    ):
        replace(FULL, sentence_seeds=False)
