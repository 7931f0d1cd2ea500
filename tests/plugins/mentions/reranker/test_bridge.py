"""Percentile ranks against SciPy's; the score by hand from the model itself, pair by pair; the
bridge stays first.
"""

import numpy as np
import pytest
import torch
from scipy.stats import percentileofscore

from harness.core.errors import HarnessError
from harness.fusion.fuser.single import Single
from harness.fusion.reranker.cross_encoder import CrossEncoder
from harness.plugins.mentions.reranker.bridge import Bridge, percentile_ranks


@pytest.fixture(scope="module")
def model(classifier) -> str:
    return classifier(1)


def test_percentile_ranks_are_scipys_among_the_others():
    values = torch.tensor(
        [[3.0, 1.0, 1.0, 2.0, 9.0], [5.0, 0.0, 0.0, 0.0, 0.0]], dtype=torch.float64
    )
    there = torch.tensor([[True, True, True, True, False], [True, False, False, False, False]])
    found = percentile_ranks(values, there)
    held = values[0, :4].numpy()
    expected = [
        percentileofscore(np.delete(held, place), held[place], "mean") / 100 for place in range(4)
    ]
    assert found[0, :4].tolist() == pytest.approx(expected)
    assert found[1, 0] == 0.5


@pytest.mark.parametrize("blend", [0.0, 0.5, 1.0])
def test_the_score_is_of_question_bridge_and_candidate(blend, model, readable):
    """Fused scores fall with the number: of three others P(h) is 1, .5, 0."""
    reranker = Bridge(model, max_length=80, m=4, words=3, blend=blend)
    fused = reranker(Single()(readable), readable)
    texts = readable.pool.context.texts
    bridge = " ".join(texts.passages[0].split()[:3])
    pairs = [(f"{texts.questions[0]}\n{bridge}", passage) for passage in texts.passages[1:4]]
    raw, _ = CrossEncoder(model, max_length=80).open().score(pairs, lambda done: None)
    read = [
        percentileofscore(np.delete(raw, place), raw[place], "mean") / 100 for place in range(3)
    ]
    assert fused[0, 0] == 2
    assert fused[0, 1:4].tolist() == pytest.approx(
        (1 - blend) * np.array([1, 0.5, 0]) + blend * np.array(read)
    )
    order = torch.argsort(fused[0], descending=True, stable=True).tolist()
    assert order[0] == 0
    assert order[4:] == [4, 5]


def test_without_words_the_question_is_read_alone(model, readable):
    alone = Bridge(model, max_length=80, m=6, words=0, blend=1.0)(Single()(readable), readable)
    plain = CrossEncoder(model, max_length=80, m=6)(Single()(readable), readable)
    others = torch.argsort(plain[0, 1:], descending=True, stable=True)
    assert torch.equal(torch.argsort(alone[0, 1:], descending=True, stable=True), others)


def test_bounds(model):
    with pytest.raises(HarnessError, match=r"reranker\.words must be in \[0, inf\), got words=-1"):
        Bridge(model, words=-1)
    with pytest.raises(HarnessError, match=r"reranker\.words must be a whole number"):
        Bridge(model, words=1.5)
