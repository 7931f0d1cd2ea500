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
        held = [
            doc
            for doc in expected
            if fuser != "combmin" or all(doc in run for run in lists_of(query))
        ]
        ours, theirs = ({doc: found[doc] for doc in held} for found in (fused[query], expected))
        assert ours == pytest.approx(theirs, rel=1e-13)
        assert fused[query].keys() == expected.keys()


def lists_of(query: str) -> list[dict[str, float]]:
    """ranx takes the least over the lists that hold a document, CombMin over all: the same where
    all hold it.
    """
    return [found[query] for found in STORED["lists"].values()]
