from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from torch import Tensor

from harness.core.configuration.conf_files import names
from harness.fusion.fuser import Calibrated
from harness.testing import FuserConformance


class TestFusers(FuserConformance):
    names = names("fuser")
    anchored = ("single", "rrf_anchored")


@dataclass(frozen=True)
class SumOfRanks:
    """A mistake that people make: a document that no list holds has infinite ranks, and comes
    first.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        return sum((scored.ranks.clamp(max=1000.0) for scored in pool.lists), torch.zeros(()))


def test_a_fuser_that_puts_absent_documents_first_fails_and_is_told_why() -> None:
    with pytest.raises(AssertionError, match=r"present = False, ranks = inf.*docs = -1"):
        FuserConformance().test_what_all_lists_rank_first_is_first("rrf", SumOfRanks())
