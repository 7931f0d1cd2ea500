"""The undirected walk: its priors by hand, and PageRank on it against igraph's PRPACK, on real
triples too.
"""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from harness.benchmark import load
from harness.graph import Network
from harness.graph.entity import Entity
from harness.graph.extractor.extraction import KINDS
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.llm.extractor.openie_file import OpenIEFile
from harness.plugins.walks.retriever.hipporag import HippoRAG
from harness.plugins.walks.retriever.undirected import Undirected
from harness.retriever.pagerank.pagerank import Walks
from harness.work.store import Store
from tests.retriever.test_walk import network


def test_priors_worked_by_hand() -> None:
    """Edges a-0, b-1, b-0 (once, though it is named thrice), c-0, c-1, and a-b of .9.

    Passages that hold a, b, c: 1, 2, 2; neighbours: 2, 3, 2.
    """
    rows = ("0 .9 0 1 0", ".9 0 0 1 1", "0 0 0 1 1", "1 1 1 0 0", "0 1 1 0 0")
    plain = np.array([list(map(float, row.split())) for row in rows])
    prior = np.array([1 / 2, 1 / (2 * 3), 1 / (2 * 2), 1, 1])
    for walk, weights in (
        (Undirected(), plain),
        (Undirected(specificity=1, degree=1), plain * prior),
        (Undirected(degree=0.5), plain * [2**-0.5, 3**-0.5, 2**-0.5, 1, 1]),
    ):
        found = walk.transition(network()).toarray()
        np.testing.assert_allclose(found, weights / weights.sum(axis=1, keepdims=True), rtol=1e-6)


def agrees(graph: sp.csr_array, transition: sp.csr_array, seeds: sp.csr_array) -> None:
    """Every node to 1e-6, and the best 200 in an order that PRPACK's masses confirm."""
    igraph = pytest.importorskip("igraph", reason="igraph (GPL) is in the extra bench")
    upper = sp.coo_array(sp.triu(graph))
    peer = igraph.Graph(n=graph.shape[0], edges=np.stack([upper.row, upper.col], axis=1).tolist())
    found = np.concatenate([part.values.T for part in Walks(transition, 0.5, 1e-6, 200)(seeds)])
    for row, reset in zip(found, seeds.toarray(), strict=True):
        options = {"weights": upper.data.tolist(), "implementation": "prpack"}
        mass = np.array(peer.personalized_pagerank(damping=0.5, reset=reset.tolist(), **options))
        np.testing.assert_allclose(row, mass, atol=1e-6)
        best = np.lexsort((np.arange(len(row)), -row))[:200]
        assert np.all(np.diff(mass[best]) <= 1e-6)
        outside = np.setdiff1d(np.flatnonzero(mass > mass[best].min() + 1e-6), best)
        assert outside.size == 0


def test_prpack_on_a_random_graph() -> None:
    random = np.random.default_rng(0)
    related = sp.random_array((700, 700), density=0.003, rng=random, format="csr", dtype=np.float32)
    there = sp.random_array((700, 400), density=0.01, rng=random, dtype=np.float32) > 0
    held = sp.csr_array(there, dtype=np.float32)
    nothing = sp.csr_array((700, 400), dtype=np.float32)
    context = {**dict.fromkeys(KINDS, nothing), "open": held}
    names = [f"n{number}" for number in range(700)]
    both = sp.csr_array(related + related.T), sp.csr_array((700, 700))
    made = Network(names, nothing, context, *both)
    seeds = sp.random_array((20, 1100), density=0.02, rng=random, format="csr")
    seeds = sp.csr_array(seeds / seeds.sum(axis=1)[:, None])
    walk = Undirected()
    agrees(walk.graph(made), walk.transition(made), seeds)


@pytest.mark.skipif(
    not os.environ.get("HARNESS_DATA"), reason="HARNESS_DATA names no folder of benchmarks"
)
@pytest.mark.slow
def test_prpack_on_the_graph_of_real_triples(tmp_path: Path) -> None:
    path = Path(os.environ["HARNESS_DATA"]) / "musique_train" / "openie.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    benchmark, store = load("musique_train"), Store(tmp_path)
    graph = Entity(OpenIEFile(Offline(model=None, spans=False), str(path)), Hashed(), synonym=0.95)
    rag = HippoRAG(graph, Hashed())
    made, _, seeds, _ = rag.start(benchmark, store)
    agrees(rag.walk.graph(made), rag.walk.transition(made), seeds[:10])
