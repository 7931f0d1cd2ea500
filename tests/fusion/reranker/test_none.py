import torch

from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.reranker.none import Keep
from harness.fusion.temperature.auto import Auto


def test_the_fused_order_is_kept(random_runs) -> None:
    pool = Pool.align(random_runs())
    fused = torch.rand(pool.shape, dtype=torch.float64)
    assert torch.equal(Keep()(fused.clone(), Calibrated(pool, Pit(), Auto())), fused)
