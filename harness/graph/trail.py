"""The reasons for a passage's rank: the seeds of one question, and the strongest paths from
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
        """Return the node of a number in a graph whose entities come before its passages."""
        return (
            cls(entity=names[number]) if number < len(names) else cls(passage=number - len(names))
        )


@dataclass(frozen=True)
class Path:
    """A path from a seed to a passage.

    Attributes:
        nodes: its nodes.
        links: what joins each node to the next one.
        strength: its contribution to the score, or the score.
    """

    nodes: tuple[Node, ...]
    links: tuple[str, ...]
    strength: float


@dataclass(frozen=True)
class Trail:
    """The seeds and paths of one question.

    Attributes:
        seeds: nodes with their weights, greatest first.
        paths: paths by passage, strongest first.
        adds: whether the strengths sum up to the score (a walk's mass). Otherwise the strongest
            path is the score.
        record: further tables by name, each a list of JSON objects with the same keys.
    """

    seeds: Sequence[tuple[Node, float]]
    paths: Mapping[int, Sequence[Path]]
    adds: bool
    record: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
