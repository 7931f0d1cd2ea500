"""What a Ray cluster cannot give is told before anything waits for it."""

from typing import Any

import pytest

from harness.core.errors import HarnessError
from harness.plugins.cluster.engine.ray import Ray

NODES = [
    {"Alive": True, "Resources": {"CPU": 4.0}},
    {"Alive": False, "Resources": {"CPU": 4.0, "GPU": 8.0}},
]


@pytest.mark.parametrize(
    "asked",
    [{"gpus": 1}, {"cpus": 5}, {"cpus": 4, "gpus": 0.5}],
    ids=lambda asked: str(sorted(asked)),
)
def test_what_no_node_has_is_told_in_place_of_waiting(asked: dict[str, Any]) -> None:
    with pytest.raises(HarnessError, match=r".*4 CPUs.*0 GPUs"):
        Ray(**asked)._check_nodes(NODES)
    Ray(**asked, grows=True)._check_nodes(NODES)
    Ray(cpus=4)._check_nodes(NODES)
