"""Each rule on texts where its answer can be read off; what it must leave alone; and what merging
does to a graph.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.core.configuration import compose, instantiate, names
from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.graph.alias import EVERYWHERE, Alias
from harness.graph.entity import Entity
from harness.graph.extractor import Extraction, Mentions, Triples, extract
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.phasegraph.alias.initials import Initials
from harness.plugins.phasegraph.alias.known_as import KnownAs
from harness.plugins.phasegraph.alias.redirect import Redirect
from harness.plugins.phasegraph.alias.surname import Surname
from harness.work.store import Store

SPANS = Offline(model=None)


def told(rule: Alias, titled: Any, folder: Path, passages: Any) -> set[tuple[int, str, str]]:
    benchmark = titled(passages, [])
    extraction = extract(SPANS, benchmark, Store(folder))
    found = rule.find(benchmark, extraction)
    assert found.dtype == np.int32
    return {
        (passage, extraction.names[one], extraction.names[other])
        for passage, one, other in found.tolist()
    }


def test_redirects(titled: Any, tmp_path: Path) -> None:
    """Two titles that differ by an article mean neither; a word is not a title; letters of other
    scripts keep marks.
    """
    passages = [
        ("The Rolling Stones", "They met Beyonce in 1960."),
        ("Beyoncé", "She met Rolling Stones, then A Mission."),
        ("The Mission", "They saw Mission, then Blue Band, then Чайковскии."),
        ("The Blue Band", "-"),
        ("A Blue Band", "-"),
        ("Чайковский", "-"),
    ]
    assert told(Redirect(), titled, tmp_path, passages) == {
        (EVERYWHERE, "beyonce", "beyoncé"),
        (EVERYWHERE, "rolling stones", "the rolling stones"),
    }


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("Bob Dylan (born Robert Zimmerman; May 24, 1941) is a singer.", "robert zimmerman"),
        ("Bob Dylan, also known as Blind Boy Grunt, is a singer.", "blind boy grunt"),
        ("Bob Dylan, known professionally as “Elston Gunn”, is a singer.", "elston gunn"),
        ("Bob Dylan (a.k.a. Lucky Wilbury) is a singer.", "lucky wilbury"),
        ("Bob Dylan, formerly called Tedham Porterhouse, sings.", "tedham porterhouse"),
        ("Bob Dylan, also known as Dylan, sings.", None),
        ("Bob Dylan, also known as Joan Baez, sings.", None),
        ("Bob Dylan sings. His friend, also known as Jack Frost, plays.", None),
        ("Bob Dylan (born May 24, 1941) is a singer.", None),
    ],
)
def test_known_as(titled: Any, tmp_path: Path, text: str, alias: str | None) -> None:
    found = told(
        KnownAs(), titled, tmp_path, [("Bob Dylan", text), ("Joan Baez", "She is a singer.")]
    )
    assert found == ({(EVERYWHERE, alias, "bob dylan")} if alias else set())


def test_known_as_in_triples_and_of_two(titled: Any) -> None:
    names_ = ["bob dylan", "jack frost", "joan baez", "bob", "blind boy"]
    triples = [(0, 0, 0, 1), (0, 0, 1, 4), (1, 2, 0, 4), (0, 0, 0, 3), (0, 0, 2, 2)]
    none = Mentions.of([np.empty((0, 4), np.int32)] * 2)
    said = Triples.of(triples, ["is also known as", "Nicknamed", "knows"])
    extraction = Extraction(names_, np.array([0, 2], np.int32), none, Mentions.of([]), said)
    benchmark = titled([("Bob Dylan", "."), ("Joan Baez", ".")], [])
    assert KnownAs().find(benchmark, extraction).tolist() == [[EVERYWHERE, 1, 0]], (
        "blind boy is two people's"
    )


def test_initials_and_surnames_inside_one_passage(titled: Any, tmp_path: Path) -> None:
    passages = [
        (
            "Dune",
            "It is by David Lynch. The film made D. Lynch known, and J. R. R. Tolkien liked how "
            "Lynch worked.",
        ),
        ("John Ronald Reuel Tolkien", "He met J. R. R. Tolkien, then R. Tolkien."),
        (
            "Twins",
            "Here David Lynch met Kelly Lynch. They say Lynch and D. Lynch came, and Diane Lynch.",
        ),
    ]
    assert told(Initials(), titled, tmp_path, passages) == {
        (0, "d lynch", "david lynch"),
        (1, "j r r tolkien", "john ronald reuel tolkien"),
        (1, "r tolkien", "john ronald reuel tolkien"),
    }
    assert told(
        Surname(), titled, tmp_path, [("X", "It is by David Lynch, whom they call Lynch.")]
    ) == {(0, "lynch", "david lynch")}
    assert told(Surname(), titled, tmp_path, passages[2:]) == set(), "three Lynches"
    others = [
        ("Austria", "-"),
        ("X", "Here Maria of Genoa saw Genoa, then Anna Austria saw Austria."),
    ]
    assert told(Surname(), titled, tmp_path, others) == set(), (
        "a title means itself; a phrase has no surname"
    )


def test_every_rule_has_a_configuration_an_identity_and_bounds() -> None:
    for name in names("alias"):
        rule = instantiate(compose("config", [f"+alias@graph.alias.one={name}"]).graph).alias["one"]
        assert type(rule).__module__ == f"harness.plugins.phasegraph.alias.{name}"
        assert rule == type(rule)()
        assert identity(rule)["version"] >= 1
        assert isinstance(rule, Alias)
    with pytest.raises(HarnessError, match=r"alias\.longest.*\[2.*longest=1"):
        Surname(longest=1)


def test_merged_graph(titled: Any, tmp_path: Path) -> None:
    """Everywhere in the passages and in the question; a surname in its own passage only."""
    passages = [
        ("Bob Dylan", "Bob Dylan (born Robert Zimmerman) is a singer. They love Dylan."),
        ("Folk", "They say Robert Zimmerman wrote it, not Dylan."),
    ]
    benchmark, store = titled(passages, ["What did Robert Zimmerman write?"]), Store(tmp_path)
    plain = Entity(SPANS, Hashed(), synonym=None)
    network, _ = plain.build(benchmark, store)
    assert {"robert zimmerman", "bob dylan", "dylan"} < set(network.names)
    rules = instantiate(compose("config", ["graph=merged"]).graph).alias
    assert set(rules) == set(names("alias"))
    graph = Entity(SPANS, Hashed(), synonym=None, alias=rules)
    network, extraction = graph.build(benchmark, store)
    assert list(network.names) == list(extraction.names)
    assert "robert zimmerman" not in network.names
    dylan, first = list(network.names).index("bob dylan"), list(network.names).index("dylan")
    assert network.mentions[[dylan]].toarray().tolist() == [[0, 1]], "its own title is no edge"
    assert network.mentions[[first]].toarray().tolist() == [[0, 1]], "in Folk, Dylan may be anybody"
    assert extraction.questions.entity.tolist() == [dylan]
    facts = graph.artifact(benchmark, store).facts
    assert facts["pruned"] == {
        "self_loops": 0,
        "duplicates": 0,
        "aliases_everywhere": 1,
        "aliases_in_a_passage": 1,
        "ambiguous_aliases": 0,
        "mentions_renamed": 3,
        "names_merged_away": 1,
    }
