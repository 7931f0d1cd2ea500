from __future__ import annotations

from harness.benchmark.twin import Content
from harness.benchmark.twin.shuffled import shuffle

CORPUS = [
    {"id": "d0", "title": "Dune", "text": "One is a. Two is b. Three is c."},
    {"id": "d1", "title": "Rome", "text": "Rome has 3.5 million people."},
]


def test_the_same_sentences_in_another_order() -> None:
    """Six orders of three sentences: some seed draws each; a text of one sentence stays."""
    found = {shuffle(Content(CORPUS, []), seed)[0].corpus[0]["text"] for seed in range(60)}
    assert len(found) == 6
    assert {tuple(sorted(text.split(". "))) for text in found if text.endswith("c.")} == {
        ("One is a", "Three is c.", "Two is b")
    }
    twin, counts = shuffle(Content(CORPUS, []), 1)
    assert twin.corpus[1] == CORPUS[1]
    assert counts["passages of one sentence"] == 1
    assert counts["passages with their sentences in another order"] == (twin.corpus[0] != CORPUS[0])
