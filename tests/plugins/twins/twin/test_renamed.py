from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.benchmark.text import words
from harness.plugins.twins.twin import Content
from harness.plugins.twins.twin.renamed import rename, replace_words


def content(passages: list[tuple[str, str]], question: str = "?", answer: str = "", **more: Any) -> Content:
    corpus = [{"id": f"d{n}", "title": title, "text": text} for n, (title, text) in enumerate(passages)]
    query = {"id": "q0", "question": question, "answers": [answer], "supporting_ids": ["d0"], "hops": 1, "type": None}
    return Content(corpus, [{**query, **more}])


OBAMA = content(
    [
        ("Barack Obama (politician)", "He, Obama, was born in Honolulu in March 1961. OBAMA led Green II of the NBC."),
        ("Green River", "The green river in Ib is by the church. Yes, Obama's Church McHonolulu."),
    ],
    "Was Barack born in Honolulu? Whose was Zxyna?",
    "Honolulu",
    decomposition=[{"question": "Was Barack?", "answer": "Obama", "supporting_id": "d0"}],
    source="Obama",
)


def test_a_small_world() -> None:
    """Names: barack, obama, honolulu, nbc, mchonolulu, zxyna. Common: green and church (half of their places), river.

    Kept by rule: march, yes, ii; ib has two letters. `politician` has no capital, `he`, `the` and `whose` only open.
    """
    twin, counts = rename(OBAMA, 0)
    pattern = r"([A-Z][a-z]{5}) ([A-Z][a-z]{4}) \(politician\)"
    found = re.fullmatch(pattern, twin.corpus[0]["title"])
    assert found is not None
    barack, obama = found.groups()
    assert not {barack, obama} & {"Barack", "Obama"}
    text = re.fullmatch(
        rf"He, {obama}, was born in ([A-Z][a-z]{{7}}) in March 1961\. "
        rf"{obama.upper()} led Green II of the ([A-Z]{{3}})\.",
        twin.corpus[0]["text"],
    )
    assert text is not None
    honolulu, nbc = text.groups()
    assert nbc != "NBC"
    assert twin.corpus[1]["title"] == "Green River"
    other = re.fullmatch(
        rf"The green river in Ib is by the church\. Yes, {obama}'s Church ([A-Z][a-z][A-Z][a-z]{{7}})\.",
        twin.corpus[1]["text"],
    )
    assert other is not None
    (query,) = twin.queries
    assert re.fullmatch(rf"Was {barack} born in {honolulu}\? Whose was [A-Z][a-z]{{4}}\?", query["question"])
    assert "Zxyna" not in query["question"]
    assert query["answers"] == [honolulu]
    assert query["decomposition"] == [{"question": f"Was {barack}?", "answer": obama, "supporting_id": "d0"}]
    assert query["source"] == "Obama"  # nothing reads it
    assert counts["words of names"] == 6
    assert (counts["places in titles"], counts["places in texts"]) == (2, 6)
    assert (counts["places in questions"], counts["places in answers"], counts["places in steps"]) == (3, 1, 2)
    assert (counts["titles"], counts["titles without a word that was renamed"]) == (2, 1)
    assert counts["places of old names afterwards"] == 0


def test_a_name_in_quotation_marks_or_after_initials_is_one() -> None:
    """``It`` and ``Seen`` open a sentence; ``said`` is written small, so it is none in quotation marks either."""
    text = 'He made "Orgazmo"( 1997) with C.R.W. Nevinson. It is said. Seen: his" Said" and "Gisto".'
    twin, counts = rename(content([("12", text)]), 0)
    found = re.fullmatch(
        r'He made "([A-Z][a-z]{6})"\( 1997\) with C\.R\.W\. ([A-Z][a-z]{7})\. It is said\. Seen: his" Said" and '
        r'"([A-Z][a-z]{4})"\.',
        twin.corpus[0]["text"],
    )
    assert found is not None
    assert not {"Orgazmo", "Nevinson", "Gisto"} & set(found.groups())
    assert counts["words of names"] == 3


def test_what_is_not_renamed_is_as_it_was() -> None:
    twin, _ = rename(OBAMA, 0)
    assert twin.queries[0]["id"] == "q0"
    assert twin.queries[0]["supporting_ids"] == ["d0"]
    assert [row["id"] for row in twin.corpus] == ["d0", "d1"]
    assert rename(OBAMA, 0)[0] == twin != rename(OBAMA, 1)[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [("Émile Émile", "Abcde Abcde"), ("ÉMILE", "ABCDE"), ("éMile's", "aBcde's"), ("Emile", "Emile")],
)
def test_capitals_stand_where_they_stood(old: str, new: str) -> None:
    assert replace_words(old, {"émile": "abcde"}) == new


def test_a_longer_word_is_capital_where_the_whole_word_was() -> None:
    assert replace_words("Abc ABC", {"abc": "defg"}) == "Defg DEFG"


TEXT = st.text("AaBbÉéßﬁİ12.,'( -)\u0301東IVX", max_size=30)


@settings(max_examples=200)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5), TEXT, TEXT, st.integers(0, 3))
def test_renaming_is_one_to_one_and_leaves_no_old_name(
    passages: list[tuple[str, str]], question: str, answer: str, seed: int
) -> None:
    """Word by word: equal words stay equal, different ones different; what was renamed is gone, what is new was not."""
    before = content(passages, question, answer)
    after, counts = rename(before, seed)
    pairs = set()
    for (_, old), (_, new) in zip(before.texts(), after.texts(), strict=True):
        ours, theirs = words(old).texts, words(new).texts
        assert len(ours) == len(theirs)
        pairs |= set(zip(ours, theirs, strict=True))
    assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
    renamed = {old for old, new in pairs if old != new}
    assert not renamed & {new for _, new in pairs}
    assert not {new for old, new in pairs if old != new} & {old for old, _ in pairs}
    assert len(renamed) == counts["words of names"]
    assert counts["places of old names afterwards"] == 0
