"""Whether the best passages hold the answer and the chain, on three passages."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.plugins.policyrag.analysis.diagnosis import (
    measure,
    overlap,
    plain_passages,
    plain_words,
    read_measure,
)
from harness.run import Run
from tests.world.few import few

WORLD = {
    "Dune (film)": "It was filmed by David Lynch.",
    "David Lynch": "He grew up in Missoula, the Montana town.",
    "Rome": "Rome is a city that David Lynch has seen.",
}


@pytest.fixture
def world() -> Benchmark:
    answers = [["MISSOULA Montana"], ["Missoula"], ["yes"]]
    return few(WORLD, ["a", "b", "c"], gold=[[0, 1]] * 3, answers=answers)


def measured(world: Benchmark, name: str, *order: int) -> list[float]:
    """Every query has the same list."""
    rows = np.repeat(np.arange(3), len(order))
    scores = np.tile(-np.arange(len(order), dtype=np.float64), 3)
    run = Run.of(world.query_ids, world.doc_ids, rows, np.tile(order, 3), scores)
    found: list[float] = measure(*read_measure(name), run, world, plain_passages(world)).tolist()
    return found


def test_answers_stand_as_words_without_articles(world: Any) -> None:
    assert plain_words("The Missoula, a Town!") == " missoula town "
    assert measured(world, "answer_supported@1", 1) == [1, 1, 0]  # yes needs all gold
    assert measured(world, "answer_supported@1", 0, 1) == [0, 0, 0]
    assert measured(world, "answer_supported@2", 0, 1) == [1, 1, 1]


def test_a_chain_is_there_when_all_its_titles_and_the_answer_are_named(world: Any) -> None:
    assert measured(world, "hops_recovered@1", 1) == [0, 0, 0]
    assert measured(world, "hops_recovered@2", 0, 1) == [1, 1, 1]
    assert measured(world, "hops_recovered@2", 0, 2) == [
        0,
        0,
        0,
    ]  # both titles are named, no answer is


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("answer_suported@5", r"not known \(did you mean answer_supported\?\)"),
        ("hops_recovered", "k must be a whole number, got "),
        ("hops_recovered@0", "got k=0"),
    ],
)
def test_mistakes(name: str, told: str) -> None:
    with pytest.raises(HarnessError, match=told):
        read_measure(name)


lists = st.lists(st.integers(0, 12), unique=True, max_size=10)


def test_by_hand() -> None:
    """[1, 2] and [2, 1] at p 1/2: X = 0, 2; (1 - p)/p (0 + 1/4) + 1 x 1/4 = 1/2."""
    assert overlap([1, 2], [2, 1], 0.5) == pytest.approx(0.5)
    assert overlap([1, 2, 3], [1, 2, 3], 0.7) == pytest.approx(1)
    assert overlap([1, 2], [3, 4]) == 0
    assert overlap([], []) == 1
    assert overlap([], [1]) == 0


def test_uneven_lists_by_hand() -> None:
    """[1] and [1, 2, 3] at p 1/2: X = 1, 1, 1; sum (1/2 + 1/8 + 1/24) + (1/8 + 2/24) + 1 x 1/8 = 1:
    what the short list would go on with is taken to agree as it did.
    """
    assert overlap([1], [1, 2, 3], 0.5) == pytest.approx(1.0)


@given(lists, lists, st.floats(0.05, 0.95))
def test_symmetric_and_within_bounds(one: list[int], other: list[int], p: float) -> None:
    assert overlap(one, one, p) == pytest.approx(1)
    assert overlap(one, other, p) == pytest.approx(overlap(other, one, p))
    assert -1e-12 <= overlap(one, other, p) <= 1 + 1e-12


def test_bounds() -> None:
    with pytest.raises(HarnessError, match=r"diagnose\.p.*\(0.*1\].*p=0"):
        overlap([1], [1], 0)
