"""The similarity against APOC's own published cases, hand-worked ones, and the definition taken
literally.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plugins.dice.triple.sorensen import Labels, normalize


def similarity(question: str, label: str) -> float:
    """Through the kernel: the label as head, relation and tail, so that the mean is its
    similarity.
    """
    return every(question, [label])[0]


def every(question: str, texts: list[str]) -> list[float]:
    rows = np.arange(len(texts))
    table = np.repeat(rows[:, None], 3, axis=1)
    return Labels.of(texts).scores(question, rows, table).tolist()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("hello", "hello", 1.0),
        ("HELLo", "heLlO", 1.0),
        ("hello   world", " hello world", 1.0),
        ("quite similar", "quiet similaire", 2 * 7 / (10 + 12)),
        ("aa", "aaaaaa", 1 / 3),
        ("aaaaaa", "aa", 1 / 3),
    ],
)
def test_the_cases_of_apocs_own_tests(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("night", "nacht", 2 * 1 / 8),  # ht of ni ig gh ht, na ac ch ht
        ("ab cd", "abcd", 2 * 2 / 5),  # no bigram across words: ab cd against ab bc cd
        ("straße", "STRASSE", 1.0),  # lower case, then upper case
        ("a", "A", 1.0),  # equal words without a bigram
        ("a b", "a c", 0.0),  # APOC: 0 / 0
        ("a", "ab", 0.0),
        ("", "", 1.0),
        # Java's white space is ASCII: no-break space is a letter
        ("no\u00a0break", "no break", 2 * (1 + 4) / (7 + 5)),
        ("😄", "😄😄", 2 * 1 / (1 + 3)),  # pairs of UTF-16 units
    ],
)
def test_by_hand(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == pytest.approx(expected, abs=1e-12)


def literally(one: str, other: str) -> float:
    """The algorithm one pair at a time, as the documentation of the function tells it."""
    bags = []
    for text in (one, other):
        words = [word.encode("utf-16-le", "surrogatepass") for word in normalize(text).split(" ")]
        units = [np.frombuffer(word, "<u2").tolist() for word in words]
        bags.append(Counter(pair for unit in units for pair in pairwise(unit)))
    if normalize(one) == normalize(other):
        return 1.0
    size = sum(bags[0].values()) + sum(bags[1].values())
    return 2.0 * sum((bags[0] & bags[1]).values()) / size if size else 0.0


TEXT = st.text(st.sampled_from("abAB \t\u00a0éÉßİ😄"), max_size=8)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=6))
def test_all_labels_at_once_are_each_alone(question: str, texts: list[str]) -> None:
    expected = [literally(question, text) for text in texts]
    assert every(question, texts) == pytest.approx(expected, abs=1e-12)


@given(TEXT, TEXT)
def test_symmetric_within_0_and_1_and_1_with_itself(one: str, other: str) -> None:
    value = similarity(one, other)
    assert value == similarity(other, one)
    assert 0 <= value <= 1
    assert similarity(one, one) == 1


def test_no_labels() -> None:
    labels = Labels.of([])
    assert labels.bag("who")[0].tolist() == []
