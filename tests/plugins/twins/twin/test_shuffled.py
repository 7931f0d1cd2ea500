from __future__ import annotations

import pytest

from harness.plugins.twins.twin import Content
from harness.plugins.twins.twin.shuffled import shuffle

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


@pytest.mark.parametrize("seed", range(6))
def test_no_sentence_ends_after_an_initial_or_an_abbreviation_and_one_that_was_cut_off_stays_last(seed: int) -> None:
    text = "He met P. Ramlee in St. Xavier's of Warner Bros. Records. It rained. The drink is a mix of"
    (found,) = shuffle(Content([{"id": "d", "title": "D", "text": text}], []), seed)[0].corpus
    assert found["text"] in (
        text,
        "It rained. He met P. Ramlee in St. Xavier's of Warner Bros. Records. The drink is a mix of",
    )
