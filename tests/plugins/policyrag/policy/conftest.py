"""A chain of three titles that a policy walks, and two passages beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.benchmark import Benchmark
from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.policyrag.policy.policy import Policy, read
from harness.work.store import Store

WORLD = {
    "Dune (film)": "Dune is long. It was filmed by David Lynch, é la carte.",
    "David Lynch": "David Lynch grew up in Missoula. He paints.",
    "Missoula": "Missoula is a city with a river.",
    "Rome": "Rome is a city with a river, too.",
    "Alone": "Nothing is said here.",
}
QUESTION = "Where did the director of Dune grow up?"
PLAIN: dict[str, dict[str, Any]] = {
    "seed": {
        "by": "names",
        "align": "lexical",
        "specificity": 0,
        "passage_weight": 0,
        "passages": 0,
        "link": None,
    },
    "gate": {"facts": 0},
    "traverse": {"alpha": 0.5, "tolerance": 1e-9},
    "project": {"beta": 0, "gamma": 0},
    "rerank": {"lambda_title": 0, "lambda_cov": 0, "lambda_path": 0},
}


@pytest.fixture
def graph() -> Entity:
    return Entity(Offline(model=None, spans=False), Hashed(), synonym=None)


@pytest.fixture
def encoder() -> Hashed:
    return Hashed()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


@pytest.fixture
def world(titled: Callable[..., Benchmark]) -> Benchmark:
    return titled(WORLD, [QUESTION, "Is Rome older than Missoula?", "?"])


@pytest.fixture
def plain() -> Callable[..., Policy]:
    """``plain(section={knob: value})``: a policy of which only the walk is left, with some knobs
    set.
    """

    def made(**edits: dict[str, Any]) -> Policy:
        return read(**{name: {**knobs, **edits.get(name, {})} for name, knobs in PLAIN.items()})

    return made
