"""A trace as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.report.text import MISSING, percent
from harness.retriever.trail import Node, Path, Trail
from harness.sweep.trace import Trace

WIDTH = 44


def text(trace: Trace, seeds: int) -> str:
    """Question, ranks, and for every list with paths its seeds (the first ``seeds``) and paths."""
    lines = [*head(trace), "", *_ranks(trace)]
    for name, trail in trace.trails.items():
        lines += ["", f"{name}: {len(trail.seeds)} seeds"]
        lines += [f"  {weight:.4f}  {label(trace, node)}" for node, weight in trail.seeds[:seeds]]
        for table, columns, rows in tables(trail):
            lines += ["", f"{name}, {table}", *_aligned([columns, *rows])]
        for doc in trail.paths:
            lines += ["", f"{name}, {role(trace, doc)} {label(trace, Node(passage=doc))}: {_place(trace, name, doc)}"]
            lines += [f"  {told(trace, name, doc, path)}" for path in trail.paths[doc]] or ["  no path from a seed"]
    return "\n".join(lines)


def tables(trail: Trail) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """What a list tells beside its paths: the name of each table, its columns, its cells."""
    for name, rows in trail.record.items():
        columns = list(rows[0]) if rows else []
        yield name.replace("_", " "), columns, [[_cell(row[column]) for column in columns] for row in rows]


def written(trace: Trace) -> dict[str, Any]:
    """The trace as JSON: the question, the ranks of gold and rivals, and what every list tells, in full."""
    ids = trace.benchmark.doc_ids.to_pylist()
    row = trace.benchmark.queries[trace.query]
    return {
        "benchmark": trace.benchmark.name,
        "data_sha256": trace.benchmark.sha256,
        "query": row["id"],
        "split": str(trace.benchmark.split[trace.query]),
        "question": row["question"],
        "answers": list(row.get("answers") or []),
        "gold": [ids[doc] for doc in trace.gold],
        "ranks": {
            name: {ids[doc]: trace.rank(name, doc) for doc in [*trace.gold, *trace.rivals]} for name in trace.order
        },
        "lists": {
            name: {"retriever": trace.identities[name], **_paths(trace, trail), **trail.record}
            for name, trail in trace.trails.items()
        },
    }


def _paths(trace: Trace, trail: Trail) -> dict[str, Any]:
    ids = trace.benchmark.doc_ids.to_pylist()

    def named(node: Node) -> dict[str, str]:
        return {"entity": node.entity} if node.passage < 0 else {"passage": ids[node.passage]}

    return {
        "seeds": [{**named(node), "weight": weight} for node, weight in trail.seeds],
        "paths": {
            ids[doc]: [
                {"strength": path.strength, "nodes": [named(node) for node in path.nodes], "links": list(path.links)}
                for path in paths
            ]
            for doc, paths in trail.paths.items()
        },
    }


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return MISSING
    return f"{value:.4f}" if isinstance(value, float) else " ".join(str(value).split())


def _aligned(rows: list[list[str]]) -> list[str]:
    cut = [[cell if len(cell) <= WIDTH else f"{cell[: WIDTH - 3]}..." for cell in row] for row in rows]
    width = [max(map(len, column)) for column in zip(*cut, strict=True)]
    return ["  " + "  ".join(f"{cell:<{size}}" for cell, size in zip(row, width, strict=True)).rstrip() for row in cut]


def head(trace: Trace) -> list[str]:
    """What was asked, of which split and kind, and the answer."""
    row, split = trace.benchmark.queries[trace.query], trace.benchmark.split[trace.query]
    kind = ", ".join(f"{name} {row[name]}" for name in ("hops", "type") if row.get(name) not in (None, ""))
    answers = " | ".join(row.get("answers") or [])
    warned = " (looking at test: choose nothing by it)" if split == "test" else ""
    return [
        f"{trace.benchmark.name} {row['id']}: split {split}{warned}{', ' if kind else ''}{kind}",
        row["question"],
        *([f"answer: {answers}"] if answers else []),
    ]


def role(trace: Trace, doc: int) -> str:
    """``gold 2`` for the passage of the second hop; ``last hop`` for the last; ``rival`` else."""
    if doc not in trace.gold:
        return "rival"
    hop = trace.gold.index(doc) + 1
    return f"gold {hop}" + (" (last hop)" if hop == len(trace.gold) else "")


def label(trace: Trace, node: Node) -> str:
    """A passage as ``[id] title``, an entity by its name."""
    if node.passage < 0:
        return node.entity
    return f"[{trace.benchmark.doc_ids[node.passage]}] {trace.title(node.passage)}"


def told(trace: Trace, name: str, doc: int, path: Path) -> str:
    """A path in one line, with the share of the score that it brings, or the score that it gives."""
    share = trace.share(name, doc, path.strength)
    words = [label(trace, path.nodes[0])]
    for link, node in zip(path.links, path.nodes[1:], strict=True):
        words.append(f"-{link}-> {label(trace, node)}")
    return f"{f'{path.strength:.4f}' if share is None else f'{percent(share):>5}%'}  {' '.join(words)}"


def cells(trace: Trace, doc: int) -> list[str]:
    """The passage's rank in every list and after fusion."""
    ranks = [trace.rank(name, doc) for name in trace.order]
    return [MISSING if rank is None else str(rank) for rank in ranks]


def _ranks(trace: Trace) -> list[str]:
    columns = list(trace.order)
    width = max(len(role(trace, doc)) for doc in [*trace.gold, *trace.rivals, -1])
    lines = [f"{'rank in':<{width + WIDTH + 1}} {'  '.join(columns)}"]
    for doc in [*trace.gold, *trace.rivals]:
        name = label(trace, Node(passage=doc))
        name = name if len(name) <= WIDTH else f"{name[: WIDTH - 3]}..."
        ranks = "  ".join(f"{rank:>{len(column)}}" for rank, column in zip(cells(trace, doc), columns, strict=True))
        lines.append(f"{role(trace, doc):<{width}} {name:<{WIDTH}} {ranks}")
    return lines


def _place(trace: Trace, name: str, doc: int) -> str:
    rank = trace.rank(name, doc)
    return "not in the list" if rank is None else f"rank {rank}, score {trace.order[name][doc]:.6g}"
