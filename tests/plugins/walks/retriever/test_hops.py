"""A second step by hand, over passages of two words each."""

import math

import pytest

from harness.plugins.walks.retriever.hops import Hops
from harness.testing import RetrieverConformance

WORLD = ["dune lynch", "lynch missoula", "missoula grow", "stone river"]
LINK = math.log(2) / math.log(10 / 3)
"""What lynch adds, in 2 passages of 4, to what dune adds, in one: ln(1 + 2.5 / 2.5) and
ln(1 + 3.5 / 1.5).
"""


def test_open_words_and_those_of_the_first_passage_lead_on(benchmark_of, store):
    """From dune, grow is open and lynch leads on: the third has 1 of 1, the second LINK of LINK;
    so both have twice that, as the first is the best of BM25. From the third likewise.
    """
    benchmark = benchmark_of(WORLD, ["What dune did grow?", "whale"])
    found = [Hops(passages=count).retrieve(benchmark, store)[0].to_dict()["q0"] for count in (1, 2)]
    assert found[0] == pytest.approx({"d2": 2.0, "d1": 2 * LINK**2}, abs=1e-15)
    assert found[1] == pytest.approx({"d0": 2.0, "d2": 2.0, "d1": 2 * LINK**2}, abs=1e-15)
    run, _ = Hops(depth=1).retrieve(benchmark, store)
    assert run.to_dict() == {"q0": {"d0": pytest.approx(2.0)}, "q1": {}}


class TestHops(RetrieverConformance):
    names = ("hops",)
