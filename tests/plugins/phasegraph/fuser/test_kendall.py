import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.plugins.phasegraph.fuser.gumbel_copula import kendall
from harness.run import Run

LISTS = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-3, 3).map(float), max_size=10)


def tau(queries: list[tuple[dict[str, float], dict[str, float]]]) -> list[tuple[float, int]]:
    runs = {
        name: Run.from_dict({f"q{place}": pair[side] for place, pair in enumerate(queries)})
        for side, name in enumerate(("dense", "graph"))
    }
    documents = sorted({doc for pair in queries for found in pair for doc in found})
    ids = runs["dense"].query_ids
    docs = Run.from_dict({"q": dict.fromkeys(documents, 1.0)}).doc_ids
    pool = Pool.align({name: run.aligned(ids, docs) for name, run in runs.items()})
    calibrated = Calibrated(pool, Pit(), Auto())
    taus, sizes = kendall(calibrated["dense"], calibrated["graph"])
    return list(zip(taus[:, 0].tolist(), sizes[:, 0].tolist(), strict=True))


def test_by_hand() -> None:
    straight = {"a": 3.0, "b": 2.0, "c": 1.0}
    others = [straight | {"z": 0.0}, {"a": 1.0, "b": 2.0, "c": 3.0}, {}]
    assert tau([(straight, other) for other in others]) == [(1, 3), (-1, 3), (0, 0)]


@settings(max_examples=60)
@given(st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=4))
def test_agrees_with_scipy(queries: list[tuple[dict[str, float], dict[str, float]]]) -> None:
    for (first, second), (found, size) in zip(queries, tau(queries), strict=True):
        shared = sorted(set(first) & set(second))
        assert size == len(shared)
        if size < 2:
            assert found == 0
            continue
        one, other = ([values[doc] for doc in shared] for values in (first, second))
        expected = kendalltau(one, other).statistic
        assert found == pytest.approx(0 if math.isnan(expected) else expected, abs=1e-12)
