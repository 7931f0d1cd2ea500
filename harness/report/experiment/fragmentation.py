"""The graphs below lists, side by side: how far one thing is in one node, and how connected the nodes are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.table import Column, Table
from harness.sweep.folder import SweepResult


def fragmentation(result: SweepResult, spec: Mapping[str, Any], experiment: Mapping[str, Any]) -> Table:
    """A row a graph of ``spec.graphs`` (``label, list``), from what the sweep's manifest keeps of them."""
    known = result.manifest.get("graphs", {})
    rows = []
    for row in spec["graphs"]:
        if row["list"] in known:
            facts = known[row["list"]]
            shares = [facts[name] for name in ("isolated_entities", "isolated_passages", "largest_component")]
            edges = [facts["edges"].get(name, 0) for name in ("relation", "synonym")]
            degree = facts["entity_degree"]["mean"]
            rows.append([row["label"], facts["entities"], *edges, f"{degree:.2f}", facts["components"], *shares])
    columns = [
        Column("graph", "text"), Column("entities", "count"), Column("relation edges", "count"),
        Column("synonym edges", "count"), Column("mean degree", "text"), Column("components", "count"),
        Column("isolated entities %"), Column("isolated passages %"), Column("largest component %"),
    ]  # fmt: skip
    said = (
        f"Graphs of {result.manifest['dataset']}. Degree: edges of an entity of any kind; components: parts of the "
        "graph without an edge between them; isolated: without any edge; the largest component's share: of all nodes. "
        f"Published graphs are not comparable: {experiment['differs']} Data {result.manifest['data_sha256'][:12]}."
    )
    return Table(spec["name"], spec["title"], columns, rows, said)
