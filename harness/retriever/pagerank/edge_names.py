"""What joins two nodes of an entity graph, in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from harness.graph import Network
from harness.graph.extractor import Triples

SHOWN = 3
"""How many different predicates of two entities are told."""


def name_edges(network: Network, triples: Triples, nodes: Sequence[int]) -> tuple[str, ...]:
    """What joins each node of a path to the next one."""
    return tuple(_bond(network, triples, one, other) for one, other in pairwise(nodes))


def _bond(network: Network, triples: Triples, one: int, other: int) -> str:
    size = len(network.names)
    if one < size and other < size:
        return _between(network, triples, one, other)
    entity, passage = min(one, other), max(one, other) - size
    titled = network.about[entity, passage]
    if one < size and titled:
        return "is the title of"
    kinds = [kind for kind, matrix in network.context.items() if matrix[entity, passage]]
    if not kinds:
        return "has the title"
    return f"{'is named in' if one < size else 'names'} ({', '.join(kinds)})"


def _between(network: Network, triples: Triples, one: int, other: int) -> str:
    words = []
    if network.relation[one, other]:
        either = ((triples.subject == one) & (triples.object == other)) | (
            (triples.subject == other) & (triples.object == one)
        )
        found = list(dict.fromkeys(triples.predicates[p] for p in triples.predicate[np.flatnonzero(either)]))
        words.append("; ".join(found[:SHOWN]) + ("; ..." if len(found) > SHOWN else ""))
    if network.synonym[one, other]:
        words.append(f"is like ({network.synonym[one, other]:.2f})")
    return ", ".join(words)
