"""Every strategy computes in float64 all through: its bits do not depend on torch's default type,
which is float32.
"""

import pytest
import torch

from harness.core.configuration import defaults, names
from harness.fusion.fuser import Calibrated
from harness.fusion.pool import Pool
from harness.testing.lists import random_runs, trained, under_default_types

ODD = {"alpha": 0.3, "beta": 0.1, "bonus": 0.1, "k": 7, "theta": 0.3, "T": 0.3, "gamma": 0.7}
"""Values that float32 does not hold exactly."""


def fused(fuser: str, normalizer: str, temperature: str) -> torch.Tensor:
    """The fused scores of three random lists."""
    strategies = {"fuser": fuser, "normalizer": normalizer, "temperature": temperature}
    made = {}
    for concept, name in strategies.items():
        odd = {key: value for key, value in ODD.items() if key in defaults(concept, name)}
        made[concept] = trained(concept, name, **odd)
    pair = "alpha" in defaults("fuser", fuser)
    runs = random_runs(seed=5, names=("dense", "graph") if pair else ("dense", "graph", "bm25"))
    found: torch.Tensor = made["fuser"](
        Calibrated(Pool.align(runs), made["normalizer"], made["temperature"])
    )
    return found


CASES = [
    *((fuser, "minmax", "auto") for fuser in names("fuser")),
    *(("combsum", normalizer, "auto") for normalizer in names("normalizer")),
    *(("boltzmann", "minmax", temperature) for temperature in names("temperature")),
]


@pytest.mark.parametrize(("fuser", "normalizer", "temperature"), CASES)
def test_bits_do_not_depend_on_the_default_type(
    fuser: str, normalizer: str, temperature: str
) -> None:
    one, two = under_default_types(lambda: fused(fuser, normalizer, temperature))
    assert one.dtype == torch.float64
    assert torch.equal(one, two)
