"""Paths and seeds by hand; the list against its definition, taken literally and solved
independently.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.walks.retriever.beam import Beam
from harness.plugins.walks.retriever.sentence_graph import grow_paths, weigh_entities
from harness.work.store import Store

MADE = Beam(Entity(Offline(model=None, spans=False), Hashed(), synonym=None), Hashed())
WORLD = [
    ("Dune (film)", "Dune was filmed by David Lynch. It is long."),
    ("David Lynch", "David Lynch grew up in Missoula. He met Kyle there."),
    ("Missoula", "Missoula is a city."),
    ("Kyle", "Kyle was in Dune, David Lynch says."),
    ("Alone", "Nothing is said here."),
]
SENTENCES = [  # passage, text, what it holds: its title and what it mentions
    (0, "Dune was filmed by David Lynch.", {"dune", "david lynch"}),
    (0, "It is long.", {"dune"}),
    (1, "David Lynch grew up in Missoula.", {"david lynch", "missoula"}),
    (1, "He met Kyle there.", {"david lynch", "kyle"}),
    (2, "Missoula is a city.", {"missoula"}),
    (3, "Kyle was in Dune, David Lynch says.", {"kyle", "dune", "david lynch"}),
    (4, "Nothing is said here.", {"alone"}),
]
NAMES = ["dune", "david lynch", "missoula", "kyle", "alone"]
QUESTIONS = ["Where did the director of Dune grow up?", "What city did David Lynch leave?"]


def joins(*pairs):
    found = np.zeros((4, 4), dtype=bool)
    for one, other in pairs:
        found[one, other] = found[other, one] = True
    return found


def test_paths_by_hand():
    """Sentences at right angles: n of them are worth the sum of their cosines / sqrt(n)."""
    cosine, apart = np.array([0.6, 0.5, 0.45, 0.3]), np.eye(4)
    joined = joins((0, 3), (1, 2))
    worth = {(0,): 0.6, (1,): 0.5, (0, 3): 0.9 / 2**0.5, (1, 2): 0.95 / 2**0.5}
    found, order = grow_paths(cosine, apart, joined, 2, 3, 0), [(1, 2), (0, 3), (0,), (1,)]
    assert found == [(path, pytest.approx(worth[path])) for path in order]
    # sentence 0 is open to all: 1 and 2 both go on to it, and 1, 0 on to 3; a beam of two leaves
    # out 0, 3
    worth |= {(1, 0): 1.1 / 2**0.5, (1, 0, 3): 1.4 / 3**0.5, (1, 2, 0): 1.55 / 3**0.5}
    order = [(1, 2, 0), (1, 0, 3), (1, 0), (1, 2), (0,), (1,)]
    found = grow_paths(cosine, apart, joined, 2, 3, 1)
    assert found == [(path, pytest.approx(worth[path])) for path in order]
    assert grow_paths(cosine, apart, joined, 2, 1, 1) == [((0,), 0.6), ((1,), 0.5)]


def test_a_set_is_kept_once_and_repetition_adds_nothing():
    """Two equal sentences are worth what one is; 0, 1 and 1, 0 are one set, kept from the better
    start.
    """
    cosine, gram = np.array([0.6, 0.6, 0.2, 0.1]), np.eye(4)
    gram[0, 1] = gram[1, 0] = 1
    paths = grow_paths(cosine, gram, joins((0, 1)), 4, 3, 0)
    assert [path for path, _ in paths] == [(0,), (0, 1), (1,), (2,), (3,)]
    assert [worth for _, worth in paths] == pytest.approx([0.6, 1.2 / 4**0.5, 0.6, 0.2, 0.1])


def test_entities_by_hand():
    """Sentence 0 holds a, 1 holds a and b, 2 holds c. The path 0, 1 (.8) gives a 1.6 and b .8; c
    has .5 alone.
    """
    held = sp.csr_array(np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]]))
    paths = [((0, 1), 0.8), ((2,), 0.5), ((0,), 0.4)]
    assert weigh_entities(paths, held, best=1, count=2).tolist() == [1, 1, 1]
    assert weigh_entities(paths, held, best=1, count=1).tolist() == [1, 0, 1]
    assert weigh_entities(paths, held, best=0, count=2).tolist() == pytest.approx([0.4 / 0.5, 0, 1])
    assert weigh_entities(paths, held, best=2, count=3).tolist() == pytest.approx([1, 1, 1])
    paths = [((1, 2), 0.8), ((2,), 0.5), ((0,), -0.1)]
    assert weigh_entities(paths, held, 1, 3).tolist() == [1, 1, 1]
    assert weigh_entities([], held, 5, 5).tolist() == [0, 0, 0]


def walk(edges, start, restart):
    """Personalised PageRank by a linear system; nodes are names and numbers of passages."""
    nodes = sorted({*start, *(node for pair in edges for node in pair)}, key=str)
    place = {node: number for number, node in enumerate(nodes)}
    weight = np.zeros((len(nodes), len(nodes)))
    for pair, value in edges.items():
        for one, other in (pair, pair[::-1]):
            weight[place[one], place[other]] = value
    seed = np.array([start.get(node, 0.0) for node in nodes])
    seed /= seed.sum()
    total = weight.sum(axis=1, keepdims=True)
    step = np.where(total > 0, weight / np.where(total > 0, total, 1), seed)
    solved = np.linalg.solve(np.eye(len(nodes)) - (1 - restart) * step.T, restart * seed)
    return dict(zip(nodes, solved.tolist(), strict=True))


def expected(made, vectors, question, passages):
    """The definition's three steps."""
    cosine, close = vectors @ question, passages @ question
    close = (close - close.min()) / (close.max() - close.min())
    own = {p: made.passage_weight * float(close[p]) for p in range(len(WORLD))}
    edges: dict = {}
    for passage, _, entities in SENTENCES:
        edges |= {(entity, passage): 1.0 for entity in entities}
        for pair in combinations(sorted(entities), 2):
            edges[pair] = edges.get(pair, 0.0) + 1
    total = dict.fromkeys(NAMES, 0.0)
    for one in np.argsort(-cosine, kind="stable")[: made.near]:
        for entity in SENTENCES[one][2]:
            total[entity] += float(cosine[one])
    named = sorted(NAMES, key=lambda entity: -total[entity])[: made.entities]
    broad = walk(edges, {**own, **dict.fromkeys(named, 1.0)}, made.first_restart)
    focus = sorted(own, key=lambda p: -broad[p])[: made.focus]
    within = [number for number, one in enumerate(SENTENCES) if one[0] in focus]
    near = sorted(within, key=lambda one: -cosine[one])

    def worth(path):
        mean = vectors[list(path)].mean(axis=0)
        return float(mean @ question / np.linalg.norm(mean))

    beam = [(one,) for one in near[: made.width]]
    found = list(beam)
    for _ in range(1, made.length):
        longer: dict = {}
        for path in beam:
            for one in within:
                shared = SENTENCES[one][2] & SENTENCES[path[-1]][2] or one in near[: made.parallel]
                if shared and one not in path:
                    longer.setdefault(frozenset((*path, one)), (*path, one))
        beam = sorted(longer.values(), key=lambda path: -worth(path))[: made.width]
        found += beam
    found.sort(key=lambda path: -worth(path))
    start = {p: own[p] for p in focus}
    for chosen in (found[: made.best], [path for path in found if len(path) == 1]):
        worths = {e: [worth(p) for p in chosen for s in p if e in SENTENCES[s][2]] for e in NAMES}
        kept = [e for e in sorted(NAMES, key=lambda e: -sum(worths[e])) if worths[e]][: made.seeds]
        top = max(max(worths[e]) for e in kept)
        for entity in kept:
            start[entity] = max(start.get(entity, 0.0), max(worths[entity]) / top)
    held = {e for number in within for e in SENTENCES[number][2]}
    inside = walk({p: w for p, w in edges.items() if {*p} <= held | {*focus}}, start, made.restart)
    least = min(inside[p] for p in focus if inside[p] > 0)
    return {f"d{p}": inside[p] if p in focus else broad[p] * least / 2 for p in own}


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"focus": 2, "width": 2},
        {"focus": 3, "length": 2, "parallel": 0},
        {"width": 1, "length": 4, "seeds": 2},
        {"near": 2, "entities": 1, "best": 1, "seeds": 1, "passage_weight": 0.5},
    ],
)
def test_the_list_is_what_the_definition_says(knobs, benchmark_of, tmp_path):
    made, store, world = replace(MADE, **knobs), Store(tmp_path), benchmark_of(WORLD, QUESTIONS)
    found = made.retrieve(world, store)[0].to_dict()
    texts = [f"{WORLD[passage][0]}\n{text}" for passage, text, _ in SENTENCES]
    parts = ((texts, "passage"), (world.passages, "passage"), (world.questions, "question"))
    vectors, passages, questions = (
        np.asarray(embed(made.encoder, part, role, store), dtype=float) for part, role in parts
    )
    for number, question in enumerate(questions):
        definition = expected(made, vectors, question, passages)
        listed = {doc: value for doc, value in definition.items() if doc in found[f"q{number}"]}
        assert found[f"q{number}"] == pytest.approx(listed, abs=5e-6)
        assert len(listed) >= min(made.focus, 4)


def test_a_path_crosses_synonyms(benchmark_of, tmp_path):
    """Three sentences of one title each are three paths; a synonym of two titles makes a fourth."""
    made = replace(MADE, parallel=0)
    texts = [("Dune film", "Xx is said."), ("Dune films", "Yy zz."), ("Alone", "Ww vv.")]
    world = benchmark_of(texts, ["xx Dune film"])
    assert made.retrieve(world, Store(tmp_path))[1]["paths"] == 3
    made = replace(made, graph=replace(MADE.graph, synonym=0.5))
    assert made.retrieve(world, Store(tmp_path))[1]["paths"] == 4
