"""``shuffled``: the sentences of a passage in another order."""

from __future__ import annotations

import random
import re

from harness.benchmark.text import sentences
from harness.plugins.twins.twin.content import Changes, Content

_ENDED = re.compile(r"[.!?][^\w\s]*$")


def shuffle(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each text's sentences in an order that is drawn by the seed and the passage's id, with one space between them.

    A last sentence that has no end, as the text was cut there, stays last.
    """
    corpus, moved = [], 0
    for row in content.corpus:
        found = sentences(row["text"])
        free = len(found) - (_ENDED.search(found[-1]) is None)
        order = [*random.Random(f"{seed} {row['id']}").sample(found[:free], free), *found[free:]]
        moved += order != found
        corpus.append({**row, "text": " ".join(order) if order != found else row["text"]})
    return Content(corpus, content.queries), {
        "passages with their sentences in another order": moved,
        "passages of one sentence": sum(len(sentences(row["text"])) == 1 for row in content.corpus),
    }
