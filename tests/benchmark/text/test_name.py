import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.benchmark.text.name import bare, byte_offsets, normal, words


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Dune (film)", "dune"),
        ("Dune (1984 film)", "dune"),
        ("(Untitled)", "untitled"),
        ("R.A.F.", "r a f"),
        ("St. Maurice's Abbey", "st maurice s abbey"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Ælfwine", "ælfwine"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("東京 （映画）", "東 京"),
        ("Лев Толстой", "лев толстой"),
        ("snake_case", "snake case"),
        ("?!", ""),
        ("", ""),
    ],
)
def test_normal_form(title: str, expected: str) -> None:
    assert normal(title) == expected


def test_only_the_bracketed_tail_goes() -> None:
    assert bare("A (b) c (d)") == "A (b) c"
    assert bare("(d)") == "(d)"


@given(st.text())
def test_normal_is_idempotent_and_words_lie_in_the_text(text: str) -> None:
    assert normal(normal(text)) == normal(text)
    found = words(text)
    for start, end in zip(found.start, found.end, strict=True):
        assert 0 <= start < end <= len(text)


@given(st.text())
def test_byte_offsets_are_those_of_utf8(text: str) -> None:
    places = np.arange(len(text) + 1)
    assert byte_offsets(text, places).tolist() == [len(text[:i].encode()) for i in places]
