import pytest

from harness.core.errors import HarnessError
from harness.fusion.normalizer.tmm import Tmm


def test_each_list_is_scaled_from_the_least_score_its_retriever_can_give(scores) -> None:
    lists = {"dense": {"a": 0.6, "b": 0.2}, "graph": {"c": 0.5, "d": 0.125}}
    assert scores("combsum", lists, Tmm()) == {
        "a": 1,
        "c": 1,
        "b": pytest.approx(1.2 / 1.6),
        "d": 0.25,
    }


def test_a_list_that_never_leaves_the_minimum_has_zero_everywhere(scores) -> None:
    assert scores("combsum", {"bm25": {"a": 0, "b": 0}}, Tmm()) == {"a": 0, "b": 0}


def test_a_list_without_a_minimum_is_named(scores) -> None:
    with pytest.raises(HarnessError, match=r"splade.*normalizer\.minimum=.*splade: 0"):
        scores("combsum", {"splade": {"a": 1}}, Tmm())


def test_a_score_below_the_minimum_is_shown(scores) -> None:
    with pytest.raises(HarnessError, match=r"-0\.25.*normalizer\.minimum\.graph=0"):
        scores("combsum", {"graph": {"a": 1, "b": -0.25}}, Tmm())


def test_the_minimum_is_a_number() -> None:
    with pytest.raises(HarnessError, match=r"normalizer\.minimum\.dense.*'low'"):
        Tmm({"dense": "low"})  # type: ignore[dict-item]
