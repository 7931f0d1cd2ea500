"""Graphs worked by hand, and against networkx where it is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.graph.entity import Entity
from harness.graph.extractor import Extraction, Mentions, NamePlace, Triples
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.work.store import Store


@dataclass(frozen=True)
class Given:
    """An extractor that found what it is told: passage 0 is about a, 1 about b, 2 about nothing."""

    triples: tuple[tuple[int, int, int, int], ...] = ()

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Mapping[str, Any]]:
        rows: Sequence[Any] = [
            np.array([[0, 0, 1, 0], [1, 2, 3, 0], [1, 4, 5, 0], [2, 6, 7, 1]], dtype=np.int32),
            np.array([[2, 0, 1, 2]], dtype=np.int32),
            np.empty((0, 4), dtype=np.int32),
        ]
        return Extraction(
            ["a", "b", "c", "d"],
            np.array([0, 1, -1], dtype=np.int32),
            Mentions.of(rows),
            Triples.of(self.triples, ["of"]),
        ), {}

    def find_names(
        self, questions: Sequence[str], extraction: Extraction, folder: Path
    ) -> list[list[NamePlace]]:
        return [[] for _ in questions]


@pytest.fixture
def few(titled: Any) -> Benchmark:
    return titled([("a", "b b c"), ("b", "c"), ("", "…")], [])


def test_families_of_edges(few: Benchmark, tmp_path: Path) -> None:
    network, _ = Entity(Given(), Hashed(), synonym=None).build(few, Store(tmp_path))
    assert network.about.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert network.context["title"].toarray().tolist() == [
        [0, 0, 0],
        [2, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
    ]
    assert network.context["entity"].toarray()[2].tolist() == [1, 0, 0]
    assert network.context["span"].toarray()[2].tolist() == [0, 1, 0]
    assert network.mentions.toarray().tolist() == [[0, 0, 0], [2, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert network.synonym.nnz == network.relation.nnz == 0


def test_relations_count_passages_and_leave_self_loops_out(few: Benchmark, tmp_path: Path) -> None:
    triples = ((0, 0, 0, 1), (0, 1, 0, 0), (1, 0, 0, 1), (1, 2, 0, 2), (2, 3, 0, 2))
    network, _ = Entity(Given(triples), Hashed(), synonym=None).build(few, Store(tmp_path))
    assert network.relation.toarray().tolist() == [
        [0, 2, 0, 0],
        [2, 0, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
    ]


def test_statistics(few: Benchmark, tmp_path: Path) -> None:
    """Edges a-0, b-1, b-0, c-0, c-1; d and passage 2 stand alone."""
    facts = Entity(Given(), Hashed(), synonym=None).artifact(few, Store(tmp_path)).facts
    assert facts["edges"] == {
        "about": 2,
        "context-title": 1,
        "context-entity": 1,
        "context-span": 1,
        "context-open": 0,
        "relation": 0,
        "synonym": 0,
    }
    assert facts["entity_degree"] == {"mean": 1.25, "median": 1.5, "p90": 2.0, "max": 2.0}
    assert facts["isolated_entities"] == 0.25
    assert facts["isolated_passages"] == pytest.approx(1 / 3, abs=1e-6)
    assert facts["components"] == 3
    assert facts["largest_component"] == pytest.approx(5 / 7, abs=1e-6)


def test_components_as_networkx_counts_them(titled: Any, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    random = np.random.default_rng(0)
    names = [f"Name{i}" for i in range(40)]
    texts = [" and ".join(random.choice(names, size=int(random.integers(0, 3)))) for _ in names]
    benchmark = titled(list(zip(names, texts, strict=True)), [])
    graph = Entity(Offline(model=None), Hashed(), synonym=None)
    network, _ = graph.build(benchmark, Store(tmp_path))
    peer = networkx.Graph()
    peer.add_nodes_from(
        [*(f"e{i}" for i in range(len(network.names))), *(f"p{i}" for i in range(40))]
    )
    for matrix in (network.about, network.mentions):
        peer.add_edges_from((f"e{i}", f"p{j}") for i, j in zip(*matrix.nonzero(), strict=True))
    assert graph.artifact(benchmark, Store(tmp_path)).facts[
        "components"
    ] == networkx.number_connected_components(peer)


def test_the_same_bytes_again(few: Benchmark, tmp_path: Path) -> None:
    graph = Entity(Given(), Hashed(), synonym=0.5)
    one = graph.artifact(few, Store(tmp_path / "one")).manifest["files"]
    assert one == graph.artifact(few, Store(tmp_path / "two")).manifest["files"]


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), "much"])
def test_bounds(bad: Any) -> None:
    with pytest.raises(HarnessError, match=r"graph\.synonym"):
        Entity(Given(), Hashed(), synonym=bad)


def test_another_index_is_refused() -> None:
    with pytest.raises(HarnessError, match=r"graph\.index=HNSW32.*IVF"):
        Entity(Offline(model=None), Hashed(), index="HNSW32")
