"""Numbers beyond the bounds of the core's fusers and temperatures."""

import pytest

from harness.core.configuration.conf_files import strategy
from harness.core.errors import HarnessError

BEYOND = [
    ("fuser", "boltzmann", {"alpha": -0.1, "beta": -1}),
    ("fuser", "linear", {"alpha": 1.3, "beta": -0.1, "weights.dense": -2}),
    ("fuser", "rrf", {"k": -1}),
    ("fuser", "rrf", {"k": 1e17}),
    ("fuser", "rrf_anchored", {"k": -0.5}),
    ("fuser", "weighted_rrf", {"bonus": -1, "weights.graph": -1.0}),
    ("temperature", "wasserstein", {"T0": 0, "gamma": -1}),
    ("temperature", "fixed", {"T": 0}),
    ("temperature", "fixed", {"T": -1}),
    ("temperature", "fixed", {"T": 1e17}),
]


@pytest.mark.parametrize(("concept", "name", "fields"), BEYOND)
def test_a_number_beyond_its_bounds_is_named(
    concept: str, name: str, fields: dict[str, float]
) -> None:
    for knob, bad in fields.items():
        field, _, key = knob.partition(".")
        said = rf"^{concept}\.{knob} must be in [\[(]0, .*got {key or field}={bad}"
        with pytest.raises(HarnessError, match=said.replace("+", ".")):
            strategy(concept, name, **{field: {key: bad} if key else bad})
