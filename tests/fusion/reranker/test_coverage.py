"""Coverage by hand: open words are worth their share of the question's idf."""

import math
from types import SimpleNamespace

import pyarrow as pa
import pytest
import torch

from harness.core.errors import HarnessError
from harness.fusion.context import Context, SourceTexts
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.single import Single
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.reranker import reorder
from harness.fusion.reranker.coverage import Coverage
from harness.fusion.temperature.auto import Auto
from harness.run import Run
from harness.testing import RerankerConformance
from harness.work.store import Store

PASSAGES = ["red fox", "red red fox", "blue bird", "grey stone"]
QUESTION = "What red fox met a blue Red whale?"
"""df: red 2, fox 2, blue 1, of 4 passages; none has met or whale, and the others are stop words."""


def pool(folder):
    run = Run.from_dict({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "none": {"d": 1.0}})
    run = run.aligned(run.query_ids, pa.array(list("abcd")))
    texts = SourceTexts([QUESTION, "What?"], PASSAGES, Store(folder))
    return Calibrated(Pool.align({"dense": run}, context=Context(texts)), Pit(), Auto())


def order(reranker, calibrated):
    scores = reranker(Single()(calibrated), calibrated)
    docs = calibrated.pool.docs[0][torch.argsort(scores[0], descending=True, stable=True)]
    return "".join("abcd"[doc] for doc in docs.tolist())


def test_the_next_has_the_words_that_are_open(tmp_path):
    """h is 1, 2/3, 1/3, 0. After a only blue is open: c passes b where its share times
    the weight is more than 1/3.
    """
    common, blue = math.log(1 + 2.5 / 2.5), math.log(1 + 3.5 / 1.5)
    enough = (2 * common + blue) / blue / 3
    calibrated = pool(tmp_path)
    assert order(Coverage(0.0), calibrated) == "abcd"
    assert order(Coverage(enough - 1e-6), calibrated) == "abcd"
    assert order(Coverage(enough + 1e-6), calibrated) == "acbd"
    assert order(Coverage(enough + 1e-6, m=2), calibrated) == "abcd"


def test_lists_alone_have_no_words():
    run = Run.from_dict({"q": {"a": 1.0}})
    with pytest.raises(HarnessError, match="reranker=coverage"):
        order(Coverage(), Calibrated(Pool.align({"dense": run}), Pit(), Auto()))


class TestCoverage(RerankerConformance):
    names = ("coverage",)

    @pytest.fixture(autouse=True)
    def store(self, tmp_path):
        self.texts = tmp_path

    def context(self, runs):
        size = len(next(iter(runs.values())).doc_ids)
        passages = [f"word{n % 7} word{n % 5} word{n % 3}" for n in range(size)]
        count = len(next(iter(runs.values())).query_ids)
        questions = [f"word{n % 6} word{n % 4} word{n}" for n in range(count)]
        return Context(texts=SourceTexts(questions, passages, Store(self.texts)))


def test_documents_below_the_reranked_ones_follow_whatever_the_padding():
    """One of three documents, and one of four, has the new score 5; the others have 4, 3, ..."""
    docs = torch.tensor([[0, 1, 2, -1], [0, 1, 2, 3]], dtype=torch.int32)
    calibrated = SimpleNamespace(pool=SimpleNamespace(docs=docs))
    fused = torch.tensor([[3.0, 2.0, 1.0, 0.0]], dtype=torch.float64).expand(2, -1)
    columns, there = torch.tensor([[2], [2]]), torch.ones((2, 1), dtype=torch.bool)
    found = reorder(fused, calibrated, columns, there, torch.full((2, 1), 5.0, dtype=torch.float64))
    assert found.tolist() == [[4, 3, 5, -torch.inf], [4, 3, 5, 2]]
