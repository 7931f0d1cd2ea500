"""Maximal marginal relevance by hand, and through a sweep."""

import numpy as np
import pyarrow as pa
import pytest
import torch

from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.single import Single
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.plugins.phasegraph.reranker.mmr import Mmr
from harness.run import Run
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from harness.testing import RerankerConformance

VECTORS = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
"""Cosines: a and b 1, either to c .6, to d 0, c to d .8."""
LIST = {"q0": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 1.0}}


def pool(vectors, lists=LIST):
    run = Run.from_dict(lists)
    run = run.aligned(run.query_ids, pa.array(list("abcd")))
    return Calibrated(Pool.align({"dense": run}, context=Context(vectors=vectors)), Pit(), Auto())


def order(reranker, calibrated):
    scores = reranker(Single()(calibrated), calibrated)
    docs = calibrated.pool.docs[0][torch.argsort(scores[0], descending=True, stable=True)]
    return "".join("abcd"[doc] for doc in docs.tolist() if doc >= 0)


@pytest.mark.parametrize(
    ("relevance", "expected"),
    [
        (1.0, "abcd"),
        # h 1, .75, .5, 0. After a: b .375 - .5, c .25 - .3, d 0 - 0; then b -.125, c .25 - .4 =
        # -.15; then c
        (0.5, "adbc"),
        # after a: b .6 - .2 = .4, c .4 - .12 = .28, d 0; then c .28, d 0; then d
        (0.8, "abcd"),
        # after a: b .45 - .4 = .05, c .3 - .24 = .06, d 0; then b .05, d 0 - .32
        (0.6, "acbd"),
        # nothing but difference: a (all are 0, the first), then d, then c -.8, b -1
        (0.0, "adcb"),
    ],
)
def test_the_next_is_relevant_and_unlike_those_before(relevance, expected):
    assert order(Mmr(relevance), pool(VECTORS)) == expected


def test_only_the_best_m_are_chosen_from():
    """Of a, b, c, scaled to 1, .5, 0: after a, b has .25 - .5 and c 0 - .3."""
    assert order(Mmr(0.5, m=3), pool(VECTORS)) == "abcd"
    assert order(Mmr(0.0, m=3), pool(VECTORS)) == "acbd"


def test_questions_with_fewer_passages_than_others():
    calibrated = pool(VECTORS, {**LIST, "q1": {"b": 2.0, "a": 1.0}})
    scores = Mmr(0.0)(Single()(calibrated), calibrated)[1]
    kept = calibrated.pool.docs[1] >= 0
    assert calibrated.pool.docs[1][kept][torch.argsort(scores[kept], descending=True)].tolist() == [
        1,
        0,
    ]


def test_what_it_cannot_do_is_said():
    with pytest.raises(HarnessError, match="reranker=mmr"):
        order(Mmr(), pool(None))
    with pytest.raises(HarnessError, match=r"reranker\.relevance.*\[0.*1\].*relevance=1\.5"):
        Mmr(relevance=1.5)
    with pytest.raises(HarnessError, match=r"reranker\.m.*\[1.*m=0"):
        Mmr(m=0)


class TestMmr(RerankerConformance):
    names = ("mmr",)

    def context(self, runs):
        vectors = np.random.default_rng(3).normal(size=(len(next(iter(runs.values())).doc_ids), 8))
        return Context(
            vectors=(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        )


def test_a_sweep_reranks_by_the_vectors_of_its_encoder(overrides):
    """The encoder is of the trial's identity only where the reranker reads it; all is typed as it
    is anywhere.
    """
    found = {}
    for encoder in ("hashed", "static"):
        given = (
            *overrides,
            f"encoder={encoder}",
            "grid=point",
            "reranker=mmr",
            "reranker.relevance=0.3",
        )
        prepared = Prepared.of(Plan(compose("config", given), given))
        result = sweep(prepared, prepared.plan.trials())
        found[encoder] = {
            row["name"]: row["trial"] for row in result.lock["baselines"] + result.lock["fusers"]
        }
        (name,) = [
            name
            for name in found[encoder]
            if "mmr" in name and "graph" not in name and "dense" not in name
        ]
        assert "relevance=0.3" in name
    assert found["hashed"].keys() == found["static"].keys()
    assert {name for name, key in found["hashed"].items() if found["static"][name] != key} == {
        name for name in found["hashed"] if "mmr" in name
    }
