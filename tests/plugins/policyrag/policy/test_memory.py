"""The typed memory, of five passages and of triples."""

from typing import Any

import numpy as np
import pytest

from harness.graph.extractor import Extraction, Mentions, Triples
from harness.plugins.policyrag.policy.fact import make_facts, sentences
from harness.plugins.policyrag.policy.memory import TypedMemory, compile_memory, load_memory


@pytest.fixture
def kept(graph: Any, world: Any, store: Any) -> TypedMemory:
    return load_memory(graph, world, store)


def test_families_are_kept_apart_and_row_stochastic(kept: TypedMemory) -> None:
    place = {name: number for number, name in enumerate(kept.names)}
    dune, lynch, missoula = place["dune"], place["david lynch"], place["missoula"]
    relation = kept.relation.toarray()
    assert relation[dune, lynch] == 1
    assert relation[lynch, dune] == relation[lynch, missoula] == 0.5
    assert relation[missoula, lynch] == 1
    assert relation.sum() == 3
    assert kept.synonym.nnz == 0
    assert kept.context.toarray()[lynch].tolist() == [1, 1, 0, 0, 0]
    assert kept.onward.toarray()[lynch].tolist() == [0.5, 0.5, 0, 0, 0]
    assert kept.back.toarray()[0, [dune, lynch]].tolist() == [0.5, 0.5]


def test_priors(kept: TypedMemory, world: Any) -> None:
    """Dune (film) is 14 words with its title; ln(1 + 5/n) of what a passage holds, over the mean of
    those five.
    """
    words = np.array([14, 10, 8, 9, 5])
    np.testing.assert_allclose(kept.length, words / words.mean())
    one, two = np.log(1 + 5 / 1), np.log(1 + 5 / 2)
    rare = np.array([one + two, two + two, two, one, one])
    np.testing.assert_allclose(kept.ipf, rare / rare.mean())


def test_a_fact_leads_to_the_bytes_that_state_it(kept: TypedMemory, world: Any) -> None:
    read = [
        world.passages[p].encode()[a:b].decode()
        for p, a, b in zip(kept.facts.passage, kept.facts.start, kept.facts.end, strict=True)
    ]
    assert read == ["It was filmed by David Lynch, é la carte.", "David Lynch grew up in Missoula."]
    assert kept.facts.text(1) == "David Lynch David Lynch grew up in Missoula."
    assert [kept.names[e] for e in kept.facts.entities(0)] == ["dune", "david lynch"]


def test_nothing_can_be_written_to(kept: TypedMemory) -> None:
    matrices = [kept.relation.data, kept.context.indices, kept.alike.indptr]
    for array in (kept.titled, kept.length, kept.facts.subject, *matrices):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_its_facts_are_an_artifact(kept: TypedMemory, graph: Any, world: Any, store: Any) -> None:
    network, extraction = graph.build(world, store)
    made = compile_memory(network, extraction.titled, make_facts(extraction, world))
    assert made.sizes() == kept.sizes()
    assert (made.joined != kept.joined).nnz == 0
    assert [*made.facts.stated] == [*kept.facts.stated]


def test_triples_are_facts_and_found_in_their_sentence(titled: Any) -> None:
    world = titled([("Dune", "It is long. It was made by D. Lynch in Rome.")], [])
    names = ["dune", "d lynch", "rome", "nowhere"]
    none = Mentions.of([np.empty((0, 4), np.int32)])
    rows = [(0, 0, 0, 1), (0, 1, 1, 2), (0, 3, 1, 3), (0, 3, 1, 0)]
    triples, titled_as = Triples.of(rows, ["made by", "in"]), np.array([0], np.int32)
    found = make_facts(Extraction(names, titled_as, none, triples), world)
    raw = world.passages[0].encode()
    told = [found.text(fact) for fact in range(len(found))]
    assert told == ["dune made by d lynch", "d lynch in rome", "nowhere in dune"]
    assert raw[found.start[1] : found.end[1]].decode() == "It was made by D. Lynch in Rome."
    assert raw[found.start[2] : found.end[2]].decode() == "Dune"
    joined = found.joined(4).toarray()
    assert joined.sum() == 6
    assert joined[0, 1] == joined[1, 2] == joined[0, 3] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two!  Three?", ["One.", "Two!", "Three?"]),
        ("J. R. R. Tolkien wrote. It sold.", ["J. R. R. Tolkien wrote.", "It sold."]),
        ("Acme Inc. Makes it. e.g. this.", ["Acme Inc. Makes it. e.g. this."]),
        ("Title\nText of it.", ["Title", "Text of it."]),
        ("Ed Smith Jr.\nEd is a man.", ["Ed Smith Jr.", "Ed is a man."]),
        ("Roma F.C.\n\nA club.", ["Roma F.C.", "A club."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == expected
