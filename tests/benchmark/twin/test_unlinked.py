from __future__ import annotations

from harness.benchmark.twin import Content
from harness.benchmark.twin.unlinked import unlink

PASSAGES = [
    ("Dune (film)", "Dune is a film. It was made by Ann Lynch in Rome."),
    ("Ann Lynch", "Ann Lynch is an American film director, born in Oslo."),
    ("Rome", "The city lies on hills. Dune was shown there; the dune was not."),
    ("Lynch", "A family name."),
]
CORPUS = [{"id": f"d{n}", "title": title, "text": text} for n, (title, text) in enumerate(PASSAGES)]


def test_a_mention_becomes_what_its_passage_says_that_it_is() -> None:
    """The longest title counts; a small letter begins no name; Rome's first sentence says nothing of what Rome is."""
    twin, counts = unlink(Content(CORPUS, []), 0)
    assert [row["text"] for row in twin.corpus] == [
        "Dune is a film. It was made by the American film director in this.",
        PASSAGES[1][1],
        "The city lies on hills. the film was shown there; the dune was not.",
        PASSAGES[3][1],
    ]
    assert [row["title"] for row in twin.corpus] == [title for title, _ in PASSAGES]
    assert counts == {
        "titles": 4,
        "places where a text named another passage's title": 3,
        "of them described by `this` alone": 1,
        "passages with another text": 2,
    }
