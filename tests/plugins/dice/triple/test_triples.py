"""Triples of sentences, worked by hand."""

from collections.abc import Callable
from pathlib import Path

from harness.benchmark import Benchmark
from harness.graph.extractor import extract
from harness.graph.extractor.offline import Offline
from harness.plugins.dice.triple.triples import sentence_triples
from harness.work.store import Store

WORLD = {
    "Dune (film)": "Dune was filmed by David Lynch. It has Sting! Sting and  Sting of e.g. Britain. David Lynch left.",
    "David Lynch": "He made Dune.",
    "Sting": "Nothing.",
    "Äther": "Äther is by Sting. Yes, Sting. no",
}


def triples(benchmark: Benchmark, folder: Path) -> list[tuple[str, str, str, str]]:
    found = extract(Offline(model=None, spans=False), benchmark, Store(folder))
    rows, names = sentence_triples(found, benchmark.passages), found.names
    ids = benchmark.doc_ids.to_pylist()
    columns = (rows.passage, rows.subject, rows.predicate, rows.object)
    return [
        (ids[p], names[s], rows.predicates[r], names[o])
        for p, s, r, o in zip(*map(list, columns), strict=True)
    ]


def test_a_name_once_a_sentence_and_never_the_title(
    titled: Callable[..., Benchmark], tmp_path: Path
) -> None:
    assert triples(titled(WORLD, ["q"]), tmp_path) == [
        ("d000", "dune", "Dune was filmed by David Lynch.", "david lynch"),
        ("d000", "dune", "It has Sting!", "sting"),
        ("d000", "dune", "Sting and Sting of e.g.", "sting"),
        ("d000", "dune", "David Lynch left.", "david lynch"),
        ("d001", "david lynch", "He made Dune.", "dune"),
        ("d003", "äther", "Äther is by Sting.", "sting"),
        ("d003", "äther", "Yes, Sting. no", "sting"),
    ]


def test_passages_without_a_title_state_nothing(
    titled: Callable[..., Benchmark], tmp_path: Path
) -> None:
    assert triples(titled([("", "Sting sings."), ("Sting", "A singer.")], ["q"]), tmp_path) == []
