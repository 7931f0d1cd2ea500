import numpy as np
import torch

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.rrf import Rrf
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.run import Run


def test_reciprocal_ranks_by_hand(scores, two_lists) -> None:
    assert scores(Rrf(), two_lists) == {"a": 1 / 61 + 1 / 62, "c": 1 / 61, "b": 1 / 62}


def test_documents_with_the_same_ranks_in_other_lists_tie(scores) -> None:
    lists = {
        "dense": {"b": 3, "c": 2, "a": 1},
        "graph": {"a": 3, "b": 2, "c": 1},
        "bm25": {"c": 3, "a": 2, "b": 1},
    }
    fused = scores(Rrf(k=7), lists)
    assert list(fused) == ["a", "b", "c"]
    assert len(set(fused.values())) == 1


def test_divisions_are_exact() -> None:
    run = Run.from_dict({"q": {f"{n:04d}": -n for n in range(2000)}})
    fused = Rrf()(Calibrated(Pool.align({"dense": run}), Pit(), Auto()))
    assert torch.equal(fused[0], torch.from_numpy(1.0 / (60 + np.arange(1.0, 2001))))


def test_the_largest_k_keeps_every_rank(scores) -> None:
    """Neighbours differ by 1e-12 of their score, and float64 keeps 1e-16."""
    found = scores(Rrf(k=10**12), {"dense": {f"d{n}": -n for n in range(1000)}, "graph": {}})
    assert list(found) == [f"d{n}" for n in range(1000)]
    assert len({*found.values()}) == 1000
