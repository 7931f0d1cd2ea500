from __future__ import annotations

from harness.plugins.twins.twin import Content
from harness.plugins.twins.twin.homonyms import add_homonyms

PASSAGES = [
    ("Dune (film)", "Dune is by Lynch."),
    ("Lynch", "Lynch was born in Oslo."),
    ("Rome", "Rome is a city."),
    ("", "None."),
]
CORPUS = [{"id": f"d{n}", "title": title, "text": text} for n, (title, text) in enumerate(PASSAGES)]
QUERIES = [
    {"id": "q", "question": "Where was the maker of Dune born?", "answers": ["Oslo"], "supporting_ids": ["d0", "d1"]}
]


def test_each_bridge_has_two_namesakes_whose_texts_are_of_passages_that_support_nothing() -> None:
    """Of four passages two are gold, one has no title: Rome's text is left to take. The last hop is no bridge."""
    twin, counts = add_homonyms(Content(CORPUS, QUERIES), 0)
    assert twin.corpus[:4] == CORPUS
    assert twin.corpus[4:] == [
        {"id": "d0~1", "title": "Dune (1)", "text": "Dune is a city."},
        {"id": "d0~2", "title": "Dune (2)", "text": "Dune is a city."},
    ]
    assert twin.queries == QUERIES
    assert counts == {"bridges with homonyms": 1, "passages added": 2, "passages whose text was taken": 1}


def test_a_name_in_a_longer_word_stays_and_a_list_of_what_a_name_may_mean_is_not_taken() -> None:
    others = [("Thad", "Thad, of Thaddeus, is a name."), ("Rho", "Rho may refer to:"), ("Un", "The unit.")]
    corpus = CORPUS[:2] + [{"id": f"o{n}", "title": title, "text": text} for n, (title, text) in enumerate(others)]
    twin, counts = add_homonyms(Content(corpus, QUERIES), 0)
    assert {row["text"] for row in twin.corpus[5:]} == {"Dune, of Thaddeus, is a name."}
    assert counts["passages whose text was taken"] == 1
