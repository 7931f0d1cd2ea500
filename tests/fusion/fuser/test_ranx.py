"""Against ranx 0.3.21, whose ``fuse(runs, norm, method)`` made ``ranx.json``."""

import json
from pathlib import Path

import pytest

import harness
from harness.run import Run

STORED = json.loads((Path(__file__).parent / "ranx.json").read_text())


@pytest.mark.parametrize("case", sorted(STORED["ranx"]))
def test_agrees_with_ranx(case: str) -> None:
    fuser, _, normalizer = case.partition(" ")
    runs = {name: Run.from_dict(found) for name, found in STORED["lists"].items()}
    fused = harness.fuse(runs, fuser, normalizer or "pit").to_dict()
    for query, expected in STORED["ranx"][case].items():
        assert fused[query] == pytest.approx(expected, rel=1e-13)
