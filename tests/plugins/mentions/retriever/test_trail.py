"""Strongest paths: worked by hand, against all paths of a graph without cycles, and against the
lists themselves.
"""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.graph import Network
from harness.graph.extractor import Triples
from harness.graph.trail import Node
from harness.model.encoder.hashed import Hashed
from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.pagerank.paths import name_edges, strongest_walks
from harness.retriever.ppr import PPR
from harness.work.store import Store
from tests.retriever.test_ppr import ONWARD, TITLES, few


def dense(rows: list[list[float]]) -> sp.csr_array:
    return sp.csr_array(np.array(rows))


def test_worked_by_hand() -> None:
    """0 -> 1 (1/4) or 2 (3/4), 1 -> 3, 2 -> 3: from 0 the better way to 3 is by 2, 1/2 * 1/2 * 3/8
    * 1/2.
    """
    transition = dense([[0, 0.25, 0.75, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert strongest_walks(transition, np.array([0.5, 0.5, 0, 0]), 0.5, 3, 5) == [
        ([1, 3], pytest.approx(1 / 8)),
        ([0, 2, 3], pytest.approx(3 / 64)),
    ]
    assert strongest_walks(transition, np.array([0.5, 0.5, 0, 0]), 0.5, 3, 1)[0][0] == [1, 3]


def test_no_path_and_a_walk_that_never_leaves() -> None:
    transition = dense([[0, 1], [0, 0]])
    assert strongest_walks(transition, np.array([0, 1.0]), 0.5, 0, 3) == []
    assert strongest_walks(transition, np.array([0.25, 0.75]), 1, 1, 3) == [([1], 0.75)]
    assert strongest_walks(transition, np.array([1.0, 0]), 1, 1, 3) == []


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.integers(3, 8), st.floats(0.1, 0.9))
def test_a_tree_has_one_path_from_each_seed_and_they_add_up_to_the_pagerank(
    seed: int, size: int, a: float
) -> None:
    """In a tree whose edges point to the root every walk to it is one of those paths; the root
    dangles to nobody.
    """
    random = np.random.default_rng(seed)
    rows = np.zeros((size + 1, size + 1))
    for node in range(1, size):
        rows[node, random.integers(0, node)] = 0.5
        rows[node, size] = 0.5  # a sink beside the tree, which leads to itself
    rows[0, size] = rows[size, size] = 1
    seeds = random.random(size + 1)
    seeds /= seeds.sum()
    paths = strongest_walks(sp.csr_array(rows), seeds, a, 0, size + 1)
    (solution,) = Walks(sp.csr_array(rows), a, 1e-9, 500)(sp.csr_array(seeds[None]))
    assert sum(strength for _, strength in paths) == pytest.approx(
        float(solution.values[0, 0]), rel=1e-3
    )


def test_walk_over_titles(tmp_path: Path) -> None:
    """dune -> a -> david lynch -> b -> missoula -> c: each step halves, and the seed's own share is
    one half.
    """
    benchmark, store = few(["Where did the director of Dune grow up?"]), Store(tmp_path)
    ppr = PPR(TITLES, Hashed(), walk=ONWARD, passage_weight=0, passages=0, link=None)
    trail = ppr.tracer(benchmark, store)(0, [2, 4], 3)
    assert trail.seeds == [(Node(entity="dune"), 1.0)]
    (path,) = trail.paths[2]
    assert [node.entity or node.passage for node in path.nodes] == [
        "dune",
        0,
        "david lynch",
        1,
        "missoula",
        2,
    ]
    assert path.links == ("is the title of", "names (title)") * 2 + ("is the title of",)
    assert path.strength == pytest.approx(1 / 64)
    assert trail.paths[4] == []


def test_bonds_in_words() -> None:
    """Entities x, y, z and passage 3: x titles it, it names y; x and y are related, y and
    z alike.
    """
    none = sp.csr_array((3, 1))
    relation, synonym = (
        dense([[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
        dense([[0, 0, 0], [0, 0, 0.9], [0, 0.9, 0]]),
    )
    context = {"title": none, "entity": dense([[0], [2], [0]])}
    network = Network(["x", "y", "z"], dense([[1], [0], [0]]), context, relation, synonym)
    triples = Triples.of([(0, 0, 1, 1), (0, 1, 0, 0), (0, 0, 1, 1)], ["made by", "made"])
    assert name_edges(network, triples, [0, 3, 1, 0, 1, 2]) == (
        "is the title of",
        "names (entity)",
        "made; made by",
        "made; made by",
        "is like (0.90)",
    )
    assert name_edges(network, triples, [1, 3, 0]) == ("is named in (entity)", "has the title")
