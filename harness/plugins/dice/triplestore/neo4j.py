"""Neo4j, the graph database of the Dice-Sorensen hybrid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.plugins.dice.triplestore.bolt import Bolt


@dataclass(frozen=True)
class Neo4j(Bolt):
    """A Neo4j 5 server. See ``Bolt``."""

    indexes: ClassVar[tuple[str, ...]] = (
        "CREATE CONSTRAINT harness_entity IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE",
        "CREATE INDEX harness_graph IF NOT EXISTS FOR (e:Entity) ON (e.graph)",
    )
