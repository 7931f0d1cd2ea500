"""A trace as one page of HTML with its subgraph drawn; it needs nothing from elsewhere, and runs no script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.analysis.trace import Trace
from harness.graph.trail import Node, Path
from harness.report.explanation.trace import describe_path, head, label, rank_table, record_tables, role
from harness.report.pdf.template import fill

LETTERS = 25
STEP, ROW, BOX, HEIGHT, MARGIN = 270, 46, 190, 30, 16


def page(trace: Trace, seeds: int) -> str:
    """The page, with the first ``seeds`` of each list."""
    title, question, *rest = head(trace)
    return fill(
        "trace.html.j2",
        title=title,
        question=question,
        rest=rest,
        ranks=rank_table(trace),
        sections=[_section(trace, name, seeds) for name in trace.trails],
        box=BOX,
        height=HEIGHT,
    )


def _section(trace: Trace, name: str, seeds: int) -> dict[str, object]:
    trail = trace.trails[name]
    drawing = draw((path, path.strength / (paths[0].strength or 1)) for paths in trail.paths.values() for path in paths)
    return {
        "name": name,
        "seeds": [(f"{weight:.4f}", label(trace, node)) for node, weight in trail.seeds[:seeds]],
        "count": len(trail.seeds),
        "tables": list(record_tables(name, trail)),
        "paths": [
            (
                f"{role(trace, doc)} {label(trace, Node(passage=doc))}",
                [describe_path(trace, name, doc, path) for path in paths],
            )
            for doc, paths in trail.paths.items()
        ],
        "drawing": drawing,
        "boxes": [(box, _kind(trace, box), label(trace, box.node), _short(trace, box)) for box in drawing.boxes],
    }


def _kind(trace: Trace, box: Box) -> str:
    if box.node.passage < 0:
        return "entity"
    return "gold" if box.node.passage in trace.gold else "rival" if box.node.passage in trace.rivals else "passage"


def _short(trace: Trace, box: Box) -> str:
    whole = box.node.entity if box.node.passage < 0 else trace.title(box.node.passage)
    return whole if len(whole) <= LETTERS else f"{whole[: LETTERS - 1]}…"


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
