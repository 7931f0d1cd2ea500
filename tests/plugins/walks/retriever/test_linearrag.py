"""Activation by hand; the walk against an independent solution of its definition."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.walks.retriever.linearrag import Joined, LinearRAG
from harness.work.store import Store

MADE = LinearRAG(
    Entity(Offline(model=None, spans=False), Hashed(), synonym=None), Hashed(), threshold=0.1
)
WORLD = [
    ("Dune (film)", "Dune was filmed by David Lynch. It is long."),
    ("David Lynch", "David Lynch grew up in Missoula. He met Kyle there."),
    ("Missoula", "Missoula is a city."),
    ("Kyle", "Kyle was in Dune."),
]
QUESTIONS = ["Where did the director of Dune grow up?", "what is said"]


def joined(cosines: list[float], held: dict[int, list[int]]) -> tuple[Joined, np.ndarray]:
    """Sentences of these cosines to the question (1, 0); held: the sentences of each entity."""
    vectors = np.array([[c, np.sqrt(1 - c * c)] for c in cosines], dtype=np.float32)
    rows = [entity for entity, found in held.items() for _ in found]
    columns = [one for found in held.values() for one in found]
    entries, shape = (np.ones(len(rows)), (rows, columns)), (len(held), len(cosines))
    both = sp.csr_array(entries, shape=shape)
    question = np.array([[1.0, 0.0]], dtype=np.float32)
    return Joined(vectors, both, sp.csr_array(both.T.tocsr())), question


def test_activation_by_hand():
    """Entity 0 (given 1) is in sentences 0 (.8) and 1 (.5): sentence 0 passes .8 to entities 0 and
    1. Then 0 has only sentence 1 left: .8 x .5 = .4 to 0 and 2; entity 1 sentence 2 (.75): .8 x .75
    = .6 to 1 and 3.
    """
    world, question = joined([0.8, 0.5, 0.75], {0: [0, 1], 1: [0, 2], 2: [1], 3: [2]})
    total, last = replace(MADE, steps=2, threshold=0.3).activate(world, question, 0, {0: 1.0})
    assert total == pytest.approx({0: 1 + 0.8 + 0.4, 1: 0.8 + 0.6, 2: 0.4, 3: 0.6}, abs=1e-6)
    assert {entity: tier for entity, (_, tier) in last.items()} == {0: 3, 1: 3, 2: 3, 3: 3}
    total, last = replace(MADE, steps=1, threshold=0.3).activate(world, question, 0, {0: 1.0})
    assert total == pytest.approx({0: 1.8, 1: 0.8}, abs=1e-6)
    assert last == {0: (pytest.approx(0.8, abs=1e-6), 2), 1: (pytest.approx(0.8, abs=1e-6), 2)}
    total, _ = replace(MADE, steps=2, threshold=0.5).activate(world, question, 0, {0: 1.0})
    assert total == pytest.approx({0: 1.8, 1: 0.8 + 0.6, 3: 0.6}, abs=1e-6)
    total, _ = replace(MADE, steps=2, threshold=0.9).activate(world, question, 0, {0: 1.0})
    assert total == {0: 1.0}


@pytest.mark.parametrize(
    "knobs", [{}, {"sentences": 3, "steps": 3}, {"restart": 0.2, "passage_weight": 1.0}]
)
def test_the_list_is_the_walk_of_the_definition(knobs, benchmark_of, tmp_path):
    made, store, world = replace(MADE, **knobs), Store(tmp_path), benchmark_of(WORLD, QUESTIONS)
    network, extraction = made.graph.build(world, store)
    counts = (network.mentions + network.about).toarray().astype(float)
    size, first = sum(counts.shape), counts.shape[0]
    edges = np.zeros((size, size))
    share = counts / np.maximum(counts.sum(axis=0), 1e-300)
    edges[:first, first:], edges[first:, :first] = share, share.T
    step = edges / np.maximum(edges.sum(axis=1, keepdims=True), 1e-300)
    dangling = edges.sum(axis=1) == 0
    passages, questions = (
        np.asarray(embed(made.encoder, texts, role, store), dtype=float)
        for texts, role in ((world.passages, "passage"), (world.questions, "question"))
    )
    place = Joined.of(made.encoder, world, extraction, store)
    found = made.retrieve(world, store)[0].to_dict()
    names = list(network.names)
    seeds = [{names.index("dune"): 1.0}, {}]
    for number, given in enumerate(seeds):
        cosine = passages @ questions[number]
        close = (cosine - cosine.min()) / (cosine.max() - cosine.min())
        total, last = made.activate(place, np.asarray(questions, dtype=np.float32), number, given)
        bonus, start = np.zeros(len(WORLD)), np.zeros(size)
        for entity, (value, tier) in last.items():
            bonus += value * np.log1p(counts[entity]) / tier
        start[list(total)] = list(total.values())
        start[first:] = made.passage_weight * (made.ratio * close + np.log1p(bonus))
        start /= start.sum()
        whole = (1 - made.restart) * (step + np.outer(dangling, start)).T
        walk = np.linalg.solve(np.eye(size) - whole, made.restart * start)
        listed = enumerate(walk[first:])
        expected = {f"d{doc}": value for doc, value in listed if value >= made.tolerance}
        assert found[f"q{number}"] == pytest.approx(expected, abs=5e-6)
