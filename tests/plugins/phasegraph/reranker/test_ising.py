import math

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from harness.core.errors import HarnessError
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.rrf import Rrf
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.reranker import top
from harness.fusion.temperature.auto import Auto
from harness.plugins.phasegraph.reranker.ising import Ising, coupling, magnetisation
from harness.run import Run
from harness.testing import RerankerConformance

# Documents a, b, c, d; entity 0 in a and d, entity 1 in a, b and d, entity 2 in c.
MENTIONS = csr_array(np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]))


def pool(run: Run, mentions: csr_array | None = MENTIONS) -> Calibrated:
    context = Context(mentions={"dense": mentions})
    return Calibrated(Pool.align({"dense": run}, context=context), Pit(), Auto())


def order(fused: torch.Tensor) -> list[int]:
    return torch.sort(fused[0], descending=True, stable=True).indices.tolist()


FOUR = Run.from_dict({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})


def test_weights_of_shared_entities_by_hand() -> None:
    calibrated = pool(FOUR)
    columns, there = top(torch.tensor([[4.0, 3.0, 2.0, 1.0]], dtype=torch.float64), calibrated, 4)
    # a-b share entity 1 (1/3), a-d entities 0 and 1 (1/2 + 1/3), b-d entity 1 (1/3).
    expected = [[0, 2 / 7, 0, 5 / 7], [0.5, 0, 0, 0.5], [0, 0, 0, 0], [5 / 7, 2 / 7, 0, 0]]
    assert coupling(calibrated, columns, there)[0].numpy() == pytest.approx(np.array(expected))


def test_magnetisation_is_the_fixed_point() -> None:
    # Two coupled documents with opposite fields: M = tanh((1 - 0.5 M) / 1), and -M for the other.
    # In the second case half steps would swing between -1 and 1 for ever.
    coupled = torch.tensor([[[0.0, 1], [1, 0]]]).double()
    for field, j, t in ((1.0, 0.5, 1.0), (0.1, 4.0, 0.25)):
        fields = torch.tensor([[field, -field]], dtype=torch.float64)
        best, worst = magnetisation(fields, coupled, j, t)[0].tolist()
        assert best == pytest.approx(math.tanh((field - j * best) / t), abs=1e-7)
        assert worst == pytest.approx(-best, abs=1e-12)


def test_trials_on_one_pool_share_the_coupling() -> None:
    calibrated = pool(FOUR)
    fused = torch.tensor([[4.0, 3.0, 1.5, 1.0]], dtype=torch.float64)
    Ising(blend=0.2)(fused.clone(), calibrated)
    known = len(calibrated.pool.memo)
    alone = order(Ising(blend=1)(fused.clone(), pool(FOUR)))
    assert order(Ising(J=0.5, blend=1)(fused.clone(), calibrated)) == alone
    assert len(calibrated.pool.memo) == known


def test_a_document_is_lifted_by_its_neighbours() -> None:
    fused = torch.tensor([[4.0, 3.0, 1.5, 1.0]], dtype=torch.float64)
    assert order(Ising(J=0, blend=1)(fused.clone(), pool(FOUR))) == [0, 1, 2, 3]
    assert order(Ising(J=2, blend=1)(fused.clone(), pool(FOUR))) == [0, 1, 3, 2]


def test_without_blend_the_order_stays() -> None:
    fused = torch.tensor([[1.0, 3.0, 2.0, -torch.inf]], dtype=torch.float64)
    assert order(Ising(J=2, blend=0)(fused, pool(FOUR))) == [1, 2, 0, 3]


def test_blocks_of_queries_change_no_bit(random_runs) -> None:
    runs = random_runs()
    entities = csr_array((np.random.default_rng(0).random((60, 30)) < 0.1).astype(np.int8))
    whole = Pool.align(runs, context=Context(mentions={"graph": entities}))
    fused = Ising()(Rrf()(Calibrated(whole, Pit(), Auto())), Calibrated(whole, Pit(), Auto()))
    for query in range(40):
        own = {name: run.take(np.array([query])) for name, run in runs.items()}
        one = Pool.align(own, context=Context(mentions={"graph": entities}))
        alone = Ising()(Rrf()(Calibrated(one, Pit(), Auto())), Calibrated(one, Pit(), Auto()))
        assert torch.equal(alone[0], fused[query, : alone.shape[1]])


def test_it_says_what_it_needs() -> None:
    with pytest.raises(HarnessError, match="reranker=ising"):
        Ising()(torch.zeros((1, 4), dtype=torch.float64), pool(FOUR, None))


class TestConformance(RerankerConformance):
    names = ("ising",)
