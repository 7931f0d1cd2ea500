"""``shuffled``: the sentences of a passage in another order."""

from __future__ import annotations

import random

from harness.benchmark.text import sentences
from harness.benchmark.twin.content import Changes, Content


def shuffle(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each text's sentences in an order that is drawn by the seed and the passage's id, with one space between them."""
    corpus, moved = [], 0
    for row in content.corpus:
        found = sentences(row["text"])
        order = random.Random(f"{seed} {row['id']}").sample(found, len(found))
        moved += order != found
        corpus.append({**row, "text": " ".join(order) if order != found else row["text"]})
    return Content(corpus, content.queries), {
        "passages with their sentences in another order": moved,
        "passages of one sentence": sum(len(sentences(row["text"])) == 1 for row in content.corpus),
    }
