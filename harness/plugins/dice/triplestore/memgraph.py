"""Memgraph: a graph database in memory with Bolt and Cypher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.plugins.dice.triplestore.bolt import Bolt


@dataclass(frozen=True)
class Memgraph(Bolt):
    """A Memgraph server. See ``Bolt``."""

    indexes: ClassVar[tuple[str, ...]] = (
        "CREATE INDEX ON :Entity(id)",
        "CREATE INDEX ON :Entity(graph)",
    )
