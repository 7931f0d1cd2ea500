"""Benchmarks over a knowledge graph: what is ranked are its entities, and the gold are those that answer."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from harness.benchmark import Benchmark
from harness.benchmark.source import Chain, Record, Records, assemble, read_corpus
from harness.core.errors import HarnessError
from harness.core.identity import texts_sha256

Triple = tuple[str, str, str]
"""Subject, relation, object; names, white space apart."""


def knowledge(
    name: str,
    triples: Iterable[Triple],
    queries: Records,
    snippets: Mapping[str, str],
    chain: Chain,
) -> tuple[Benchmark, int]:
    """The benchmark of a graph, and how many questions were left out.

    One entity a name, white space apart, in the order of names: its id is ``name-000000``. An entity of ``snippets``
    has its name as title and the snippet as text; any other has no title and its name as text. Equal triples are one;
    they keep the order of their first appearance. Each query has ``gold``, the names that answer it, in place of
    ``supporting_ids``; a query none of whose gold is in the graph is left out. Raises HarnessError when none stays.
    """
    distinct = list(dict.fromkeys((spaced(s), spaced(r), spaced(o)) for s, r, o in triples))
    whole = [triple for triple in distinct if all(triple)]
    entities = sorted({entity for s, _, o in whole for entity in (s, o)})
    number = {entity: place for place, entity in enumerate(entities)}
    width = max(6, len(str(len(entities))))
    corpus = [
        {
            "id": f"{name}-{place:0{width}d}",
            "title": entity if entity in snippets else "",
            "text": snippets.get(entity, entity),
        }
        for place, entity in enumerate(entities)
    ]
    kept, places = [], []
    for query, place in zip(queries.values, queries.places, strict=True):
        gold = dict.fromkeys(number[entity] for entity in map(spaced, query["gold"]) if entity in number)
        if gold:
            kept.append(_query(query, [str(corpus[entity]["id"]) for entity in gold]))
            places.append(place)
    if not kept:
        raise HarnessError(
            f"{queries.path}: none of the {len(queries.values)} questions has an answer among the {len(entities)} "
            "entities of the graph; get the file again"
        )
    benchmark = assemble(
        name,
        read_corpus(Records(queries.path, corpus, range(len(corpus)), ": entity ")),
        Records(queries.path, kept, places, queries.unit),
        chain,
    )
    table = pa.table(
        {
            "subject": pa.array(np.array([number[s] for s, _, _ in whole], dtype=np.int32)),
            "relation": pa.array([r for _, r, _ in whole], pa.string()),
            "object": pa.array(np.array([number[o] for _, _, o in whole], dtype=np.int32)),
        }
    )
    sha256 = texts_sha256([benchmark.sha256, *(json.dumps(triple) for triple in whole)])
    return replace(benchmark, triples=table, sha256=sha256), len(queries.values) - len(kept)


def spaced(text: str) -> str:
    """A name with single spaces."""
    return " ".join(text.split())


def answering(name: str) -> str:
    """What two names share when one answers for the other: their words, NFKC, case-folded, without a bracketed tail."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", folded) or folded
    return " ".join(re.findall(r"\w+", bare)) or spaced(folded)


def _query(query: Record, gold: list[str]) -> Record:
    rest = {key: value for key, value in query.items() if key != "gold"}
    return {"hops": 1, **rest, "supporting_ids": gold}
