"""Ladybug: an embedded graph database with Cypher (extra ``stores``)."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from harness.core.arrays import Int64Array
from harness.core.configuration.extras import need
from harness.core.errors import check_fields
from harness.core.identity import NO_RESULT
from harness.plugins.dice.triplestore import Expand, TripleTable

SCHEMA = (
    "CREATE NODE TABLE Entity(id INT64, name STRING, PRIMARY KEY(id))",
    "CREATE REL TABLE Triple(FROM Entity TO Entity, number INT64, relation STRING)",
)

QUERY = """
MATCH (s:Entity)-[r:Triple]->(t:Entity)
WHERE s.id IN $seeds
RETURN DISTINCT r.number AS number
ORDER BY number
"""
"""The numbers of the triples that leave ``$seeds``, ascending.

It is the match of the Dice-Sorensen hybrid's Figure 2, which unwinds the seeds; ``IN`` finds the
same, and Ladybug then uses its index (2.4 ms instead of 36 ms for ten seeds among 100,000 triples).
"""


@dataclass(frozen=True)
class Ladybug:
    """The graph in a database in a temporary folder.

    Args:
        memory: its buffers in MiB, >= 64.
        threads: of a query, >= 1.
    """

    memory: int = field(default=512, metadata=NO_RESULT)
    threads: int = field(default=1, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        check_fields("triplestore", self, memory="whole [64, inf)", threads="whole [1, inf)")

    @contextlib.contextmanager
    def open(self, facts: TripleTable, inward: bool) -> Iterator[Expand]:
        """Load the graph and yield its expansion. See ``Triplestore``."""
        ladybug = need("ladybug", "triplestore=ladybug", "stores")
        query = QUERY.replace("]->(", "]-(") if inward else QUERY
        with (
            tempfile.TemporaryDirectory(prefix="harness-ladybug-") as folder,
            contextlib.closing(
                ladybug.Database(str(Path(folder) / "graph"), buffer_pool_size=self.memory << 20)
            ) as database,
            contextlib.closing(
                ladybug.Connection(database, num_threads=self.threads)
            ) as connection,
        ):
            for statement in SCHEMA:
                connection.execute(statement)
            _load(connection, facts)

            def expand(seeds: Int64Array) -> Int64Array:
                if not len(seeds):
                    return np.empty(0, np.int64)
                result = connection.execute(query, {"seeds": seeds.tolist()})
                return np.array([row[0] for row in result.get_all()], dtype=np.int64)

            yield expand


def _load(connection: object, facts: TripleTable) -> None:
    """Copy Arrow tables into the database."""
    run = connection.execute  # type: ignore[attr-defined]
    relations = pa.array(facts.relations, pa.string())
    entities = pa.table(
        {"id": pa.array(range(len(facts.names)), pa.int64()), "name": pa.array(facts.names)}
    )
    triples = pa.table(
        {
            "from": pa.array(facts.subject, pa.int64()),
            "to": pa.array(facts.object, pa.int64()),
            "number": pa.array(range(len(facts.subject)), pa.int64()),
            "relation": relations.take(pa.array(facts.relation, pa.int64())),
        }
    )
    if len(entities):
        run("COPY Entity FROM $content", {"content": entities})
    if len(triples):
        run("COPY Triple FROM $content", {"content": triples})
