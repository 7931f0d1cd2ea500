"""``paraphrased``: dates, small numbers, percentages and years of birth written the other usual way."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from harness.benchmark.text import Gazetteer, normal, words
from harness.plugins.twins.twin.content import Changes, Content

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DAY = r"(?:[12]\d|3[01]|[1-9])"
_IN = r"(?: in [^(),.;]+)?"
_ALONE = (
    r"(?<![-–—/])(?:(?<!\bor )(?<!\band )(?<!\bto )(?<![-–—/] )"
    r"|(?<=\d{4} or )|(?<=\d{4} and )|(?<=\d{4} to )|(?<=\d{4} [-–—] )|(?<=\d{4}[-–—] ))\b"
)
"""Not the end of a span of days, ``27 or 30 October``; after a year, ``27 October 1272 – 30 May 1300``, it is none."""
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_OTHER = {
    **{word: str(number) for number, word in enumerate(_NUMBERS, 2)},
    **{str(number): word for number, word in enumerate(_NUMBERS, 2)},
}
RULES: Mapping[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = {
    "dates": (
        re.compile(rf"{_ALONE}(?:(?P<month>{_MONTH}) (?P<day>{_DAY}), |(?P<d>{_DAY}) (?P<m>{_MONTH}) )(?=\d{{4}}\b)"),
        lambda at: f"{at['day']} {at['month']} " if at["day"] else f"{at['m']} {at['d']}, ",
    ),
    "numbers": (
        re.compile(
            rf"(?<!\S)(?P<before>[a-z]+ )(?<!ty )(?<!hundred and )(?<!thousand and )(?P<number>{'|'.join(_OTHER)})"
            r"(?= [a-z]{2})(?! (?:hundred|thousand|million|billion|per ?cent)\b)"
        ),
        lambda at: at["before"] + _OTHER[at["number"]],
    ),
    "percentages": (
        re.compile(r"(?<=\d)(?:(?P<sign>%)(?=[\s.,;)])|\s?per ?cent\b)"),
        lambda at: " percent" if at["sign"] else "%",
    ),
    "births": (
        re.compile(
            rf"(?<=\w)(?:\s?\(\s?(?P<open>born (?:{_MONTH} {_DAY}, |{_DAY} {_MONTH} )\d{{4}}{_IN})\)"
            rf"|, (?P<between>born (?:{_MONTH} {_DAY}, |{_DAY} {_MONTH} )\d{{4}}{_IN}),)(?= (?:is|was) )"
        ),
        lambda at: f", {at['open']}," if at["open"] else f" ({at['between']})",
    ),
}
"""By name: where a wording stands, and the other one.

dates: ``May 3, 1990`` and ``3 May 1990``.    numbers: from two to twelve, between words in small letters, in words
and digits.    percentages: ``5%`` and ``5 percent``.    births: the apposition ``X (born 3 May 1990) is`` and ``X, born
3 May 1990, is``.
"""


def paraphrase(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each text and question with every wording that ``RULES`` know exchanged for the other one.

    A wording stays where the exchange would change which titles the text names, in which order, or whether an answer of
    a question stands in its gold passage or in the question. Titles, answers and decompositions stay. Nothing is drawn
    by the seed.
    """
    titles = Gazetteer(sorted({normal(row["title"]) for row in content.corpus} - {""}))
    answers = defaultdict(set)
    for query in content.queries:
        for name in query["supporting_ids"]:
            answers[name].update(query["answers"])
    exchanged, stayed = Counter[str](), Counter[str]()
    rewrite = partial(_rewrite, titles=titles, exchanged=exchanged, stayed=stayed)
    corpus = [{**row, "text": rewrite(row["text"], sorted(answers[row["id"]]))} for row in content.corpus]
    queries = [{**row, "question": rewrite(row["question"], row["answers"])} for row in content.queries]
    return Content(corpus, queries), {
        **{f"{rule} written the other way": exchanged[rule] for rule in RULES},
        "left, as the exchange would change a title's mention or an answer": stayed.total(),
        "passages with another text": sum(new != old for new, old in zip(corpus, content.corpus, strict=True)),
        "questions with another text": sum(new != old for new, old in zip(queries, content.queries, strict=True)),
    }


def _rewrite(text: str, kept: Sequence[str], titles: Gazetteer, exchanged: Counter[str], stayed: Counter[str]) -> str:
    """The text with other wordings.    kept: answers.    exchanged, stayed: are added to, by rule."""
    for rule, (pattern, other) in RULES.items():
        for at in reversed(list(pattern.finditer(text))):
            new = text[: at.start()] + other(at) + text[at.end() :]
            same = _reads(new, titles, kept) == _reads(text, titles, kept)
            (exchanged if same else stayed)[rule] += 1
            text = new if same else text
    return text


def _reads(text: str, titles: Gazetteer, answers: Sequence[str]) -> tuple[list[int], list[int]]:
    """The titles that a text names, in order, and how often it has each answer."""
    at = words(text)
    spelled = f" {' '.join(at.texts)} "
    return [number for number, _, _ in titles.find(at)], [
        spelled.count(f" {' '.join(words(answer).texts)} ") for answer in answers
    ]
