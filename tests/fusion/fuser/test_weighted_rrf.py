import pytest

from harness.core.errors import HarnessError
from harness.fusion.fuser.weighted_rrf import WeightedRrf

LEXICAL = {"c": 9.0, "a": 5.0, "b": 5.0}


def test_the_graph_counts_for_less(scores, two_lists) -> None:
    expected = {"a": 1 / 61 + 0.35 / 62, "b": 1 / 62, "c": 0.35 / 61}
    assert scores(WeightedRrf(), two_lists) == pytest.approx(expected, rel=1e-15)


def test_the_first_of_the_lexical_list_has_a_bonus(scores, two_lists) -> None:
    plain = scores(WeightedRrf(), {**two_lists, "bm25": LEXICAL})
    bonus = scores(WeightedRrf(bonus=0.5), {**two_lists, "bm25": LEXICAL})
    assert bonus == {doc: score + 0.5 * (doc == "c") for doc, score in plain.items()}
    assert next(iter(bonus)) == "c"


def test_a_prior_multiplies_what_is_fused(scores, two_lists) -> None:
    plain = scores(WeightedRrf(), two_lists)
    prior = scores(WeightedRrf(), two_lists, importance={"a": 1.0, "b": 0.5})
    share = {"a": 1.0, "b": 0.85, "c": 0.7}
    assert prior == pytest.approx(
        {doc: score * share[doc] for doc, score in plain.items()}, rel=1e-15
    )


@pytest.mark.parametrize("missing", [(), ("graph",), ("dense",), ("dense", "graph")])
def test_with_dense_and_graph_empty_or_missing_the_order_is_the_lexical_one(
    scores, missing
) -> None:
    lists = {name: {} for name in ("dense", "graph") if name not in missing} | {"bm25": LEXICAL}
    assert scores(WeightedRrf(), lists) == {"c": 1 / 61, "a": 1 / 62, "b": 1 / 63}


def test_a_list_that_weights_or_the_bonus_need(scores, two_lists) -> None:
    with pytest.raises(HarnessError, match=r"fuser\.weights"):
        scores(WeightedRrf(weights={"dense": 1.0}), two_lists)
    with pytest.raises(HarnessError, match=r"'bm25'"):
        scores(WeightedRrf(bonus=0.1), two_lists)
