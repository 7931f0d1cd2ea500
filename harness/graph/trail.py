"""Why a passage is where it is in a list: the seeds of one question, and the strongest paths from
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Node:
    """A passage (its number) or an entity (its name)."""

    entity: str = ""
    passage: int = -1

    @classmethod
    def of(cls, names: Sequence[str], number: int) -> Node:
        """The node of that number in a graph of these entities, which come first, and of
        passages.
        """
        return (
            cls(entity=names[number]) if number < len(names) else cls(passage=number - len(names))
        )


@dataclass(frozen=True)
class Path:
    """From a seed to a passage. links: what joins each node to the next. strength: what it adds to
    the score, or is.
    """

    nodes: tuple[Node, ...]
    links: tuple[str, ...]
    strength: float


@dataclass(frozen=True)
class Trail:
    """seeds: with their weights, greatest first. paths: by passage, strongest first. adds: whether
    strengths sum up to the score (a walk's mass) or the strongest path's is the score. record: what
    else there is to tell, tables by name, each a list of JSON objects with the same keys.
    """

    seeds: Sequence[tuple[Node, float]]
    paths: Mapping[int, Sequence[Path]]
    adds: bool
    record: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
