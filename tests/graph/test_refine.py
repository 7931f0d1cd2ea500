"""Merging and weeding, worked by hand; and contracts that hold for any aliases."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.graph.extractor import Extraction, Mentions, Triples
from harness.graph.network import count_dropped_triples, count_statements
from harness.graph.refine import drop_weak_triples, merge_names

NAMES = ["a", "b", "c", "d", "e"]


def extraction(triples: Triples | None = None) -> Extraction:
    """Passage 0 has the title a and mentions b, c; passage 1 mentions c, d, e; the question c."""
    rows = [np.array([[n, -1, -1, 3] for n in row], np.int32) for row in ([1, 2], [2, 3, 4])]
    questions = Mentions.of([np.array([[2, 0, 1, 3]], np.int32)])
    return Extraction(
        NAMES, np.array([0, -1], np.int32), Mentions.of(rows), questions, triples or Triples.of()
    )


def rows(*found: tuple[int, int, int]) -> np.ndarray:
    return np.array(found, dtype=np.int32).reshape(-1, 3)


def said(whole: Extraction) -> list[list[str]]:
    passages = whole.passages
    return [[whole.names[e] for e in passages.entity[passages.text == text]] for text in range(2)]


def test_everywhere_in_a_passage_and_chains() -> None:
    whole, counts = merge_names(
        extraction(), [rows((-1, 1, 0), (-1, 2, 1)), rows((1, 4, 3), (1, 3, 2))]
    )
    assert said(whole) == [["a", "a"], ["a", "a", "d"]], (
        "in passage 1, d is c, and so a; e is d there"
    )
    assert (whole.names, whole.questions.entity.tolist()) == (["a", "d"], [0])
    assert counts == {
        "aliases_everywhere": 2,
        "aliases_in_a_passage": 2,
        "ambiguous_aliases": 0,
        "mentions_renamed": 5,
        "names_merged_away": 3,
    }


def test_rules_that_disagree_and_circles_leave_names_alone() -> None:
    whole, counts = merge_names(
        extraction(), [rows((-1, 1, 0), (-1, 3, 4)), rows((-1, 1, 2), (-1, 4, 3), (0, 2, 2))]
    )
    assert said(whole) == said(extraction())
    assert counts["ambiguous_aliases"] == 3, "b, d and e"
    assert (
        counts["aliases_everywhere"]
        == counts["mentions_renamed"]
        == counts["names_merged_away"]
        == 0
    )


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 4), st.integers(0, 4))))
def test_order_is_nothing_and_every_mention_stays_a_mention(
    found: list[tuple[int, int, int]],
) -> None:
    one, counts = merge_names(extraction(), [rows(*found)])
    other, again = merge_names(extraction(), [rows(*found[::-1]), rows(*found)])
    assert (said(one), one.names, counts) == (said(other), other.names, again)
    assert list(one.names) == sorted(set(one.names) & set(NAMES))
    np.testing.assert_array_equal(one.passages.indptr, extraction().passages.indptr)


def test_weak_triples_are_left_out_and_counted() -> None:
    """a - b in passages 0 and 1; b - c sure in 0 but not in 1; c - d once; a loop stays."""
    table = [(0, 0, 0, 1), (1, 1, 0, 0), (0, 1, 0, 2), (1, 1, 0, 2), (0, 2, 0, 3), (0, 3, 0, 3)]
    triples = Triples.of(table, ["p"], [0.9, 0.5, 1.0, 0.4, 0.5, None])
    whole, counts = drop_weak_triples(extraction(triples), 0.5, 1)
    assert counts == {"low_confidence": 1, "low_support": 0}
    assert whole.triples.subject.tolist() == [0, 1, 1, 2, 3]
    whole, counts = drop_weak_triples(extraction(triples), 0.5, 2)
    assert counts == {"low_confidence": 1, "low_support": 2}
    assert (whole.triples.subject.tolist(), whole.triples.object.tolist()) == ([0, 1, 3], [1, 0, 3])
    np.testing.assert_array_equal(whole.triples.sure(), np.float32([0.9, 0.5, 1]))
    whole, counts = drop_weak_triples(extraction(Triples.of(table, ["p"])), 1.0, 1)
    assert counts == {"low_confidence": 0, "low_support": 0}, "nobody says how sure"
    assert count_dropped_triples(whole)["self_loops"] == 1
    assert count_statements(whole) == {
        "all": 6,
        "distinct": 5,
        "predicates": 1,
        "pairs": 3,
        "entities": 4,
    }
