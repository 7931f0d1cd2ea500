"""``untitled``: numbers for titles; in texts and questions the names stay."""

from __future__ import annotations

import random

from harness.benchmark.text import words
from harness.plugins.twins.twin.content import Changes, Content

LEAST = 10_000_000
"""The least number, so that none is a year or the like."""


def untitle(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each distinct title becomes a number of eight digits that no text holds, in an order drawn by the seed.

    Passages with the same title have the same number; an empty title stays empty.
    """
    known = {word for _, text in content.texts() for word in words(text).texts}
    titles = sorted({row["title"] for row in content.corpus} - {""})
    free = (number for number in range(LEAST, 10 * LEAST) if str(number) not in known)
    numbers = [str(number) for number, _ in zip(free, titles, strict=False)]
    random.Random(f"{seed} untitled").shuffle(numbers)
    number = {"": "", **dict(zip(titles, numbers, strict=True))}
    corpus = [{**row, "title": number[row["title"]]} for row in content.corpus]
    return Content(corpus, content.queries), {
        "titles": len(titles),
        "passages with another title": sum(row["title"] != "" for row in content.corpus),
        "passages without a title before": sum(row["title"] == "" for row in content.corpus),
    }
