"""The system that is left has the solution of the whole."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.retriever.pagerank.pagerank import System, eliminate
from harness.retriever.walk import normalize_rows


def solved(system: System, right: np.ndarray) -> tuple[np.ndarray, float]:
    """x by the formulas of ``System``, dense and in float64, and the sum of x by ``mass``."""
    first, y = system.back.shape[0], right[system.order].copy()
    for i in range(len(y)):
        y[i] += (system.forward[[i]] @ y)[0]
        y[i] *= system.scale[i] if i < first else 1
    core = np.eye(len(y) - first) / system.scale[first:] - system.core.toarray()
    x = y.copy()
    x[first:] = np.linalg.solve(core, y[first:])
    total = float(system.mass[:first] @ y[:first] + system.mass[first:] @ x[first:])
    for i in reversed(range(first)):
        x[i] += system.scale[i] * (system.back[[i]] @ x)[0]
    found = np.empty_like(x)
    found[system.order] = x
    return found, total


def test_a_star_worked_by_hand() -> None:
    """A hub gives each of three leaves 1/6, a leaf gives it 1/2: the hub's own is 3 x 1/12 = 1/4,
    so scale 4/3, loss 3/4; a unit on it is 1 + 3/6 in all. With 1/2 put on the hub: 2/3 there, 1/9
    on each leaf.
    """
    star = np.array([[0, 1, 1, 1], [1 / 3, 0, 0, 0], [1 / 3, 0, 0, 0], [1 / 3, 0, 0, 0]]) / 2
    system = eliminate(sp.csr_array(star))
    assert sorted(system.order[:3].tolist()) == [1, 2, 3]
    assert system.order[3] == 0
    assert system.core.nnz == 0
    np.testing.assert_allclose(system.scale, [1, 1, 1, 4 / 3])
    np.testing.assert_allclose(system.loss, [3 / 4])
    np.testing.assert_allclose(system.mass, [1, 1, 1, 1.5])
    found, total = solved(system, np.array([0.5, 0, 0, 0]))
    np.testing.assert_allclose(found, [2 / 3, 1 / 9, 1 / 9, 1 / 9])
    np.testing.assert_allclose(total, 1)


@given(
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.floats(0.2, 5),
    st.floats(0.05, 1),
    st.sampled_from([0, 0.02, 2]),
)
@settings(max_examples=80)
def test_the_solution_of_the_whole(
    seed: int, size: int, degree: float, restart: float, worth: float
) -> None:
    """Self-loops, dangling nodes and nodes that nothing reaches included; and no more entries than
    there were.
    """
    random = np.random.default_rng(seed)
    weights = sp.random_array((size, size), density=min(degree / size, 1), rng=random, format="csr")
    matrix = sp.csr_array((1 - restart) * normalize_rows(weights).T)
    before = matrix.toarray()
    system = eliminate(matrix, worth)
    right = random.random(size)
    found, total = solved(system, right)
    expected = np.linalg.solve(np.eye(size) - before, right)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(total, expected.sum(), rtol=1e-9)
    np.testing.assert_array_equal(matrix.toarray(), before)
    assert sorted(system.order.tolist()) == list(range(size))
    assert system.core.nnz + system.forward.nnz + system.back.nnz <= 2 * matrix.nnz
    assert (system.loss >= restart - 1e-12).all()
    if worth == 2 and matrix.nnz:
        assert len(system.loss) == size
