"""Hand-worked walks, and every score against the definition taken literally."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.graph.extractor.offline import Offline
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.mentions.retriever.mention_walk import MentionWalk
from harness.retriever import retrieve
from harness.work.store import Store

TITLES = Offline(model=None, spans=False)
WORLD = [
    ("Dune (film)", "Dune was filmed by David Lynch, with Sting."),
    ("David Lynch", "David Lynch grew up in Missoula."),
    ("Missoula", "Missoula is a city that David Lynch left."),
    ("Sting", "Sting is a singer."),
    ("Dune (novel)", "Dune was written by Frank Herbert."),
    ("Frank Herbert", "He was born in Tacoma."),
    ("Nowhere", "Nothing is said here."),
]
LINKS = {0: [1, 3, 4], 1: [2], 2: [1], 4: [5, 0]}
"""Who names whom; both passages with the title Dune are named by each other."""
NAMED = {0: [0, 4], 1: [3], 2: []}
QUESTIONS = ["Where did the director of Dune grow up?", "Who is Sting?", "what is said"]
ASKED = ["Where did the director of it grow up?", "Who is it?", "what is said"]


@pytest.fixture(scope="module")
def world(benchmark_of) -> Benchmark:
    return benchmark_of(WORLD, QUESTIONS)


def literally(
    walk: MentionWalk, benchmark: Benchmark, store: Store, question: int
) -> dict[int, float]:
    """The definition in the class's docstring, one question and one edge at a time."""
    passages = embed(walk.encoder, benchmark.passages, "passage", store).astype(np.float64)
    similar, asked = (
        (passages @ embed(walk.encoder, texts, "question", store)[question]).tolist()
        for texts in (benchmark.questions, ASKED)
    )
    edges = {(p, c) for p, named in LINKS.items() for c in named}
    if walk.direction == "in":
        edges = {(c, p) for p, c in edges}
    if walk.direction == "both":
        edges |= {(c, p) for p, c in edges}
    near = sorted(range(len(WORLD)), key=lambda p: (-similar[p], p))[: walk.passages]
    named = NAMED[question]
    scores = {p: similar[p] + walk.bonus * (p in named) for p in {*near, *named}}
    frontier = dict(scores)
    for _ in range(walk.steps):
        reached: dict[int, float] = {}
        for p, c in edges:
            if p in frontier:
                prior = walk.prior / np.log2(2 + sum(other == c for _, other in edges))
                cosines = walk.cosine * similar[c] + walk.relation * asked[c]
                score = walk.link * frontier[p] + cosines + prior
                reached[c] = max(reached.get(c, -np.inf), score)
        frontier = reached
        for c, score in reached.items():
            scores[c] = max(scores.get(c, -np.inf), score)
    return scores


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("passages", [0, 1, 3])
def test_scores_are_the_definition(
    world: Benchmark, tmp_path: Path, direction: str, steps: int, passages: int
) -> None:
    walk = MentionWalk(TITLES, Hashed(), passages=passages, steps=steps, direction=direction)
    run = retrieve(walk, world, Store(tmp_path)).to_dict()
    for question in range(len(QUESTIONS)):
        expected = literally(walk, world, Store(tmp_path), question)
        found = {int(doc[1:]): score for doc, score in run[f"q{question}"].items()}
        assert found == pytest.approx(expected, abs=1e-6)


@dataclass(frozen=True)
class Flat:
    """An encoder for which everything is equally near: all cosines are 1."""

    def open(self) -> Any:
        class Model:
            dimension = 2
            facts: dict[str, Any] = {}  # noqa: RUF012

            def encode(self, texts: Any, role: str, advance: Any) -> Any:
                vectors = np.tile(np.array([1, 0], np.float32), (len(texts), 1))
                return vectors, np.zeros(len(texts), dtype=np.bool_)

        return Model()


def test_two_steps_worked_by_hand(world: Benchmark, tmp_path: Path) -> None:
    """Seeds 0 and 4, 1.3 each. Step 1: 1, 3, 5, 0, 4 at .6 1.3 + .4 + prior; in-degrees 2, 1, 1.
    Step 2: 2 from 1.
    """
    weights = {"bonus": 0.3, "link": 0.6, "cosine": 0.3, "relation": 0.1, "prior": 0.1}
    walk = MentionWalk(TITLES, Flat(), passages=0, steps=2, **weights)  # type: ignore[arg-type]
    found = retrieve(walk, world, Store(tmp_path)).to_dict()["q0"]
    first, second = 0.78 + 0.4 + 0.1 / 2, 0.78 + 0.4 + 0.1 / np.log2(3)
    third = 0.6 * first + 0.4 + 0.1 / np.log2(3)
    expected = {"d0": 1.3, "d4": 1.3, "d1": first, "d3": second, "d5": second, "d2": third}
    assert found == pytest.approx(expected)
    assert list(found) == ["d0", "d4", "d3", "d5", "d1", "d2"]


def test_a_seed_that_is_not_reached_keeps_its_own_score(world: Benchmark, tmp_path: Path) -> None:
    nothing = dict.fromkeys(("bonus", "link", "cosine", "relation", "prior"), 0.0)
    walk = MentionWalk(TITLES, Flat(), passages=7, **nothing)  # type: ignore[arg-type]
    assert set(retrieve(walk, world, Store(tmp_path)).to_dict()["q2"].values()) == {1.0}


@pytest.mark.parametrize(
    ("field", "bad"), [("passages", -1), ("bonus", -1), ("link", float("nan")), ("steps", -1)]
)
def test_bounds(field: str, bad: float) -> None:
    with pytest.raises(HarnessError, match=rf"lists\.NAME\.{field}.*got {field}={bad}"):
        MentionWalk(TITLES, Hashed(), **{field: bad})  # type: ignore[arg-type]


def test_an_unknown_direction_names_the_known_ones() -> None:
    with pytest.raises(HarnessError, match=r"direction=outward.*out"):
        MentionWalk(TITLES, Hashed(), direction="outward")
