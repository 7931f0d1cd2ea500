"""EM and F1 by hand, as the official SQuAD script gives them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plugins.llm.answering.answer_scores import em, f1, normalised


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The  U.S. Army, a 'force'", "us army force"),
        ("a-ha", "aha"),
        ("an A-Team", "ateam"),
        ("theatre another", "theatre another"),
        ("1914–18", "1914–18"),
        ("1914-18", "191418"),
        ("a the an", ""),
        ("a.b the.c", "ab thec"),
        ("Çe\tla\n", "çe la"),
    ],
)
def test_lower_case_then_punctuation_then_articles_then_spaces(text: str, wanted: str) -> None:
    """Punctuation goes first (`the.c` is no article); only ASCII's is known (the en dash stays)."""
    assert normalised(text) == wanted


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "overlap"),
    [
        ("The Beatles!", ["beatles"], 1, 1),
        ("Barack Hussein Obama", ["Barack Obama"], 0, 2 * 2 / 5),
        ("new new york", ["New York"], 0, 2 * 2 / 5),
        ("new york", ["New New York", "York, New"], 0, 1),
        ("in Detroit, Michigan", ["Detroit", "Detroit, Michigan", "Motor City"], 0, 2 * 2 / 5),
        ("yes", ["no"], 0, 0),
        ("", ["Detroit"], 0, 0),
        ("the", ["A"], 1, 1),
        ("x", ["A"], 0, 0),
        ("x", [], 0, 0),
        ("one two three four", ["three four five six seven eight"], 0, 2 * 2 / 10),
    ],
)
def test_best_over_the_gold_answers(
    answer: str, gold: list[str], exact: float, overlap: float
) -> None:
    assert em(answer, gold) == exact
    assert f1(answer, gold) == pytest.approx(overlap)


WORDS = st.lists(
    st.sampled_from(["the", "a", "Detroit", "city", "of", "new,", "York!"]), max_size=5
).map(" ".join)


@given(WORDS, WORDS)
def test_symmetric_in_one_gold_answer_and_one_exactly_for_the_same_words(
    one: str, other: str
) -> None:
    assert f1(one, [other]) == f1(other, [one])
    assert 0 <= em(one, [other]) <= f1(one, [other]) <= 1
    assert (f1(one, [other]) == 1) == (
        sorted(normalised(one).split()) == sorted(normalised(other).split())
    )
