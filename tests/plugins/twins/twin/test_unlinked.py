from __future__ import annotations

import pytest

from harness.plugins.twins.twin import Content
from harness.plugins.twins.twin.unlinked import unlink

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
        "titles of one word left, being part of a longer name": 0,
        "passages with another text": 2,
    }


def unlinked(text: str, *others: tuple[str, str]) -> str:
    passages = [("Its Own Title", text), *others]
    corpus = [{"id": f"d{n}", "title": title, "text": text} for n, (title, text) in enumerate(passages)]
    return str(unlink(Content(corpus, []), 0)[0].corpus[0]["text"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ran on Comedy Central.", "It ran on Comedy Central."),
        ("By John C. Comedy of Ulm.", "By John C. Comedy of Ulm."),
        ("In Comedy he wrote of Comedy.", "In the film he wrote of the film."),
        ("An all-Comedy evening; the Comedy.", "An all-the film evening; the film."),
        ("About Comedy, Drama and Comedy", "About the film, Drama and the film"),
    ],
)
def test_one_word_in_a_run_of_capitals_is_part_of_a_longer_name(text: str, expected: str) -> None:
    assert unlinked(text, ("Comedy", "Comedy is a film by Lynch.")) == expected


def test_a_number_is_no_name() -> None:
    assert unlinked("It has 8,777,580 people.", ("777", "777 is a Boeing.")) == "It has 8,777,580 people."


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The United States is a federal republic composed of states.", "the federal republic"),
        ("The United States was a U.S. state.", "the U.S. state"),
        ("Aram A. United States is an Armenian editor.", "the Armenian editor"),
        ("The United States is a dog breed of size.", "the dog breed"),
    ],
)
def test_a_description_ends_where_a_participle_or_preposition_begins(said: str, kind: str) -> None:
    """The article of the name goes with it."""
    assert unlinked("He left the United States.", ("United States", said)) == f"He left {kind}."
