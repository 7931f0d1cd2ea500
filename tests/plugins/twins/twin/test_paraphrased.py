from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.benchmark.text import Gazetteer, normal, words
from harness.plugins.twins.twin import Content
from harness.plugins.twins.twin.content import measure
from harness.plugins.twins.twin.paraphrased import _NUMBERS, RULES, paraphrase


def content(text: str, *titles: str, question: str = "?", answers: tuple[str, ...] = ("none",)) -> Content:
    passages = [("Gold", text), *((title, "Another.") for title in titles)]
    corpus = [{"id": f"d{n}", "title": title, "text": words} for n, (title, words) in enumerate(passages)]
    return Content(corpus, [{"id": "q", "question": question, "answers": list(answers), "supporting_ids": ["d0"]}])


def rewritten(text: str, *titles: str, answers: tuple[str, ...] = ("none",)) -> str:
    return str(paraphrase(content(text, *titles, answers=answers), 0)[0].corpus[0]["text"])


BOTH = [
    ("He came on May 3, 1990 by sea.", "He came on 3 May 1990 by sea."),
    ("(31 December 1926 – June 1, 1999)", "(December 31, 1926 – 1 June 1999)"),
    (
        "From 1 May 1901 to June 1, 1999 and( 2 May 1912- May 3, 1990)",
        "From May 1, 1901 to 1 June 1999 and( May 2, 1912- 3 May 1990)",
    ),
    ("She made three films.", "She made 3 films."),
    ("It has twelve rooms and nine halls.", "It has 12 rooms and 9 halls."),
    ("Some 5% of it, and 12.5 percent more.", "Some 5 percent of it, and 12.5% more."),
    ("Ann Lynch (born 2 June 1946) is a director.", "Ann Lynch, born June 2, 1946, is a director."),
    ("Ann Lynch (born June 2, 1946 in Ulm) was loud.", "Ann Lynch, born 2 June 1946 in Ulm, was loud."),
]


@pytest.mark.parametrize(("one", "other"), BOTH)
def test_both_ways(one: str, other: str) -> None:
    assert rewritten(one) == other
    assert rewritten(other) == one


@pytest.mark.parametrize(
    "text",
    [
        "Born 27 or 30 October 1272.",
        "On 3–5 May 1990 and May 3–5, 1990.",
        "From 3 May – 5 June 1990.",
        "In May 1990, on May 3 and on May 32, 1990.",
        "One came, and Two went; thirty two, twenty-two, two-time.",
        "Over two hundred, or 3 million, or one hundred and two people.",
        "Windows 3 was; the Mariner 2 probe; 2.5 miles; $5 notes; a 3-1 win; page 3.",
        "Up 13 places, and 1 more.",
        "Ann (born in Ulm) is here; Ann (born in June 1946) is here.",
    ],
)
def test_what_no_rule_is_certain_of_stays(text: str) -> None:
    assert rewritten(text) == text


def test_a_mention_of_a_title_stays_and_none_is_made() -> None:
    assert rewritten("He saw seven samurai on May 3, 1990.", "Seven Samurai", "May 3") == (
        "He saw seven samurai on May 3, 1990."
    )
    assert rewritten("They were 7 men.", "Seven") == "They were 7 men."


def test_an_answer_stays_in_its_gold_passage_and_in_its_question() -> None:
    said = "She had two sons and six cats on May 3, 1990."
    assert rewritten(said, answers=("two", "May 3, 1990")) == "She had two sons and 6 cats on May 3, 1990."
    made = content(said, question="Had she 2 sons or 3 cats?", answers=("2",))
    twin, counts = paraphrase(made, 0)
    assert twin.corpus[0]["text"] == "She had two sons and 6 cats on 3 May 1990."  # "2" was no word of it
    assert twin.queries[0] == {**made.queries[0], "question": "Had she 2 sons or three cats?"}
    assert counts == {
        "dates written the other way": 1,
        "numbers written the other way": 2,
        "percentages written the other way": 0,
        "births written the other way": 0,
        "left, as the exchange would change a title's mention or an answer": 2,
        "passages with another text": 1,
        "questions with another text": 1,
    }


PIECE = st.sampled_from(
    ["May 3, 1990", "3 May 1990", "30 June 1912", "two", "2", "seven men", "7 men", "12 percent", "8%", " ", ", ", ".",
     "Ann (born 2 June 1946) is", "Ann, born June 2, 1946, is", "and", "of ", "or 5", "–", "Seven", "June 30", "1990"]
)  # fmt: skip
TEXT = st.lists(PIECE, max_size=12).map(" ".join)
NAMES = ("Seven", "Seven Men", "May", "June 30", "Ann")


def meaning(text: str) -> list[str]:
    """The words in order of the alphabet, numbers as digits and `percent` left out."""
    digits = {word: str(number) for number, word in enumerate(_NUMBERS, 2)}
    return sorted(digits.get(word, word) for word in re.findall(r"\w+", text.lower()) if word != "percent")


@settings(max_examples=300)
@given(TEXT, TEXT, st.lists(PIECE, min_size=1, max_size=2))
def test_what_is_said_is_named_and_answered_alike(text: str, question: str, answers: list[str]) -> None:
    before = content(text, *NAMES, question=question, answers=tuple(answers))
    after, counts = paraphrase(before, 0)
    answered = "questions with an answer in a gold passage"
    assert measure(after)[answered] == measure(before)[answered]
    titles = Gazetteer([normal(name) for name in NAMES])
    for (field, old), (_, new) in zip(before.texts(), after.texts(), strict=True):
        assert meaning(new) == meaning(old)
        assert [n for n, _, _ in titles.find(words(new))] == [n for n, _, _ in titles.find(words(old))]
        assert field not in ("title", "answer") or new == old
    exchanged = sum(counts[f"{rule} written the other way"] for rule in RULES)
    assert bool(exchanged) == (after != before)
