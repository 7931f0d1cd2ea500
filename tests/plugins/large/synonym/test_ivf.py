"""Synonyms by an inverted file: none is false, few are missed, and threads change nothing."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.graph.synonym import synonyms
from harness.model.encoder.hashed import Hashed
from harness.plugins.large.synonym.ivf import (
    Lists,
    approximate_synonyms,
    compare_some,
    synonym_recall,
)
from harness.report.table.network_text import describe_network
from harness.work.store import Store
from tests import process

MADE = """
import numpy as np
random = np.random.default_rng(2)
centres = random.normal(size=(300, 48))
vectors = (centres[random.integers(300, size=1500)] + 0.35 * random.normal(size=(1500, 48))).astype(np.float32)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
"""
HASHED = (
    MADE
    + """
import hashlib
from harness.plugins.large.synonym.ivf import approximate_synonyms
for threshold in (0.7, 0.85):
    found, _ = approximate_synonyms(vectors, threshold)
    print(hashlib.sha256(found.indices.tobytes() + found.indptr.tobytes() + found.data.tobytes()).hexdigest())
"""
)


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float32]:
    made: dict[str, NDArray[np.float32]] = {}
    exec(MADE, made)
    return made["vectors"]


@pytest.mark.parametrize("threshold", [0.7, 0.85])
def test_no_edge_is_false_and_few_are_missed(
    vectors: NDArray[np.float32], threshold: float
) -> None:
    exact, found = (
        synonyms(vectors, threshold).toarray(),
        approximate_synonyms(vectors, threshold)[0].toarray(),
    )
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found[found > 0], exact[found > 0])
    assert (found > 0).sum() > 0.98 * (exact > 0).sum() > 0


def test_a_margin_that_holds_every_list_gives_all_edges(
    vectors: NDArray[np.float32], monkeypatch
) -> None:
    monkeypatch.setattr(Lists, "margin", lambda *sample: np.float32(2))
    assert (approximate_synonyms(vectors, 0.85)[0] != synonyms(vectors, 0.85)).nnz == 0


def test_few_pairs_are_compared(vectors: NDArray[np.float32]) -> None:
    """Those of some lists, in place of all: here a tenth."""
    index = Lists(vectors, vectors[::10].copy(), 0.85)
    own, rows, columns = index.searched(0, index.margin(*index.sample()))
    assert np.bincount(own, minlength=150)[columns].sum() < 0.1 * len(vectors) ** 2
    assert set(zip(range(len(own)), own.tolist(), strict=True)) <= set(
        zip(rows.tolist(), columns.tolist(), strict=True)
    )


def test_the_margin_by_hand() -> None:
    """Of the centres 0 and 90 degrees, 46 degrees stands in the second list, 40 in the first; 40 is
    nearer to both.
    """
    turned = np.radians([0, 90, 40, 46])
    vectors = np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)
    index = Lists(vectors, vectors[:2].copy(), 0.9)
    margin = index.margin(np.array([2]), np.array([3]))
    assert margin == pytest.approx(np.sin(turned[3]) - np.cos(turned[3]), abs=1e-4)
    assert index.margin(np.empty(0, np.int64), np.empty(0, np.int64)) == pytest.approx(0, abs=1e-4)


def test_the_number_of_threads_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    exec(HASHED, {})
    other = process.python("-c", HASHED, env={**os.environ, "OMP_NUM_THREADS": "3"}, check=True)
    assert other.stdout == capsys.readouterr().out


def test_how_many_products_are_made_at_once_changes_nothing(
    vectors: NDArray[np.float32], monkeypatch
) -> None:
    exact, pairs = (
        approximate_synonyms(vectors, 0.7),
        compare_some(vectors, np.arange(0, 1500, 7), 0.7),
    )
    monkeypatch.setattr("harness.plugins.large.synonym.ivf.CELLS", 100)
    few = approximate_synonyms(vectors, 0.7)
    assert (few[0] != exact[0]).nnz == 0
    assert few[1] == exact[1]
    for column, whole in zip(compare_some(vectors, np.arange(0, 1500, 7), 0.7), pairs, strict=True):
        np.testing.assert_array_equal(column, whole)


def test_no_names_and_one_name() -> None:
    assert approximate_synonyms(np.empty((0, 4), np.float32), 0.85)[0].shape == (0, 0)
    assert approximate_synonyms(np.array([[1, 0]], np.float32), 0.85)[0].toarray().tolist() == [[0]]


def test_the_recall_is_that_of_all_names_where_all_are_sampled(
    vectors: NDArray[np.float32],
) -> None:
    exact = synonyms(vectors, 0.85)
    half = sp.triu(exact).tolil()
    half[:700] = 0
    found = sp.csr_array(half + half.T)
    measured = synonym_recall(found, vectors[:], 0.85)
    assert measured["names"] == 1000
    chosen = np.unique(np.linspace(0, len(vectors) - 1, 1000).astype(np.int64))
    edges = {
        (min(i, j), max(i, j))
        for i, j in zip(*exact.nonzero(), strict=True)
        if i in chosen or j in chosen
    }
    held = {pair for pair in edges if found[pair] > 0}
    assert measured["recall"] == pytest.approx(len(held) / len(edges), abs=1e-4)


def test_a_graph_of_many_names_takes_an_index_and_tells_its_recall(
    titled, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And lends its edges to no other graph, since it may have missed some."""
    names = [f"Old Mill Road {chr(65 + n % 26)} {n}" for n in range(40)]
    world = titled([(name, f"{name} is long.") for name in names], ["Where is Old Mill Road A 0?"])
    store, graph = Store(tmp_path), Entity(Offline(model=None), Hashed(), synonym=0.8)
    monkeypatch.setattr("harness.graph.entity.EXACT", 10)
    made = graph.artifact(world, store)
    assert made.facts["synonym_index"] == {
        "index": "IVF25",
        "recall": 1.0,
        "names": made.facts["entities"],
    }
    assert any("index IVF25" in line for line in describe_network(made.facts))
    monkeypatch.undo()
    typed = Entity(Offline(model=None), Hashed(), synonym=0.8, index="Flat").artifact(world, store)
    assert typed.key != made.key


def test_pairs_of_some_rows_are_those_of_all_pairs() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(80, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole = synonyms(vectors, 0.6)
    for chosen in (np.array([], np.int64), np.array([3, 17, 79]), np.arange(80)):
        i, j, values = compare_some(vectors, chosen, 0.6)
        wanted = {
            (a, b) for a, b in zip(*whole.nonzero(), strict=True) if a in chosen or b in chosen
        }
        assert {*zip(i, j, strict=True), *zip(j, i, strict=True)} == wanted
        assert len(i) == len(wanted) // 2
        np.testing.assert_array_equal(values, [whole[a, b] for a, b in zip(i, j, strict=True)])
