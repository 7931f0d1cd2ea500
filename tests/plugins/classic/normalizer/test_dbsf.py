import numpy as np
import pytest
import torch

import harness
from harness.plugins.classic.normalizer.dbsf import Dbsf
from harness.run import Run


def values(*scores: float) -> list[float]:
    listed = torch.tensor([scores], dtype=torch.float64)
    return Dbsf()(listed, torch.ones_like(listed, dtype=torch.bool))[0].tolist()


def test_by_hand() -> None:
    """Mean 3, deviation of the sample sqrt(2.5): 5 is at (5 - 3 + 3 sqrt(2.5)) / (6 sqrt(2.5))."""
    steps = [2, 1, 0, -1, -2]
    expected = [0.5 + step / (6 * 2.5**0.5) for step in steps]
    assert values(5, 4, 3, 2, 1) == pytest.approx(expected, rel=1e-14)


def test_one_score_and_equal_scores_are_in_the_middle() -> None:
    assert values(7.5) == [0.5]
    assert values(0.1, 0.1, 0.1) == [0.5, 0.5, 0.5]


def test_an_outlier_is_beyond_1_and_keeps_its_place() -> None:
    found = values(*[9.0, 8.0] + [0.0] * 60)
    assert found[0] > found[1] > 1


def test_an_absent_document_is_not_above_one_far_below_the_mean() -> None:
    low = {f"d{number:02d}": 1.0 for number in range(40)} | {"low": 0.0}
    runs = {"dense": Run.from_dict({"q": low}), "graph": Run.from_dict({"q": {"d00": 1.0, "x": 2}})}
    found = harness.fuse(runs, "combmax", "dbsf").to_dict()["q"]
    assert found["low"] < 0 < found["x"]
    alone = harness.fuse({**runs, "graph": {"q": {}}}, "combsum", "dbsf").to_dict()["q"]
    assert list(alone)[-1] == "low"


def test_sums_over_lists(questions: dict[str, dict[str, dict[str, float]]]) -> None:
    """CombSUM after DBSF is Qdrant's fusion: 0 for a document that a list lacks."""
    systems = {
        name: Run.from_dict({query: lists[name] for query, lists in questions.items()})
        for name in ("dense", "graph", "bm25")
    }
    found = harness.fuse(systems, "combsum", "dbsf").to_dict()
    for query, lists in questions.items():
        expected: dict[str, float] = {}
        for scores in lists.values():
            own = np.array([*scores.values()])
            spread = own.std(ddof=1) if len(own) > 1 else 0
            for doc, score in scores.items():
                value = (score - own.mean() + 3 * spread) / (6 * spread) if spread else 0.5
                expected[doc] = expected.get(doc, 0) + value
        assert found[query] == pytest.approx(expected, rel=0, abs=1e-12)
