"""A trace as one page of HTML with its subgraph drawn; it needs nothing from elsewhere, and runs no script."""

from __future__ import annotations

from harness.analysis.trace import Trace
from harness.graph.trail import Node
from harness.report.explanation.drawing import BOX, HEIGHT, Box, draw
from harness.report.explanation.trace import describe_path, head, label, rank_table, record_tables, role
from harness.report.pdf.template import fill

LETTERS = 25


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
