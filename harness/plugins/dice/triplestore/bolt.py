"""Graph databases over Bolt, with Neo4j's official driver (extra ``stores``)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from harness.core.arrays import Int64Array
from harness.core.configuration import REACHES, need
from harness.core.errors import HarnessError, whole_number
from harness.core.identity import NO_RESULT, texts_sha256
from harness.core.secret import check_address, check_variable
from harness.plugins.dice.triplestore import Expand, TripleTable, expansion

ENTITIES = "UNWIND $rows AS row CREATE (:Entity {id: row.id, graph: row.graph, name: row.name})"
TRIPLES = (
    "UNWIND $rows AS row MATCH (s:Entity {id: row.subject}), (t:Entity {id: row.object}) "
    "CREATE (s)-[:Triple {number: row.number, relation: row.relation}]->(t)"
)
COUNT = (
    "MATCH (s:Entity {graph: $graph}) OPTIONAL MATCH (s)-[r:Triple]->() RETURN count(DISTINCT "
    "s), count(r)"
)
CLEAR = "MATCH (s:Entity {graph: $graph}) DETACH DELETE s"


@dataclass(frozen=True)
class Bolt:
    """A server that holds several graphs.

    An entity's id begins with the hash of its graph, which is loaded once.

    Args:
        uri: ``bolt://`` or ``neo4j://``.
        user: user name; None for none.
        password: environment variable of the password.
        database: None for the server's default.
        batch: rows sent at once, >= 1.
    """

    indexes: ClassVar[tuple[str, ...]] = ()
    uri: str = field(default="bolt://localhost:7687", metadata=NO_RESULT | REACHES)
    user: str | None = field(default=None, metadata=NO_RESULT)
    password: str = field(default="BOLT_PASSWORD", metadata=NO_RESULT | REACHES)
    database: str | None = field(default=None, metadata=NO_RESULT)
    batch: int = field(default=10_000, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        whole_number("triplestore.batch", self.batch, 1)
        check_variable("triplestore.password", self.password)
        mend = (
            "set triplestore.user, and put the password into the variable that "
            "triplestore.password names"
        )
        check_address("triplestore.uri", self.uri, mend)

    @contextlib.contextmanager
    def open(self, facts: TripleTable, inward: bool) -> Iterator[Expand]:
        """Load the graph and yield its expansion. See ``Triplestore``."""
        graph, query = content(facts), expansion(inward)
        with self._driver() as driver:

            def execute(statement: str, parameters: Mapping[str, object]) -> list[list[Any]]:
                found = driver.execute_query(
                    statement, parameters_=parameters, database_=self.database
                )
                return [record.values() for record in found.records]

            self._load(execute, facts, graph)

            def expand(seeds: Int64Array) -> Int64Array:
                rows = execute(query, {"seeds": [f"{graph}-{seed}" for seed in seeds.tolist()]})
                return np.array([row[0] for row in rows], dtype=np.int64)

            yield expand

    @contextlib.contextmanager
    def _driver(self) -> Iterator[Any]:
        neo4j = need("neo4j", f"triplestore.uri={self.uri}", "stores")
        raised = neo4j.exceptions
        try:
            with neo4j.GraphDatabase.driver(self.uri, auth=self._secret()) as driver:
                driver.verify_connectivity()
                yield driver
        except raised.AuthError as error:
            raise HarnessError(
                f"triplestore.uri={self.uri} refuses user {self.user}: set triplestore.user, and "
                f"{self.password} in "
                "the environment to its password"
            ) from error
        except (raised.DriverError, raised.Neo4jError, ValueError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise HarnessError(
                f"triplestore.uri={self.uri}: {reason}; start the server, name another, or take "
                "triplestore=memory"
            ) from error

    def _secret(self) -> tuple[str, str] | None:
        if self.user is None:
            return None
        if self.password not in os.environ:
            raise HarnessError(
                f"triplestore.user={self.user}: set {self.password} in the environment to its "
                "password"
            )
        return self.user, os.environ[self.password]

    def _load(self, run: Any, facts: TripleTable, graph: str) -> None:
        for statement in self.indexes:
            run(statement, {})
        if run(COUNT, {"graph": graph})[0] == [len(facts.names), len(facts.subject)]:
            return
        run(CLEAR, {"graph": graph})
        for statement, rows in (
            (ENTITIES, _entities(facts, graph)),
            (TRIPLES, _triples(facts, graph)),
        ):
            for start in range(0, len(rows), self.batch):
                run(statement, {"rows": rows[start : start + self.batch]})


def content(facts: TripleTable) -> str:
    """Return a graph's name on a server: the first 16 hex digits of the hash of its content."""
    numbers = (
        ",".join(map(str, part.tolist())) for part in (facts.subject, facts.relation, facts.object)
    )
    return texts_sha256([*facts.names, "|", *facts.relations, "|", *numbers])[:16]


def _entities(facts: TripleTable, graph: str) -> Sequence[Mapping[str, object]]:
    return [
        {"id": f"{graph}-{place}", "graph": graph, "name": name}
        for place, name in enumerate(facts.names)
    ]


def _triples(facts: TripleTable, graph: str) -> Sequence[Mapping[str, object]]:
    table = zip(facts.subject.tolist(), facts.relation.tolist(), facts.object.tolist(), strict=True)
    return [
        {
            "number": place,
            "subject": f"{graph}-{s}",
            "relation": facts.relations[r],
            "object": f"{graph}-{o}",
        }
        for place, (s, r, o) in enumerate(table)
    ]
