"""A subgraph drawn in columns: seeds on the left, what the paths lead to on the right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.graph.trail import Node, Path

STEP, ROW, BOX, HEIGHT, MARGIN = 270, 46, 190, 30, 16


@dataclass(frozen=True)
class Box:
    """A node with the upper left corner of its box."""

    node: Node
    x: int
    y: int


@dataclass(frozen=True)
class Line:
    """An edge between two boxes' sides; width in pixels."""

    x1: int
    y1: int
    x2: int
    y2: int
    width: float
    links: str


@dataclass(frozen=True)
class Drawing:
    """Boxes, the lines between them, and the size of the whole."""

    boxes: list[Box]
    lines: list[Line]
    width: int
    height: int


def draw(paths: Iterable[tuple[Path, float]]) -> Drawing:
    """The subgraph of some paths, each with its share in [0, 1]: an edge is as wide as the greatest share on it.

    A node's column is the fewest steps in which a path reaches it; in a column nodes stand in the order in which the
    paths bring them.
    """
    column: dict[Node, int] = {}
    edges: dict[tuple[Node, Node], tuple[float, str]] = {}
    for path, share in paths:
        for step, node in enumerate(path.nodes):
            column[node] = min(step, column.get(node, step))
        for one, link, other in zip(path.nodes, path.links, path.nodes[1:], strict=False):
            edges[one, other] = (max(share, edges.get((one, other), (0.0, ""))[0]), link)
    filled: dict[int, int] = {}
    boxes: dict[Node, Box] = {}
    for node, place in column.items():
        row = filled[place] = filled.get(place, -1) + 1
        boxes[node] = Box(node, MARGIN + place * STEP, MARGIN + row * ROW)
    lines = [_line(boxes[one], boxes[other], *edge) for (one, other), edge in edges.items()]
    width = 2 * MARGIN + max(filled, default=0) * STEP + BOX
    return Drawing(list(boxes.values()), lines, width, 2 * MARGIN + max(filled.values(), default=0) * ROW + HEIGHT)


def _line(one: Box, other: Box, share: float, link: str) -> Line:
    middle = HEIGHT // 2
    right = other.x > one.x
    start, end = (one.x + BOX, other.x) if right else (one.x, other.x + (BOX if other.x < one.x else 0))
    return Line(start, one.y + middle, end, other.y + middle, round(1 + 5 * min(share, 1.0), 2), link)
