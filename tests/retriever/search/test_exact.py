"""Exact search against every inner product in exact arithmetic, and the same bits in every
block.
"""

import math

import numpy as np
import pytest

from harness.retriever.search.exact import nearest_rows


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def vectors():
    random = np.random.default_rng(3)
    passages = unit(random.standard_normal((500, 40)))
    passages[random.choice(500, 60, replace=False)] = passages[7]
    passages[400:450] = unit(passages[7] + 1e-7 * random.standard_normal((50, 40)))
    return passages, np.concatenate([passages[7:8], unit(random.standard_normal((30, 40)))])


@pytest.mark.parametrize("depth", [1, 9, 499, 500, 900])
def test_as_a_full_sort(vectors, depth):
    passages, questions = vectors
    docs, scores = nearest_rows(passages, questions, depth)
    for question, row, found in zip(questions.astype(float), docs, scores, strict=True):
        sums = {d: math.fsum(passages[d].astype(float) * question) for d in row.tolist()}
        np.testing.assert_allclose(found, list(sums.values()), rtol=0, atol=1e-14)
        assert [d for _, d in sorted(zip(-found, row.tolist(), strict=True))] == row.tolist()
        left = np.setdiff1d(np.arange(500), row)
        if left.size:
            assert (
                max(math.fsum(passages[d].astype(float) * question) for d in left)
                <= found[-1] + 1e-14
            )
    assert set(docs[0, :40].tolist()) <= set(
        np.flatnonzero(passages @ questions[0] > 0.99999).tolist()
    )


def test_no_neighbour_changes_a_bit(vectors):
    passages, questions = vectors
    whole = nearest_rows(passages, questions, 20)
    parts = [
        nearest_rows(passages, questions[place : place + 1], 20) for place in range(len(questions))
    ]
    assert all(
        np.array_equal(one, np.concatenate(own))
        for one, own in zip(whole, zip(*parts, strict=True), strict=True)
    )


@pytest.mark.parametrize("threads", ["1", "2", "3", "700"])
def test_threads_change_no_bit(vectors, monkeypatch, threads):
    whole = nearest_rows(*vectors, 20)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert all(
        np.array_equal(one, other)
        for one, other in zip(whole, nearest_rows(*vectors, 20), strict=True)
    )


def test_nothing_to_find(vectors):
    passages, questions = vectors
    assert nearest_rows(passages, questions[:0], 5)[0].shape == (0, 5)
    assert nearest_rows(passages[:0], questions, 5)[0].shape == (len(questions), 0)
