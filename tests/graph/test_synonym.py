import numpy as np
import pytest

from harness.graph.synonym import AXES, bounds, synonyms

UNIT = np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [-1, 0], [1, 0]], dtype=np.float32)
"""Cosines: 0-1 .6, 0-2 .8, 1-2 .96, 0-4 1, 1-4 .6, 2-4 .8, the rest below 0."""


@pytest.mark.parametrize(
    ("threshold", "edges"),
    [
        (0.5, {(0, 1), (0, 2), (1, 2), (0, 4), (1, 4), (2, 4)}),
        (0.9, {(1, 2), (0, 4)}),
        (1.0, {(0, 4)}),
    ],
)
def test_edges_at_a_threshold(threshold: float, edges: set[tuple[int, int]]) -> None:
    found = synonyms(UNIT, threshold)
    assert {(i, j) for i, j in zip(*found.nonzero(), strict=True) if i < j} == edges
    np.testing.assert_array_equal(found.toarray(), found.toarray().T)
    assert not found.diagonal().any()


def test_the_threshold_itself_is_in_and_the_next_number_is_not() -> None:
    exact = float(np.multiply(UNIT[0], UNIT[2], dtype=np.float64).sum())
    assert synonyms(UNIT, exact)[0, 2] == pytest.approx(0.8)
    assert synonyms(UNIT, np.nextafter(exact, 1))[0, 2] == 0


def test_blocks_change_nothing_and_every_pair_is_found() -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    np.fill_diagonal(exact, 0)
    found = synonyms(vectors, 0.4)
    np.testing.assert_allclose(found.toarray(), np.where(exact >= 0.4, exact, 0), atol=1e-6)
    for block in (1, 7, 64):
        assert (found != synonyms(vectors, 0.4, block=block)).nnz == 0


def test_no_pair_is_lost_where_the_axes_leave_something_out() -> None:
    random = np.random.default_rng(1)
    centres = random.normal(size=(40, 3 * AXES))
    vectors = (
        centres[random.integers(40, size=300)] + 0.4 * random.normal(size=(300, 3 * AXES))
    ).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    short = bounds(vectors).astype(np.float64)
    assert (short @ short.T >= exact - 1e-5).all()
    np.fill_diagonal(exact, 0)
    found = synonyms(vectors, 0.85)
    assert 0 < found.nnz == (exact >= 0.85).sum()
    np.testing.assert_allclose(found.toarray(), np.where(exact >= 0.85, exact, 0), atol=1e-6)


def test_no_names() -> None:
    assert synonyms(np.empty((0, 4), np.float32), 0.85).shape == (0, 0)
