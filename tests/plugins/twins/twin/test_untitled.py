from __future__ import annotations

from harness.plugins.twins.twin import Content
from harness.plugins.twins.twin.untitled import untitle

PASSAGES = [("Dune", "A film, 10000001."), ("Rome", "A city."), ("Dune", "A book."), ("", "Nothing.")]
CORPUS = [{"id": f"d{n}", "title": title, "text": text} for n, (title, text) in enumerate(PASSAGES)]
QUERIES = [{"id": "q", "question": "Who filmed Dune?", "answers": ["Lynch"], "supporting_ids": ["d0"]}]


def test_a_title_becomes_a_number_that_no_text_holds() -> None:
    """Two titles: 10000000 and, as a text holds 10000001, 10000002, in one order or the other."""
    twin, counts = untitle(Content(CORPUS, QUERIES), 0)
    dune, rome, again, none = (row["title"] for row in twin.corpus)
    assert {dune, rome} == {"10000000", "10000002"}
    assert again == dune
    assert none == ""
    assert [row["text"] for row in twin.corpus] == [text for _, text in PASSAGES]
    assert twin.queries == QUERIES
    assert counts == {"titles": 2, "passages with another title": 3, "passages without a title before": 1}


def test_the_seed_draws_the_order() -> None:
    found = {untitle(Content(CORPUS, QUERIES), seed)[0].corpus[0]["title"] for seed in range(20)}
    assert found == {"10000000", "10000002"}
