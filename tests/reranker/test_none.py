import torch

from harness.fuser import Calibrated
from harness.normalizer.pit import Pit
from harness.pool import Pool
from harness.reranker.none import Keep
from harness.temperature.auto import Auto


def test_the_fused_order_is_kept(random_runs) -> None:
    pool = Pool.align(random_runs())
    fused = torch.rand(pool.shape, dtype=torch.float64)
    assert torch.equal(Keep()(fused.clone(), Calibrated(pool, Pit(), Auto())), fused)
