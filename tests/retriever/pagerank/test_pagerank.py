from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import spsolve

from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.walk import normalize_rows

CHAIN = sp.csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))


def answer(
    transition: sp.csr_array, seeds: np.ndarray, restart: float = 0.5, **options: object
) -> np.ndarray:
    blocks = Walks(transition, restart, 1e-9, 500, **options)(sp.csr_array(seeds))  # type: ignore[arg-type]
    return np.concatenate([block.values.T for block in blocks])


def random_graph(nodes: int = 300, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """A graph with self-loops and dangling nodes, and normalised seeds of 150 queries."""
    random = np.random.default_rng(seed)
    weights = sp.random_array((nodes, nodes), density=4 / nodes, rng=random, format="csr")
    seeds = random.random((150, nodes)) * (random.random((150, nodes)) < 0.05)
    return normalize_rows(weights), seeds / np.maximum(seeds.sum(axis=1, keepdims=True), 1e-300)


def exact(transition: sp.csr_array, seeds: np.ndarray, restart: float) -> np.ndarray:
    """(I - (1 - a) T') x = a s by SuperLU, in float64, divided by its sum."""
    system = sp.csc_array(sp.eye_array(transition.shape[0]) - (1 - restart) * transition.T)
    found = spsolve(system, restart * seeds.T).T
    return found / np.where(
        found.sum(axis=1, keepdims=True) > 0, found.sum(axis=1, keepdims=True), 1
    )


def test_a_chain_worked_by_hand() -> None:
    """x = s/2 + m s/2, y = x/2, z = y/2, m = z; with x + y + z = 1: x = 4/7, y = 2/7, z = 1/7."""
    np.testing.assert_allclose(
        answer(CHAIN, np.array([[1.0, 0, 0]])), [[4 / 7, 2 / 7, 1 / 7]], atol=1e-7
    )


CYCLE = sp.csr_array(np.array([[0, 1, 0], [0.5, 0, 0.5], [1, 0, 0]]))


def test_two_cycles_worked_by_hand() -> None:
    """x = 1/2 + y/4 + z/2, y = x/2, z = y/4 = x/8: x = 1/2 + x/8 + x/16, so x = 8/13, y = 4/13, z =
    1/13.
    """
    np.testing.assert_allclose(
        answer(CYCLE, np.array([[1.0, 0, 0]])), [[8 / 13, 4 / 13, 1 / 13]], atol=1e-7
    )


def test_the_error_is_known() -> None:
    """u = (I - M)^-1 s is (16, 8, 2) / 13, 2 in all. No node has a self-loop or a neighbour that
    is eliminated, but node 0 is: the first of three nodes with two neighbours each.
    """
    (block,) = Walks(CYCLE, 0.5, 0.2, 100)(sp.csr_array(np.array([[1.0, 0, 0], [0, 0, 0]])))
    solution = np.array([8, 4, 1]) / 13
    error = np.abs(block.values[:, 0] - solution).sum()
    np.testing.assert_allclose(block.change, [error, 0], atol=1e-7)
    assert 0 < error < 0.2
    np.testing.assert_array_equal(block.values[:, 1], [0, 0, 0])
    assert block.iterations[0] > 0 == block.iterations[1]


def test_dangling_mass_goes_back_to_the_seeds() -> None:
    np.testing.assert_allclose(answer(CHAIN, np.array([[0.0, 0.25, 0.75]])).sum(), 1.0, atol=1e-6)
    found = answer(CHAIN, np.array([[0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(found, [[0.0, 0.0, 1.0]], atol=1e-8)


def test_self_loop_keeps_its_mass() -> None:
    """Node 0 stays at 0; v = v/2 + 1/2."""
    loop = sp.csr_array(np.array([[1.0, 0.0], [0.0, 0.0]]))
    np.testing.assert_allclose(answer(loop, np.array([[1.0, 0.0]])), [[1.0, 0.0]], atol=1e-7)


def test_a_query_without_seeds_reaches_nothing() -> None:
    assert not answer(CHAIN, np.zeros((2, 3))).any()


@pytest.mark.parametrize("restart", [0.15, 0.5, 1.0])
def test_against_a_dense_linear_solve(restart: float) -> None:
    """(I - (1 - a)(T' + s d')) v = a s, d the dangling nodes."""
    transition, seeds = random_graph()
    dangling = (np.diff(transition.indptr) == 0).astype(float)
    found = answer(transition, seeds, restart)
    assert dangling.sum() > 0
    for seed, row in zip(seeds, found, strict=True):
        system = np.eye(300) - (1 - restart) * (transition.toarray().T + np.outer(seed, dangling))
        np.testing.assert_allclose(row, np.linalg.solve(system, restart * seed), atol=1e-6)


@given(
    st.integers(0, 10**6),
    st.sampled_from([1.0, 3.0, 6.0]),
    st.sampled_from([0.1, 0.5, 0.85]),
    st.booleans(),
)
@settings(max_examples=40)
def test_the_error_is_within_what_the_change_promises(
    seed: int, degree: float, restart: float, torch: bool
) -> None:
    """|v - v*| <= (1 - a) / a x change in L1, and change < tolerance where the walk stopped by
    itself.
    """
    random = np.random.default_rng(seed)
    weights = sp.random_array((120, 120), density=degree / 120, rng=random, format="csr")
    seeds = (random.random((20, 120)) < 0.05) * random.random((20, 120))
    seeds /= np.maximum(seeds.sum(axis=1, keepdims=True), 1e-300)
    transition = normalize_rows(weights)
    device = "cpu:0" if torch else "cpu"
    for tolerance, most in [(1e-3, 500), (1e-9, 2)]:
        walks = Walks(transition, restart, tolerance, most, block=20, device=device)
        (block,) = walks(sp.csr_array(seeds))
        errors = np.abs(block.values.T - exact(transition, seeds, restart)).sum(axis=1)
        assert (errors <= (1 - restart) / restart * block.change + 1e-6).all()
        if most == 500:
            assert (block.change < tolerance).all()


def test_steps_that_ran_out_leave_a_change_above_the_tolerance() -> None:
    transition, seeds = random_graph()
    held = seeds.any(axis=1)
    for device in ("cpu", "cpu:0"):
        blocks: list[Any] = list(
            Walks(transition, 0.15, 1e-6, 2, device=device)(sp.csr_array(seeds))
        )
        assert (np.concatenate([block.change for block in blocks])[held] >= 1e-6).all()
        assert (np.concatenate([block.iterations for block in blocks])[held] == 2).all()


def test_threads_and_blocks_change_no_bit() -> None:
    transition, seeds = random_graph()
    one = answer(transition, seeds, threads=1, block=64)
    for threads, block in [(2, 64), (1, 1), (2, 7), (1, 1000)]:
        assert answer(transition, seeds, threads=threads, block=block).tobytes() == one.tobytes()


def test_torch_agrees() -> None:
    transition, seeds = random_graph()
    np.testing.assert_allclose(
        answer(transition, seeds, device="cpu:0"), answer(transition, seeds), atol=1e-7
    )


def test_against_igraph() -> None:
    igraph = pytest.importorskip("igraph", reason="python-igraph (GPL) is in the extra bench")
    transition, seeds = random_graph()
    lost = sp.csr_array((np.diff(transition.indptr) == 0).astype(float)[:, None])
    for seed, row in list(zip(seeds, answer(transition, seeds), strict=True))[:20]:
        whole = sp.coo_array(transition + lost @ sp.csr_array(seed[None, :]))
        graph = igraph.Graph(
            n=300, edges=np.stack([whole.row, whole.col], axis=1).tolist(), directed=True
        )
        peer = graph.personalized_pagerank(
            damping=0.5, reset=seed.tolist(), weights=whole.data.tolist()
        )
        np.testing.assert_allclose(row, peer, atol=1e-6)
