"""Benchmarks over a knowledge graph: entities are ranked, and gold are the entities that answer."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.records import Chain, Record, Records
from harness.core.errors import HarnessError
from harness.core.identity import texts_sha256

Triple = tuple[str, str, str]
"""Subject, relation and object: names with single spaces."""


def knowledge(
    name: str,
    triples: Iterable[Triple],
    queries: Records,
    snippets: Mapping[str, str],
    chain: Chain,
) -> tuple[Benchmark, int]:
    """Return the benchmark of a graph, and the number of questions that were left out.

    There is one entity per name, in the order of names; its id is ``name-000000``. Equal triples
    are one, in the order of their first appearance. A query without gold in the graph is left out.

    Args:
        name: of the benchmark.
        triples: of the graph.
        queries: with ``gold``, the names that answer, in place of ``supporting_ids``.
        snippets: text by entity; the entity's name is then its title. Other entities have no title
            and their name as text.
        chain: which questions are chains.

    Raises:
        HarnessError: no query is left.
    """
    distinct = dict.fromkeys((spaced(s), spaced(r), spaced(o)) for s, r, o in triples)
    whole = [triple for triple in distinct if all(triple)]
    subjects, relations, objects = (list(column) for column in zip(*whole, strict=True))
    entities = sorted({*subjects, *objects})
    number = {entity: place for place, entity in enumerate(entities)}
    width = max(6, len(str(len(entities))))
    ids = [f"{name}-{place:0{width}d}" for place in range(len(entities))]
    corpus: list[Record] = []
    for entity, doc_id in zip(entities, ids, strict=True):
        title = entity if entity in snippets else ""
        corpus.append({"id": doc_id, "title": title, "text": snippets.get(entity, entity)})
    answered: dict[int, Record] = {}
    for place, query in enumerate(queries.values):
        fields = {"hops": 1, **query}
        names = dict.fromkeys(map(spaced, fields.pop("gold")))
        if gold := [ids[number[entity]] for entity in names if entity in number]:
            answered[place] = {**fields, "supporting_ids": gold}
    if not answered:
        raise HarnessError(
            f"{queries.path}: none of the {len(queries.values)} questions has an answer among "
            f"the {len(entities)} entities of the graph; get the file again"
        )
    benchmark = assemble(
        name,
        Records(queries.path, corpus, range(len(corpus)), ": entity "),
        queries.take(list(answered)).with_values(list(answered.values())),
        chain,
    )
    columns = {
        "subject": pa.array([number[entity] for entity in subjects], pa.int32()),
        "relation": pa.array(relations, pa.string()),
        "object": pa.array([number[entity] for entity in objects], pa.int32()),
    }
    sha256 = texts_sha256([benchmark.sha256, *map(json.dumps, whole)])
    with_triples = replace(benchmark, triples=pa.table(columns), sha256=sha256)
    return with_triples, len(queries.values) - len(answered)


def spaced(text: str) -> str:
    """Return a name with single spaces."""
    return " ".join(text.split())


def answering(name: str) -> str:
    """Return a name's words, NFKC and case-folded, without a bracketed tail.

    Two names answer for each other if these are equal.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", folded) or folded
    return " ".join(re.findall(r"\w+", bare)) or spaced(folded)
