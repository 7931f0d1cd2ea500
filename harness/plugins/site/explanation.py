"""A trace as text and as JSON: paths from seeds to passages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.core.escape import file_name
from harness.core.table import Column, Table
from harness.plugins.site.trace import Trace
from harness.plugins.site.trail import Node, Path, Trail

WIDTH = 44


def text(trace: Trace, seeds: int) -> str:
    """Return the question, its ranks, and the first ``seeds`` seeds and the paths of every list."""
    lines = [*head(trace), "", *rank_table(trace).lines(WIDTH)]
    for name, trail in trace.trails.items():
        if trail.seeds:
            lines += ["", f"{name}: {len(trail.seeds)} seeds"]
        lines += [f"  {weight:.4f}  {label(trace, node)}" for node, weight in trail.seeds[:seeds]]
        for table in record_tables(name, trail):
            lines += ["", table.title, *table.lines(WIDTH)]
        for doc in trail.paths:
            paths = [f"  {describe_path(trace, path)}" for path in trail.paths[doc]]
            target = f"{role(trace, doc)} {label(trace, Node(passage=doc))}"
            lines += ["", f"{name}, {target}: {_place(trace, name, doc)}"]
            lines += paths or ["  no path from a seed"]
    return "\n".join(lines)


def rank_table(trace: Trace) -> Table:
    """Return the rank of each gold passage and rival in every list and after fusion."""
    columns = [
        Column("", "text"),
        Column("passage", "text"),
        *(Column(name, "count") for name in trace.order),
    ]
    rows = []
    for doc in (*trace.gold, *trace.rivals):
        ranks = [trace.rank(name, doc) for name in trace.order]
        rows.append([role(trace, doc), label(trace, Node(passage=doc)), *ranks])
    return Table("ranks", "Ranks", columns, rows)


def record_tables(name: str, trail: Trail) -> Iterator[Table]:
    """Yield the tables that a list records in addition to its paths."""
    for kind, rows in trail.record.items():
        keys = list(rows[0]) if rows else []
        cells = [[_cell(row[key]) for key in keys] for row in rows]
        columns = [Column(key, "text") for key in keys]
        yield Table(file_name(kind), f"{name}, {kind.replace('_', ' ')}", columns, cells)


def to_json(trace: Trace) -> dict[str, object]:
    """Return the trace as JSON: the question, the ranks of gold and rivals, and the
    lists' records.
    """
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
            name: {ids[doc]: trace.rank(name, doc) for doc in [*trace.gold, *trace.rivals]}
            for name in trace.order
        },
        "lists": {
            name: {"retriever": trace.identities[name], **_paths(trace, trail), **trail.record}
            for name, trail in trace.trails.items()
        },
    }


def _paths(trace: Trace, trail: Trail) -> dict[str, object]:
    ids = trace.benchmark.doc_ids.to_pylist()

    def named(node: Node) -> dict[str, str]:
        return {"entity": node.entity} if node.passage < 0 else {"passage": ids[node.passage]}

    def described(path: Path) -> dict[str, object]:
        nodes = [named(node) for node in path.nodes]
        return {"strength": path.strength, "nodes": nodes, "links": list(path.links)}

    seeds = [{**named(node), "weight": weight} for node, weight in trail.seeds]
    paths = {ids[doc]: list(map(described, some)) for doc, some in trail.paths.items()}
    return {"seeds": seeds, "paths": paths}


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}" if isinstance(value, float) else value


def head(trace: Trace) -> list[str]:
    """Return the question, its split and kind, and the answer, as lines."""
    row, split = trace.benchmark.queries[trace.query], trace.benchmark.split[trace.query]
    known = [name for name in ("hops", "type") if row.get(name) not in (None, "")]
    warned = " (looking at test: choose nothing by it)" if split == "test" else ""
    kinds = [f"split {split}{warned}", *(f"{name} {row[name]}" for name in known)]
    lines = [f"{trace.benchmark.name} {row['id']}: {', '.join(kinds)}", row["question"]]
    if answers := " | ".join(row.get("answers") or []):
        lines.append(f"answer: {answers}")
    return lines


def role(trace: Trace, doc: int) -> str:
    """Return ``gold 2`` for the passage of the second hop, ``last hop`` for the last, or
    ``rival``.
    """
    if doc not in trace.gold:
        return "rival"
    hop = trace.gold.index(doc) + 1
    return f"gold {hop}" + (" (last hop)" if hop == len(trace.gold) else "")


def label(trace: Trace, node: Node) -> str:
    """Return a passage as ``[id] title``, or an entity's name."""
    if node.passage < 0:
        return node.entity
    return f"[{trace.benchmark.doc_ids[node.passage]}] {trace.title(node.passage)}"


def describe_path(trace: Trace, path: Path) -> str:
    """Return a path in one line, with its part of the score."""
    words = [f"{path.strength:.4g} ", label(trace, path.nodes[0])]
    for link, node in zip(path.links, path.nodes[1:], strict=True):
        words.append(f"-{link}-> {label(trace, node)}")
    return " ".join(words)


def _place(trace: Trace, name: str, doc: int) -> str:
    rank = trace.rank(name, doc)
    return "not in the list" if rank is None else f"rank {rank}, score {trace.order[name][doc]:.6g}"
