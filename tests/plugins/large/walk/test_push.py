"""Pushes against the whole system solved by SuperLU, and the bound that they state."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.large.walk.push import Pushes
from harness.retriever import ppr as module
from harness.retriever.ppr import PPR
from harness.retriever.walk import normalize_rows
from harness.work.store import Store

CHAIN = sp.csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))


def random_graph(nodes: int = 400) -> tuple[sp.csr_array, sp.csr_array]:
    """A graph with self-loops and dangling nodes, and normalised seeds of 70 queries; the first has
    none.
    """
    random = np.random.default_rng(5)
    weights = sp.random_array((nodes, nodes), density=3 / nodes, rng=random, format="csr")
    seeds = random.random((70, nodes)) * (random.random((70, nodes)) < 0.02)
    seeds[0] = 0
    return normalize_rows(weights), normalize_rows(sp.csr_array(seeds))


def test_a_chain_worked_by_hand() -> None:
    """x = 1/2, y = x/2, z = y/2; with x + y + z = 1: 4/7, 2/7, 1/7. Three pushes, and nothing is
    left.
    """
    (found,) = Pushes(CHAIN, 0.5, 1e-9)(sp.csr_array([[1.0, 0, 0]]))
    np.testing.assert_allclose(found.values.T, [[4 / 7, 2 / 7, 1 / 7]], atol=1e-7)
    assert (found.iterations.tolist(), found.change.tolist()) == ([3], [0])


def test_what_is_not_pushed_is_the_error() -> None:
    """Residuals 1/2, 1/4, 1/8; with least .2 the last stays: x = (1/2, 1/4, 0), change = 2 (1/8) /
    ((1/2) (3/4)).
    """
    (found,) = Pushes(CHAIN, 0.5, 0.2)(sp.csr_array([[1.0, 0, 0]]))
    np.testing.assert_allclose(found.values.T, [[2 / 3, 1 / 3, 0]], atol=1e-7)
    assert found.change[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize("restart", [0.15, 0.5])
@pytest.mark.parametrize("least", [1e-3, 1e-5, 1e-9])
def test_the_bound_holds_against_superlu(restart: float, least: float) -> None:
    transition, seeds = random_graph()
    system = sp.csc_array(sp.eye_array(transition.shape[0]) - (1 - restart) * transition.T)
    exact = spsolve(system, restart * seeds.toarray().T).T
    exact /= np.maximum(exact.sum(axis=1, keepdims=True), 1e-300)
    blocks = list(Pushes(transition, restart, least, block=16)(seeds))
    found, change = (
        np.concatenate([getattr(b, k).T for b in blocks]) for k in ("values", "change")
    )
    errors = np.abs(found - exact).sum(axis=1)
    assert (errors <= (1 - restart) / restart * change + 1e-6).all()
    assert not found[0].any()
    assert change.max() <= 2 * least * transition.shape[0] / ((1 - restart) * 0.1)


def test_neither_blocks_nor_threads_change_a_bit() -> None:
    transition, seeds = random_graph()
    runs = [
        np.concatenate(
            [part.values.T for part in Pushes(transition, 0.5, 1e-6, block, threads)(seeds)]
        )
        for block, threads in [(64, 1), (7, 2), (1, 3)]
    ]
    assert all(np.array_equal(runs[0], other) for other in runs[1:])


def test_a_large_graph_is_pushed_and_its_lists_are_those_of_the_exact_walk(
    benchmark_of, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"Place {chr(65 + n % 26)}{n}" for n in range(60)]
    passages = [
        (one, f"{one} is near {names[n * 7 % 60]} and {names[n * 11 % 60]}.")
        for n, one in enumerate(names)
    ]
    world = benchmark_of(passages, [f"What is near {name}?" for name in names[:9]])
    retriever = PPR(Entity(Offline(model=None), Hashed()), Hashed())
    exact, facts = retriever.retrieve(world, Store(tmp_path))
    assert "pushes" not in facts
    monkeypatch.setattr(module, "EXACT", 10)
    pushed, facts = retriever.retrieve(world, Store(tmp_path))
    assert facts["largest_error"] < 1e-3
    assert "iterations" not in facts
    assert np.array_equal(pushed.top(5).docs, exact.top(5).docs)
    typed, _ = replace(retriever, push=True).retrieve(world, Store(tmp_path))
    assert np.array_equal(typed.scores, pushed.scores)
    solved, facts = replace(retriever, push=False).retrieve(world, Store(tmp_path))
    assert np.array_equal(solved.scores, exact.scores)
