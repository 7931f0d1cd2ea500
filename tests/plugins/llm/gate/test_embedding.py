"""The gate `embedding` with vectors worked by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.plugins.llm.gate import Candidates, keep
from harness.plugins.llm.gate.embedding import Embedding
from harness.work.store import Store

VECTORS = {
    "x": (1, 0),
    "y": (0, 1),
    "east": (1, 0),
    "north": (0, 1),
    "most east": (4, 3),
    "most north": (3, 4),
}
"""Cosines with x: 1, 0, 0.8, 0.6; with y: 0, 1, 0.6, 0.8."""


@dataclass(frozen=True)
class Plane:
    """Encodes the texts above."""

    def open(self) -> Any:
        return Opened()


class Opened:
    dimension = 2
    facts: dict[str, Any] = {}  # noqa: RUF012

    def encode(self, texts: Sequence[str], role: str, advance: Callable[[int], object]) -> Any:
        return np.array([VECTORS[text] for text in texts], np.float32), np.zeros(
            len(texts), np.bool_
        )


TEXTS = ["east", "north", "most east", "most north"]
ALL = [TEXTS, TEXTS]


def kept(
    gate: Embedding, candidates: Candidates, folder: Path
) -> tuple[list[list[str]], dict[str, Any]]:
    passed, facts = keep(gate, ["x", "y"], candidates, Store(folder))
    first, second = np.split(passed, [len(candidates[0])])
    chosen = [compress(own, kept) for own, kept in zip(candidates, (first, second), strict=True)]
    return [list(own) for own in chosen], dict(facts)


def test_threshold_then_most(tmp_path: Path) -> None:
    gate = Embedding(Plane(), threshold=0.5, most=2)
    found, facts = kept(gate, ALL, tmp_path)
    assert found == [["east", "most east"], ["north", "most north"]]
    assert {name: facts[name] for name in ("kept", "dropped", "below", "beyond")} == {
        "kept": 4,
        "dropped": 4,
        "below": 2,
        "beyond": 2,
    }
    assert kept(replace(gate, most=None), ALL, tmp_path)[0][0] == [
        "east",
        "most east",
        "most north",
    ]
    assert kept(replace(gate, threshold=0.9), ALL, tmp_path)[0] == [["east"], ["north"]]


def test_of_equal_cosines_the_earlier_candidate_is_kept(tmp_path: Path) -> None:
    gate = Embedding(Plane(), threshold=0.0, most=1)
    vectors = {"twin": (4, 3)}
    VECTORS.update(vectors)
    pair = [["twin", "most east"], ["most east", "twin"]]
    assert kept(gate, pair, tmp_path)[0] == [["twin"], ["most east"]]


def test_no_candidates_loads_no_model(tmp_path: Path) -> None:
    passed, _ = keep(Embedding(None), ["x"], [[]], Store(tmp_path))  # type: ignore[arg-type]
    assert passed.shape == (0,)


@pytest.mark.parametrize(("field", "value"), [("threshold", 1.1), ("threshold", -2), ("most", 0)])
def test_bounds(field: str, value: float) -> None:
    with pytest.raises(HarnessError, match=rf"^gate\.{field}.*got {field}={value}"):
        Embedding(Plane(), **{field: value})  # type: ignore[arg-type]
