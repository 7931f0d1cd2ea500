import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.benchmark.text import (
    Casing,
    Gazetteer,
    bare,
    byte_offsets,
    is_capitalised,
    normal,
    opens_sentence,
    words,
)


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


CASES = [
    (
        ["New York", "New York City", "York"],
        "In New York City and York.",
        ["New York City", "York"],
    ),
    (["Art"], "The Artist and Art-house art.", ["Art", "art"]),
    (["Art Is"], "Art Island", []),
    (["Dune (film)"], "He saw Dune (film) twice.", ["Dune"]),
    (["東京"], "彼は東京に行った。", ["東京"]),
    (["Лев Толстой"], "писатель ЛЕВ ТОЛСТОЙ умер", ["ЛЕВ ТОЛСТОЙ"]),
    (["A B", "B C D"], "a b c d", ["a b"]),
    (["A", "B"], "a b a", ["a", "b", "a"]),
    ([], "nothing is known", []),
    (["x"], "", []),
]


@pytest.mark.parametrize(("titles", "text", "expected"), CASES)
def test_leftmost_longest_whole_words(titles: list[str], text: str, expected: list[str]) -> None:
    at = words(text)
    found = Gazetteer([normal(title) for title in titles]).find(at)
    assert [text[at.start[first] : at.end[after - 1]] for _, first, after in found] == expected


NAMES = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=6)


@given(NAMES, st.lists(st.sampled_from("abcd")))
def test_it_finds_what_a_scan_from_left_to_right_finds(
    names: list[list[str]], text: list[str]
) -> None:
    known = {" ".join(name): i for i, name in enumerate(dict.fromkeys(map(tuple, names)))}
    expected, place = [], 0
    while place < len(text):
        fits = [
            n
            for n in (3, 2, 1)
            if place + n <= len(text) and " ".join(text[place : place + n]) in known
        ]
        if fits:
            expected.append(
                (known[" ".join(text[place : place + fits[0]])], place, place + fits[0])
            )
        place += fits[0] if fits else 1
    assert list(Gazetteer(list(known)).find(words(" ".join(text)))) == expected


@given(st.lists(st.text("aB1 c.\n\"“é ÉßŁﬁ㍿٣漢かǅİ\u0301-'_;"), max_size=4))
def test_casing_counts_the_words_that_open_no_sentence(texts: list[str]) -> None:
    seen: dict[str, list[bool]] = {}
    for text in texts:
        at = words(text)
        for number, word in enumerate(at.texts):
            if not opens_sentence(text, at, number):
                seen.setdefault(word, []).append(is_capitalised(text, at, number))
    casing = Casing.of(texts)
    for word in {word for text in texts for word in words(text).texts}:
        assert casing.capitalises(word) == (word not in seen or np.mean(seen[word]) >= 0.5)
