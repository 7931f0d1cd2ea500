"""Exact search against sums without any rounding (math.fsum of exact products), with planted
duplicates.
"""

import math

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.retriever.search.exact import cosines, decide
from harness.retriever.search.index import build, search


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def brute(passages, questions, depth):
    """The ``depth`` best of each question by score descending, then number ascending."""
    return [
        sorted(
            range(len(passages)),
            key=lambda d: (-math.fsum(passages[d].astype(float) * question), d),
        )[:depth]
        for question in questions.astype(float)
    ]


def near_ties(random):
    """200 passages apart by a last bit or none: float32 products cannot tell them from
    each other.
    """
    passages = np.repeat(unit(random.standard_normal((1, 48))), 200, axis=0)
    places = random.integers(0, 48, 200)
    passages[np.arange(200), places] = np.nextafter(passages[np.arange(200), places], np.float32(1))
    return passages


def duplicates(random):
    """A passage 100 times, at scattered places, among others."""
    passages = unit(random.standard_normal((400, 48)))
    passages[random.choice(400, 100, replace=False)] = passages[7]
    return passages


@pytest.mark.parametrize(
    "make", [near_ties, duplicates, lambda random: unit(random.standard_normal((300, 48)))]
)
@pytest.mark.parametrize("depth", [1, 5, 60])
def test_flat_search_is_exact_and_ties_go_to_the_lower_number(make, depth):
    random = np.random.default_rng(depth)
    passages = make(random)
    questions = np.concatenate([unit(random.standard_normal((10, 48))), passages[7:9]])
    docs, scores = decide(build(passages, "Flat").search, passages, questions, depth, exact=True)
    assert docs.tolist() == brute(passages, questions, depth)
    expected = [
        [math.fsum(passages[d].astype(float) * q) for d in row]
        for q, row in zip(questions, docs, strict=True)
    ]
    np.testing.assert_allclose(scores, expected, atol=1e-14)
    assert scores.dtype == np.float64


def test_a_score_depends_on_its_two_vectors_alone():
    random = np.random.default_rng(0)
    passages, questions = (
        unit(random.standard_normal((500, 384))),
        unit(random.standard_normal((40, 384))),
    )
    found = np.broadcast_to(np.arange(500), (40, 500))
    whole = cosines(passages, questions, found)
    shuffled = random.permutation(500)
    assert np.array_equal(cosines(passages, questions, found[:, shuffled]), whole[:, shuffled])
    assert np.array_equal(cosines(passages, questions[17:18], found[:1, 3:4]), whole[17:18, 3:4])


def test_fewer_passages_than_asked_for():
    passages = unit(np.random.default_rng(0).standard_normal((3, 8)))
    docs, _ = decide(build(passages, "Flat").search, passages, passages[:1], 10, exact=True)
    assert docs.tolist() == brute(passages, passages[:1], 3)


@pytest.mark.parametrize("factory", ["IVF8,Flat", "HNSW16", "SQ8"])
def test_other_indexes_find_most_of_it_with_exact_scores(factory):
    random = np.random.default_rng(0)
    centres = 3 * random.standard_normal((8, 16))
    passages = unit(random.standard_normal((2000, 16)) + centres[random.integers(0, 8, 2000)])
    questions = passages[::50]
    docs, scores = search(build(passages, factory), passages, questions, 10)
    found = [
        len(set(ours) & set(theirs))
        for ours, theirs in zip(docs, brute(passages, questions, 10), strict=True)
    ]
    assert np.mean(found) > 7
    assert scores[0, 0] == cosines(passages, questions[:1], docs[:1, :1])[0, 0]
    assert (np.diff(scores) <= 0).all()


def test_where_an_index_finds_too_few():
    passages = unit(np.eye(64, 8) + np.random.default_rng(0).random((64, 8)))
    docs, scores = search(build(passages, "IVF32,Flat"), passages, passages[:4], 20)
    assert (docs == -1).any()
    assert np.array_equal(docs == -1, np.isneginf(scores))


@pytest.mark.parametrize(
    ("factory", "reason"), [("Flatt", "Flatt"), ("IVF100,Flat", "10 vectors of 8")]
)
def test_a_string_that_faiss_refuses(factory, reason):
    passages = unit(np.random.default_rng(0).standard_normal((10, 8)))
    with pytest.raises(
        HarnessError, match=rf"^lists.NAME.index={factory}.*{reason}.*index_factory"
    ):
        build(passages, factory)
