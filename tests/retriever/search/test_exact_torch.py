"""What GPUs propose, here on made-up cards of the CPU: every passage of a long list, whichever card
holds it.
"""

import numpy as np
import pytest

from harness.retriever.search import exact_torch
from harness.retriever.search.exact import decide, nearest_rows
from harness.retriever.search.exact_torch import Products


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_torch, "SLICE", 64)
    monkeypatch.setattr(exact_torch, "ASKED", 7)


@pytest.mark.parametrize("cards", [1, 2, 3])
@pytest.mark.parametrize("room", [1 << 30, 64 * 16 * 4, 0])
def test_the_same_passages_as_on_the_cpu(cards: int, room: int) -> None:
    """With room for all passages, for one slice of a card, and for none."""
    random = np.random.default_rng(0)
    passages = random.standard_normal((300, 16)).astype(np.float32)
    passages /= np.linalg.norm(passages, axis=1, keepdims=True)
    passages[250] = passages[3]
    questions = passages[::17] + 0
    products = Products(passages, ["cpu"] * cards, room)
    for depth in (1, 10, 200, 300, 400):
        docs, scores = decide(products, passages, questions, depth, exact=True)
        wanted, known = nearest_rows(passages, questions, depth)
        assert np.array_equal(docs, wanted)
        assert scores.tobytes() == known.tobytes()


def test_the_products_are_those_of_numpy() -> None:
    random = np.random.default_rng(1)
    passages, questions = (
        random.standard_normal((count, 8)).astype(np.float32) for count in (150, 9)
    )
    scores, docs = Products(passages, ["cpu", "cpu"], 1 << 20)(questions, 20)
    whole = questions @ passages.T
    assert np.allclose(scores, -np.sort(-whole, axis=1)[:, :20], atol=1e-5)
    assert np.allclose(np.take_along_axis(whole, docs, axis=1), scores, atol=1e-5)
