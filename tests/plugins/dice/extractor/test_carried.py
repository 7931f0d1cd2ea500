"""What a benchmark over a knowledge graph carries."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.graph.extractor import extract, find_names
from harness.plugins.dice.extractor.carried import Carried, labels
from harness.work.store import Store

ENTITIES = {
    "Dune (film)": "A film.",
    "Dune (novel)": "A book.",
    "": "Frank Herbert",
    "Ünter": "A town.",
}
QUESTIONS = ["Who wrote the DUNE?", "Was Frank Herbert born in Ünter?", "nothing"]


@pytest.fixture
def world(titled: Callable[..., Benchmark]) -> Benchmark:
    ends = [pa.array(numbers, pa.int32()) for numbers in ([1, 2, 0], [2, 3, 2])]
    relation = ["author", "born in", "author"]
    table = pa.table({"subject": ends[0], "relation": relation, "object": ends[1]})
    return replace(titled(ENTITIES, QUESTIONS), triples=table)


def test_entities_triples_and_what_questions_name(world: Benchmark, tmp_path: Path) -> None:
    found = extract(Carried(), world, Store(tmp_path))
    names = ["Dune (film)", "Dune (novel)", "Frank Herbert", "Ünter"]
    assert list(found.names) == labels(world) == names
    assert found.titled.tolist() == [0, 1, 2, 3]
    triples = found.triples
    assert triples.subject.tolist() == triples.passage.tolist() == [1, 2, 0]
    assert triples.object.tolist() == [2, 3, 2]
    stated = [triples.predicates[place] for place in triples.predicate]
    assert stated == ["author", "born in", "author"]
    asked = find_names(Carried(), world, Store(tmp_path)).mentions
    assert asked.indptr.tolist() == [0, 2, 4, 4]
    assert asked.entity.tolist() == [0, 1, 2, 3]
    spans = zip(asked.text.tolist(), asked.start.tolist(), asked.end.tolist(), strict=True)
    told = [QUESTIONS[text].encode()[a:b].decode() for text, a, b in spans]
    assert told == ["DUNE", "DUNE", "Frank Herbert", "Ünter"]


def test_a_benchmark_of_passages_carries_none(
    titled: Callable[..., Benchmark], tmp_path: Path
) -> None:
    with pytest.raises(HarnessError, match="extractor=carried:"):
        extract(Carried(), titled({"A": "a"}, ["q"]), Store(tmp_path))
