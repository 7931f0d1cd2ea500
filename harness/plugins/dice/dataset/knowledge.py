"""Benchmarks over a knowledge graph: entities are ranked, and gold are the entities that answer."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from harness.benchmark import Benchmark
from harness.benchmark.source import Chain, Record, Records, assemble, read_corpus
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
    entities = sorted({entity for s, _, o in whole for entity in (s, o)})
    width = max(6, len(str(len(entities))))
    ids = {entity: f"{name}-{place:0{width}d}" for place, entity in enumerate(entities)}
    corpus = [
        {
            "id": ids[entity],
            "title": entity if entity in snippets else "",
            "text": snippets.get(entity, entity),
        }
        for entity in entities
    ]
    answered = []
    for query, place in zip(queries.values, queries.places, strict=True):
        named = dict.fromkeys(map(spaced, query["gold"]))
        gold = [ids[entity] for entity in named if entity in ids]
        if gold:
            answered.append((_query(query, gold), place))
    if not answered:
        raise HarnessError(
            f"{queries.path}: none of the {len(queries.values)} questions has an answer among "
            f"the {len(entities)} "
            "entities of the graph; get the file again"
        )
    kept, places = map(list, zip(*answered, strict=True))
    benchmark = assemble(
        name,
        read_corpus(Records(queries.path, corpus, range(len(corpus)), ": entity ")),
        Records(queries.path, kept, places, queries.unit),
        chain,
    )
    sha256 = texts_sha256([benchmark.sha256, *map(json.dumps, whole)])
    return replace(benchmark, triples=_numbered(whole, entities), sha256=sha256), len(
        queries.values
    ) - len(kept)


def _numbered(triples: Sequence[Triple], entities: Sequence[str]) -> pa.Table:
    """Return the triples as a table in which entities are numbers."""
    number = {entity: place for place, entity in enumerate(entities)}
    subjects, relations, objects = zip(*triples, strict=True)
    return pa.table(
        {
            "subject": pa.array(np.array([number[entity] for entity in subjects], dtype=np.int32)),
            "relation": pa.array(relations, pa.string()),
            "object": pa.array(np.array([number[entity] for entity in objects], dtype=np.int32)),
        }
    )


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


def _query(query: Record, gold: list[str]) -> Record:
    rest = {key: value for key, value in query.items() if key != "gold"}
    return {"hops": 1, **rest, "supporting_ids": gold}
