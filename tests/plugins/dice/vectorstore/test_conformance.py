"""Every vector store finds the same vectors with the same scores. A configuration is tested by
existing.
"""

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.core.configuration.conf_files import names, strategy
from harness.core.errors import HarnessError
from harness.plugins.dice.vectorstore import Search

random = np.random.default_rng(3)
VECTORS = random.normal(size=(300, 24)).astype(np.float32)
VECTORS[200:210] = VECTORS[10:20]  # equal vectors: their scores tie
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
QUESTIONS = random.normal(size=(12, 24)).astype(np.float32)
QUESTIONS /= np.linalg.norm(QUESTIONS, axis=1, keepdims=True)
QUESTIONS[0] = VECTORS[10]


@contextlib.contextmanager
def searching(name: str, vectors: NDArray[np.float32]) -> Iterator[Search]:
    try:
        with strategy("vectorstore", name).open(vectors) as search:
            yield search
    except HarnessError as error:
        if "extra `stores`" in str(error):
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("name", names("vectorstore"))
def test_the_nearest_in_the_one_order(name: str) -> None:
    whole = QUESTIONS.astype(np.float64) @ VECTORS.astype(np.float64).T
    with searching(name, VECTORS) as search:
        for depth in (1, 10, 300, 1000):
            docs, scores = search(QUESTIONS, depth)
            numbers = np.broadcast_to(np.arange(300), whole.shape)
            order = np.lexsort((numbers, -whole.round(12)), axis=-1)
            assert docs.tolist() == order[:, :depth].tolist()
            np.testing.assert_allclose(scores, np.take_along_axis(whole, docs, axis=1), atol=1e-12)
            with searching("faiss", VECTORS) as first:
                assert scores.tobytes() == first(QUESTIONS, depth)[1].tobytes()
        assert docs[0, :2].tolist() == [10, 200]


@pytest.mark.parametrize("name", names("vectorstore"))
def test_fewer_vectors_than_asked_for(name: str) -> None:
    with searching(name, VECTORS[:3]) as search:
        docs, scores = search(QUESTIONS[:2], 10)
        assert docs.shape == scores.shape == (2, 3)
        assert sorted(docs[0].tolist()) == [0, 1, 2]


@pytest.mark.parametrize(("field", "bad"), [("links", 1), ("build", 0), ("look", float("nan"))])
def test_bounds(field: str, bad: float) -> None:
    with pytest.raises(HarnessError, match=rf"^vectorstore\.{field}.*got {field}={bad}"):
        strategy("vectorstore", "chroma", **{field: bad})
