"""The world of the policy with a passage whose bytes and letters differ."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.benchmark import Benchmark
from harness.graph.entity import Entity
from harness.work.store import Store
from tests.plugins.policyrag.world import GRAPH, QUESTIONS, WORLD

FRENCH = {**WORLD, "Dune (film)": "Dune is long. It was filmed by David Lynch, é la carte."}


@pytest.fixture
def graph() -> Entity:
    return GRAPH


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


@pytest.fixture
def world(titled: Callable[..., Benchmark]) -> Benchmark:
    return titled(FRENCH, QUESTIONS)
